import { openEngine } from "../../src/index.ts";
import { PROJECT } from "./project.ts";

/*
 * Loads one source into a new database: `import LOG DATABASE` or `ingest RECORDS DATABASE`, where RECORDS stands before `.calls` and
 * `.rows`. Prints records, seconds and processor seconds.
 */

const [mode, source = "", path = ""] = process.argv.slice(2);
const engine = await openEngine({ path });
// The formats are loaded with the first import.
const warmUp = { name: "warm-up.csv", bytes: Buffer.from("id,model,answer,correct\n1,m,a,true\n") };
await engine.importEvaluations(warmUp, { project: PROJECT, dryRun: true });
const before = process.cpuUsage();
const started = performance.now();
const results =
  mode === "import"
    ? await engine.importEvaluations(source, { project: PROJECT, check: "warn" })
    : [await engine.ingestRows(`${source}.rows`), await engine.ingestCalls(`${source}.calls`)];
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
await engine.close();
const records = results.reduce((sum, { received }) => sum + received, 0);
process.stdout.write(JSON.stringify({ records, seconds, processorSeconds: (user + system) / 1e6 }));
