/**
 * `evalcube/arrow`: apache-arrow as the engine uses it, for work on the tables and batches that it gives. apache-arrow
 * has an ES and a CommonJS build, whose classes differ, and `require("evalcube/arrow")` gives the engine's as well. A
 * function of the one does not know a table of the other: writers such as `require("apache-arrow").tableToIPC` throw.
 */
export * from "apache-arrow";
