import { describe, expect, it } from "vitest";
import { importBytes, PROJECT } from "./imports.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

const testCase = (order: number, score: number) => ({
  name: `case_${order}`,
  input: `question ${order}`,
  actualOutput: "Paris",
  success: score > 0.5,
  metricsData: [{ name: "Correctness", score, success: score > 0.5, error: null }],
  order,
});
const testRun = {
  testCases: [testCase(0, 0.9), testCase(1, 0.1)],
  conversationalTestCases: [],
  metricsScores: [{ metric: "Correctness", scores: [0.9, 0.1], passes: 1, fails: 1, errors: 0 }],
  testPassed: 1,
  testFailed: 1,
  runDuration: 2,
};

const word = (prompt: string, topic: string, success: boolean) => ({
  provider: { id: "acme:small" },
  prompt: { raw: prompt.replace("{{topic}}", topic), display: prompt },
  vars: { topic },
  response: { output: "x", tokenUsage: { total: 3 } },
  success,
  score: Number(success),
  latencyMs: 10,
  gradingResult: { pass: success, score: Number(success), reason: "-" },
});
const column = (display: string, passed: number) => ({
  raw: display,
  display,
  provider: "acme:small",
  metrics: { score: passed, testPassCount: passed, testFailCount: 2 - passed, totalLatencyMs: 20 },
});
const [SAY, WRITE] = ["Say a word on {{topic}}", "Write a line on {{topic}}"];
const wordResults = {
  version: 2,
  results: [
    word(SAY, "sea", true),
    word(WRITE, "sea", true),
    word(SAY, "ice", true),
    word(WRITE, "ice", false),
  ],
  stats: { successes: 3, failures: 1, tokenUsage: { total: 12 } },
  table: { head: { prompts: [column(SAY, 2), column(WRITE, 1)], vars: ["topic"] }, body: [{ huge: 1 }] },
};

describe("files of DeepEval beside its results", () => {
  it("are the same evaluation as the full run where the run is in a member", async () => {
    const first = await importBytes(engine, JSON.stringify({ testRunData: testRun }), { check: "fail" });
    expect(first).toMatchObject({
      format: "deepeval",
      evaluations: [{ trials: 2, rows: 2 }],
      checks: { agree: 6 },
    });
    const full = await importBytes(engine, JSON.stringify(testRun));
    expect([full.stored, full.unchanged]).toEqual([0, first.received]);
  });

  it.each([
    ["a link", { testRunLink: "https://app.example.com/run" }],
    ["a link and no run", { testRunData: null, testRunLink: "https://app.example.com/run" }],
    ["the cache", { test_cases_lookup_map: { "{}": { cached_metrics_data: [] } } }],
  ])("are refused with the file to import where they hold %s only", async (_, content) => {
    const refused = importBytes(engine, JSON.stringify(content));
    await expect(refused).rejects.toThrow(/\.latest_run_full\.json.*DEEPEVAL_RESULTS_FOLDER/);
  });
});

describe("results of promptfoo before version 3", () => {
  it.each([
    ["whole", { results: wordResults, config: { description: "words" } }, "auto"],
    ["named as such", { results: wordResults, config: { description: "words" } }, "promptfoo"],
    ["the inner object alone", wordResults, "auto"],
  ])("have an evaluation a prompt, on shared rows: %s", async (_, log, format) => {
    const imported = await importBytes(engine, JSON.stringify(log), { format, check: "fail", dryRun: true });
    const { evaluations, checks, received } = imported;
    expect(evaluations.map(({ label, trials, rows }) => [label, trials, rows])).toEqual([
      [SAY, 2, 2],
      [WRITE, 2, 2],
    ]);
    // Two roots, two rows, and a trial with its prediction for each result.
    expect([checks.agree, received]).toEqual([11, 2 + 2 + 8]);
  });

  it("are refused as a CSV file, and where there are no results", async () => {
    const csv = 'topic,"[acme] {""raw"":""Say"",""display"":""Say""}"\nsea,[PASS] x\n';
    await expect(importBytes(engine, csv)).rejects.toThrow(/-o log\.json/);
    const empty = JSON.stringify({ results: { ...wordResults, results: [] } });
    await expect(importBytes(engine, empty)).rejects.toThrow(/holds no trials/);
  });

  it("are not taken for what a script of one's own writes", async () => {
    const own = JSON.stringify({ results: [{ id: 1, score: 1 }], stats: { mean: 1 } });
    const format = await importBytes(engine, own, { dryRun: true }).then(
      (result) => result.format,
      (error: unknown) => String(error),
    );
    expect(format).not.toMatch(/^promptfoo|holds no trials/);
  });
});

