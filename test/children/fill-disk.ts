/** Loads sources until one is refused, tells the code and message, and then how many were stored. */
import { writeSync } from "node:fs";
import { openEngine, StoreError } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const say = (what: object) => writeSync(1, `${JSON.stringify(what)}\n`);

const [path = ""] = process.argv.slice(2);
const engine = await openEngine({ path, threads: 1 });
await engine.ingestCalls([root()]);
let stored = 0;
try {
  for (; stored < 1000; stored++) {
    const output = { output: `${stored} `.repeat(10_000), scores: { acc: 1 } };
    await engine.ingestCalls([trial(`t${stored}`, { q: stored }, {}, { output })]);
  }
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  say({ code: error.code, message: error.message, stored });
}
const { total_rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"], limit: 1 });
say({ total_rows });
process.kill(process.pid, "SIGKILL");
