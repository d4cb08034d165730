/**
 * `evalcube/arrow`: apache-arrow as the engine uses it, for work on the tables and batches that it gives. apache-arrow
 * has an ES and a CommonJS build, whose classes differ. A function of the one takes a table of the other without an
 * error and may do the wrong thing: `require("apache-arrow").tableToIPC(table)` writes a file without data.
 */
export * from "apache-arrow";
