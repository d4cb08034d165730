import { openEngine } from "../../src/index.ts";
import { root, trial } from "../support/records.ts";

/**
 * Loads sources of so many trials without end into the file of its first argument: source n is evaluation
 * `e<n>`. Says `part` on standard output whenever a tenth of one has been read, and `<n>` when it is stored.
 */
const [file = "", trials = "0"] = process.argv.slice(2);
const engine = await openEngine({ path: file, threads: 1 });

function* source(n: number) {
  yield root(`e${n}`);
  for (let i = 0; i < Number(trials); i++) {
    if (i % (Number(trials) / 10) === 0) process.stdout.write("part\n");
    yield trial(`e${n}-t${i}`, { row: i }, { acc: i / 7, [`only-${n}`]: true }, { parent_id: `e${n}` });
  }
}

const stored = await engine.listEvaluations("acme/qa");
process.stdout.write(`open ${stored.length}\n`);
for (let n = stored.length; ; n++) {
  await engine.ingestCalls(source(n));
  process.stdout.write(`${n}\n`);
}
