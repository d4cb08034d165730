import { readFileSync } from "node:fs";
import { openEngine } from "../../src/index.ts";

/**
 * Imports the log of its first argument; prints how many trials it has and how much memory the process took at most. The others
 * are the memory limit and the file of the database.
 */
const [log = "", memoryLimit = "256MiB", database = ":memory:"] = process.argv.slice(2);
const engine = await openEngine({ path: database, threads: 1, memoryLimit });
const started = performance.now();
const [result] = await engine.importEvaluations(log, { project: "acme/qa" });
const seconds = (performance.now() - started) / 1000;
await engine.close();
const trials = result?.evaluations[0]?.trials;
process.stdout.write(JSON.stringify({ trials, seconds, peakMiB: peakMiB() }));

/** The count of the process itself: that of `resourceUsage` may be its parent's. */
function peakMiB(): number {
  const [, kibibytes = "NaN"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}
