import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ATTEMPTS, scoreExport, SCORES, spanOf, spansExport, traceOf } from "./otlp-exports.ts";
import { formsOf, recordsIn, writeFiles } from "./agent-runs.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();
let projects = 0;

type Files = Readonly<Record<string, string>>;

async function imported(files: Files, options: { onInvalid?: "skip"; source?: string } = {}) {
  const folder = path.join(newFolder(), "run");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const project = `acme/otlp${projects++}`;
  const { source = "", ...others } = options;
  const [result] = await engine.importEvaluations(path.join(folder, source), { project, ...others });
  return { project, folder, notes: result?.notes ?? [], result };
}

const rowsOf = async (project: string, statement: string) =>
  Array.from(await engine.sql(project, statement), (row) => ({ ...row }));
const trialsOf = (project: string) =>
  rowsOf(
    project,
    `select t.row_digest, t.stop_reason, t.total_tokens::int as tokens, c.exception as error
     from trials t join calls c on c.id = t.trial_id order by t.started_at`,
  );
const stepsOf = (project: string) =>
  rowsOf(
    project,
    `select call_id, operation, name, model, input_tokens::int as input, error_type, finish_reason
     from steps order by started_at, call_id`,
  );

const lines = (...exports: object[]) => `${exports.map((one) => JSON.stringify(one)).join("\n")}\n`;
const spans = spansExport(ATTEMPTS);

const FORMS: Readonly<Record<string, Files>> = {
  lines: { "a.jsonl": lines(spans, ...SCORES) },
  "a list": { "a.json": JSON.stringify([spans, ...SCORES], null, 1) },
  "an object": { "a.json": JSON.stringify(Object.assign({}, spans, ...SCORES.slice(0, 1)), null, 1) },
  "several files": { "a.jsonl": lines(...SCORES), "b.json": JSON.stringify(spans, null, 1) },
  "spans in another order, twice": {
    "a.jsonl": lines(
      ...SCORES.toReversed(),
      ...ATTEMPTS.toReversed().map((one) => spansExport([one])),
      spans,
    ),
  },
  "CRLF and a byte order mark": { "a.jsonl": `\uFEFF${lines(spans, ...SCORES).replaceAll("\n", "\r\n")}` },
};

describe.each(Object.entries(FORMS))("an export as %s", (form, files) => {
  it("gives the trials and their steps", async () => {
    const { project, folder, notes } = await imported(files);
    expect(await trialsOf(project)).toMatchObject([
      { stop_reason: "stop", tokens: 380, error: null },
      { stop_reason: "RateLimit", tokens: null, error: "RateLimit: rate limit" },
    ]);
    const [first, second] = await trialsOf(project);
    expect(second?.["row_digest"]).toBe(first?.["row_digest"]);
    expect((await stepsOf(project)).filter(({ call_id: id }) => !String(id).includes("/"))).toMatchObject([
      { call_id: spanOf(2), operation: "chat", model: "m-1-0101", input: 100, finish_reason: "tool_calls" },
      { call_id: spanOf(3), operation: "execute_tool", name: "search", error_type: "timeout" },
      { call_id: spanOf(5), operation: "invoke_agent", name: "helper" },
      { call_id: spanOf(6), operation: "chat", input: 50 },
      { call_id: spanOf(7), operation: "chat", input: 200 },
    ]);
    expect(notes).toContain("leaves out 1 trace without a span of invoke_agent");
    const again = await engine.importEvaluations(folder, { project });
    expect(again.map(({ stored }) => stored)).toEqual([0]);
    if (form === "an object") return;
    const { results } = await resultsOf(project);
    expect(results).toMatchObject({ correct: 1, tone: "kind" });
  });
});

async function resultsOf(project: string) {
  const found = await rowsOf(project, "select record from calls where op_name like '%predict_and_score'");
  const records = found.map(({ record }) => JSON.parse(String(record)) as { output: { scores: object } });
  return { results: Object.assign({}, ...records.map(({ output }) => output.scores)) as object };
}