const statusOf = async (id: string | undefined) =>
  (await engine.listEvaluations(PROJECT)).find((one) => one.id === id)?.status;

describe("an imported run", () => {
  it("is over where its log says so, and ends with its last trial", async () => {
    const { evaluations } = await importBytes(engine, "id,score,latency_ms\n1,1,2000\n2,0,500\n");
    const id = evaluations[0]?.evaluation_call_id ?? "";
    expect(await statusOf(id)).toBe("finished");
    const full = await importBytes(engine, JSON.stringify({ ...testRun, runDuration: 3 }));
    expect(await statusOf(full.evaluations[0]?.evaluation_call_id)).toBe("finished");
  });

  it.each([
    ["started", "running"],
    ["success", "finished"],
    ["error", "failed"],
  ])("of Inspect that is %s is %s", async (status, wanted) => {
    const stats = { started_at: "2026-01-01T00:00:01+00:00" };
    const spec = { ...header().eval, eval_id: `status ${status}` };
    const log = jsonLog({ ...header({}, { eval: spec, status, stats }) }, [sample(1, 1, { grade: "C" })]);
    const { evaluations } = await importBytes(engine, log);
    expect(await statusOf(evaluations[0]?.evaluation_call_id)).toBe(wanted);
  });

  it("of OpenAI Evals goes on until it has its report", async () => {
    const lines = [
      { spec: { run_id: "going", completion_fns: ["m"], eval_name: "e" } },
      { run_id: "going", event_id: 0, sample_id: "s", type: "metrics", data: { score: 1 } },
    ].map((line) => JSON.stringify(line));
    await importBytes(engine, lines.join("\n"));
    expect(await statusOf("openai-evals:going")).toBe("running");
    await importBytes(engine, [...lines, '{"final_report": {"score": 1}}'].join("\n"));
    expect(await statusOf("openai-evals:going")).toBe("finished");
  });
});

describe("a file that holds no trials", () => {
  it.each([
    ["means by model", { small: { sums: { acc: 0.5 } }, large: { sums: { acc: 0.7 } } }],
    ["a list of means", [{ model: "m", metric: "acc", score: 0.5, stderr: 0.1 }]],
    ["headers of logs", { "logs/a.eval": { version: 2, status: "success", eval: { task: "t" } } }],
    [
      "results of lm-eval 0.3",
      { results: { sums: { acc: 0.5 } }, versions: { sums: 0 }, config: { model: "hf" } },
    ],
  ])("says so: %s", async (_, content) => {
    await expect(importBytes(engine, JSON.stringify(content))).rejects.toThrow(/holds? figures/);
  });

  it("says so as a CSV file, and one that is nothing known says what it begins with", async () => {
    const means = importBytes(engine, "model,task,metric,value\nm,t,acc,0.5\n");
    await expect(means).rejects.toThrow(/holds figures and no trials/);
    const unknown = importBytes(engine, JSON.stringify(Array.from({ length: 30 }, (_, i) => i)));
    await expect(unknown).rejects.toThrow(/none of the formats .*: a list whose first is 0$/);
    await expect(importBytes(engine, "{}")).rejects.toThrow(/an object with no members$/);
    await expect(importBytes(engine, "id,score\n")).rejects.toThrow(
      /has one line and no records: id, score$/,
    );
  });
});
