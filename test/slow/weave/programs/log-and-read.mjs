// Logs with W&B's TypeScript SDK, reads back what it wrote, and prints what it saw as one JSON object a scenario.
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.WEAVE_NODE_MODULES, "weave", "package.json"));
const weave = require("weave");

const client = await weave.init(process.env.WEAVE_PROJECT);
const tell = (scenario, seen) => process.stdout.write(`${JSON.stringify({ scenario, ...seen })}\n`);

const rows = Array.from({ length: 4 }, (_, n) => ({
  question: `What is ${n} + 1?`,
  expected: n + 1,
  meta: { weight: n / 8, source: "généré" },
}));

async function evaluation() {
  const adder = weave.op(async function adder({ datasetRow }) {
    if (datasetRow.expected === 4) throw new Error("on purpose");
    return { answer: datasetRow.expected, p: 0.5 };
  });
  const exact = weave.op(function exact({ modelOutput, datasetRow }) {
    return modelOutput?.answer === datasetRow.expected;
  });
  const judge = weave.op(function judge({ modelOutput }) {
    return { helpfulness: modelOutput?.p ?? 0, verdict: { ok: true } };
  });
  const dataset = new weave.Dataset({ name: "ts-sums", rows: rows.map((row) => ({ ...row })) });
  const evaluated = new weave.Evaluation({ name: "ts-eval", dataset, scorers: [exact, judge] });
  const summary = await evaluated.evaluate({ model: adder, nTrials: 2 });
  await client.waitForBatchProcessing();
  tell("evaluation", { summary });
}

async function logger() {
  const log = new weave.EvaluationLogger({ name: "ts-logged", model: { name: "by-hand" }, dataset: "few" });
  for (let n = 0; n < 3; n++) {
    const prediction = log.logPrediction({ question: `What is ${n} + 1?` }, { answer: n });
    await prediction.logScore("right", n % 2 === 0);
    await prediction.logScore("grade", { value: n / 4, notes: { n } });
    await prediction.finish();
  }
  await log.logSummary({ note: "done" });
  await client.waitForBatchProcessing();
  tell("logger", {});
}

async function traces() {
  const greet = weave.op(function greet(name) {
    return `hello ${name}`;
  });
  const outer = weave.op(async function outer(names) {
    return Promise.all(names.map((name) => greet(name)));
  });
  const broken = weave.op(function broken() {
    throw new Error("broken on purpose");
  });
  await outer(["ann", "çelik"]);
  try {
    await broken();
  } catch {
    // It is to be seen in the trace.
  }
  await client.waitForBatchProcessing();
  const roots = await client.getCalls({ trace_roots_only: true });
  const ours = roots.filter((call) => /\/op\/(outer|broken):/.test(call.op_name));
  tell("traces", { back: ours.map(({ output, exception }) => ({ output, failed: exception != null })) });
}

async function read() {
  const saved = await new weave.Dataset({ name: "ts-read", rows: rows.map((row) => ({ ...row })) }).save();
  const back = await client.get(saved);
  const seen = [];
  for await (const row of back) seen.push({ question: row.question, expected: row.expected, meta: row.meta });
  tell("read", { same: JSON.stringify(seen) === JSON.stringify(rows), count: back.length });
}

for (const scenario of [evaluation, logger, traces, read]) await scenario();
await client.waitForBatchProcessing();
tell("end", {});
process.exit(0);