const ofRun = (run: string) =>
  spansExport(
    ATTEMPTS.filter(({ trace }) => trace === (run === "r-1" ? 1 : 2)),
    {
      "service.name": "shop",
      "test.suite.name": "suite",
      "test.suite.run.id": run,
    },
  );

describe("a trial of spans", () => {
  it("has no value where the judge failed, and keeps explanations", async () => {
    const { project } = await imported({ "a.jsonl": lines(spans, ...SCORES) });
    const { results } = await resultsOf(project);
    expect(results).toMatchObject({ safe: null });
    const [trial] = await rowsOf(project, "select record from calls where record like '%judge_failed%'");
    expect(String(trial?.["record"])).toContain('"explanation":"fits"');
  });

  it("is scored where it broke and a score is there", async () => {
    const score = scoreExport(
      { trace: 2 },
      { "gen_ai.evaluation.name": "correct", "gen_ai.evaluation.score.value": 0 },
    );
    const { project } = await imported({ "a.jsonl": lines(spans, score) });
    const [, second] = await trialsOf(project);
    expect(second).toMatchObject({ error: null, stop_reason: "RateLimit" });
  });

  it("belongs to the run that its resource names", async () => {
    const { project, result } = await imported({ "a.jsonl": lines(ofRun("r-1"), ofRun("r-2")) });
    expect(result?.evaluations.map(({ task, model, label }) => ({ task, model, label }))).toEqual([
      { task: "suite", model: "m-1", label: "planner" },
      { task: "suite", model: "m-1", label: "planner" },
    ]);
    expect(await trialsOf(project)).toHaveLength(2);
  });

  it("is refused with its place where a span has no id, and skipped where that is asked for", async () => {
    const files = { "a.jsonl": lines(spans).replace(`"spanId":"${spanOf(2)}"`, '"spanId":"xyz"') };
    await expect(imported(files)).rejects.toThrow(
      /a\.jsonl.*line 1.*resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[1\].*has no spanId of 16 hexadecimal digits/,
    );
    const { project } = await imported(files, { onInvalid: "skip" });
    expect(await trialsOf(project)).toHaveLength(2);
  });

  it("is imported without a last line that is still being written", async () => {
    const text = lines(spans, ...SCORES);
    const { project, notes } = await imported({ "a.jsonl": text.slice(0, -30) });
    expect(notes).toContain("the last line is still being written; it is left out");
    expect(await trialsOf(project)).toHaveLength(2);
  });

  it("ends with parents in a circle", async () => {
    const circle = [
      { trace: 7, id: 20, parent: 21, at: 1, attributes: { "gen_ai.operation.name": "invoke_agent" } },
      { trace: 7, id: 21, parent: 20, at: 1, attributes: { "gen_ai.operation.name": "chat" } },
    ];
    const { project } = await imported({ "a.jsonl": lines(spans, spansExport(circle)) });
    const trials = await rowsOf(project, "select record from calls where op_name like '%predict_and_score'");
    expect(trials.filter(({ record }) => String(record).includes(traceOf(7)))).toEqual([]);
  });
});

it("an export gives the same records in all forms of its folder", async () => {
  const input = writeFiles(
    path.join(newFolder(), "input"),
    new Map([
      ["a.jsonl", lines(spans, ...SCORES.slice(1))],
      ["b.json", JSON.stringify(SCORES[0], null, 1)],
    ]),
  );
  const found: string[][] = [];
  for (const [form, source] of formsOf(input, newFolder)) {
    const project = `acme/otlp${projects++}`;
    const results = await engine.importEvaluations(source, { project });
    expect([form, results.map(({ format }) => format)]).toEqual([form, ["otlp"]]);
    expect([form, (await trialsOf(project)).length]).toEqual([form, 2]);
    // What later versions add to a span is kept with it.
    if (form !== "members of later versions") found.push(await recordsIn(engine, project));
    const again = await engine.importEvaluations(source, { project });
    expect([form, again.map(({ stored }) => stored)]).toEqual([form, [0]]);
  }
  const [first, ...others] = found;
  for (const other of others) expect(other).toEqual(first);
});
