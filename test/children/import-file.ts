import { openEngine } from "../../src/index.ts";

/** Imports the file of its argument; writes the message of a refusal, and the processor time and memory that it took. */
const [file = ""] = process.argv.slice(2);
const engine = await openEngine();
const before = process.cpuUsage();
const refusal = await engine.importEvaluations(file, { project: "acme/qa" }).then(
  () => null,
  (error: unknown) => String(error),
);
const { user, system } = process.cpuUsage(before);
await engine.close();
const peakMiB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ refusal, seconds: (user + system) / 1e6, peakMiB }));
