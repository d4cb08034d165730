import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

/**
 * Answers statements, `{ statement, timeLimitSeconds, limits }` a line of standard input, over so many trials in the file of its
 * first argument.
 * Says on standard output what became of each: `{ outcome, said, stallMs }`.
 */
const [file = "", trials = "2000"] = process.argv.slice(2);

interface Asked {
  readonly statement: string;
  readonly timeLimitSeconds: number;
  readonly limits?: "strict";
}
const engine = await openEngine({ path: file, threads: 2, memoryLimit: "256MiB" });

function* records() {
  yield root();
  for (let i = 0; i < Number(trials); i++) {
    const scores = { acc: i / 7, ok: i % 3 === 0, judge: { tone: "calm", text: "word ".repeat(i % 20) } };
    yield trial(`t${i}`, { question: `what is ${i}?` }, scores, {
      summary: { usage: { m: { total_tokens: i } } },
    });
  }
}

await engine.ingestCalls(records());
await engine.sql(
  PROJECT,
  "select count(*) from scores a join trials using (trial_id) join calls on id = trial_id",
);
process.stdout.write("open\n");

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
for await (const line of createInterface(process.stdin)) {
  delay.reset();
  const said = await answer(JSON.parse(line) as Asked);
  process.stdout.write(`${JSON.stringify({ ...said, stallMs: delay.max / 1e6 })}\n`);
}
await engine.close();

async function answer({
  statement,
  ...options
}: Asked): Promise<{ readonly outcome: string; readonly said: string }> {
  try {
    const table = await engine.sql(PROJECT, statement, [], options);
    return { outcome: "answered", said: `${table.numRows} records` };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    return { outcome: code, said: String(error).slice(0, 300) };
  }
}
