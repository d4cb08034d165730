/** What Node.js warns of where something is not let go of. */
const LEAKS = /MaxListenersExceeded|on garbage collection/;
const HEARS = Symbol.for("evalcube hears warnings");

// Files of a project share a process. What is thrown here fails the run, whichever test is under way.
if (!(HEARS in process)) {
  Object.defineProperty(process, HEARS, { value: true });
  process.on("warning", (warning) => {
    // The warning itself holds the emitter, of which a report shows everything.
    if (LEAKS.test(`${warning.name} ${warning.message}`)) throw new Error(warning.stack ?? warning.message);
  });
}
