import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf, importBytes, PROJECT } from "./imports.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";
import { sampleLine } from "./lm-eval-logs.ts";
import { metrics, promptfooLog, result } from "./promptfoo-logs.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

const spec = (id: string) => ({ eval: { ...header().eval, eval_id: id } });
const metric = (task: string) => ({ lists: "inst_acc", pairs: "f1" })[task] ?? "acc";
const metricsLine = (i: number, data: object) =>
  JSON.stringify({ run_id: "r", event_id: i, sample_id: `s${i}`, type: "metrics", data });

const metricsOf = (stderr: number) => ({ accuracy: { value: 0.5 }, stderr: { value: stderr } });
const choicesLog = (report: object) =>
  [
    JSON.stringify({ spec: { run_id: "r", completion_fns: ["m"], eval_name: "e" } }),
    ...["A", "B", "A"].map((choice, i) =>
      metricsLine(i, { choice, tone: "dry", why: `because ${i}`, score: i }),
    ),
    JSON.stringify({ final_report: report }),
  ].join("\n");

describe("a log of Inspect whose epochs are not reduced", () => {
  // Two samples in three epochs each: 1 1 0 and 0 0 1.
  const samples = [1, 1, 0, 0, 0, 1].map((value, i) =>
    sample(i < 3 ? "a" : "b", (i % 3) + 1, { grade: value }),
  );
  const whole = { name: "grade", scorer: "grade", scored_samples: 6, unscored_samples: 0 };
  // Sample deviation of six values, half of them 1: √(1.5 / 5), over √6.
  const unreduced = { ...whole, metrics: metricsOf(Math.sqrt(0.3 / 6)) };
  // Means of the samples: 2/3 and 1/3, with a variance of 1/18.
  const reduced = { ...whole, scored_samples: 2, reducer: "mean", metrics: metricsOf(1 / 6) };
  const log = (id: string, scores: readonly unknown[], config = {}) =>
    jsonLog(
      header(
        { total_samples: 6, completed_samples: 6, scores },
        { eval: { ...header().eval, eval_id: id, config } },
      ),
      samples,
    );

  it.each([
    ["because there are no reducers", [unreduced], { epochs_reducer: [] }, 5],
    ["in an entry beside one that is", [reduced, unreduced], {}, 9],
    [
      "in an entry beside one of another scorer that is",
      [{ ...reduced, name: "other", scorer: "other" }, unreduced],
      {},
      5,
    ],
  ])("agrees %s", async (name, scores, config, agree) => {
    const { checks } = await importBytes(engine, log(name, scores, config), { check: "fail" });
    expect([checks.agree, checks.differ]).toEqual([agree, []]);
  });

  it("differs where the errors of reduced samples are stated, and the other way round", async () => {
    const mixed = { ...unreduced, metrics: metricsOf(1 / 6) };
    const first = await importBytes(engine, log("mixed", [mixed], { epochs_reducer: [] }));
    expect(first.checks.differ).toMatchObject([{ stat: "stderr" }]);
    const plain = { ...unreduced, scored_samples: 2 };
    const second = await importBytes(engine, log("plain", [plain]));
    expect(second.checks.differ).toMatchObject([{ stat: "stderr" }]);
  });

  it("agrees where a sample is there twice and each counts", async () => {
    const twice = [sample("a", 1, { grade: 1 }), sample("a", 1, { grade: 0 })];
    const score = { ...whole, scored_samples: 2, metrics: metricsOf(0.5) };
    const results = { total_samples: 2, scores: [score] };
    const { checks } = await importBytes(engine, jsonLog(header(results, spec("twice")), twice));
    expect([checks.agree, checks.differ]).toEqual([4, []]);
  });

  it("is not checked where scores are texts, or a metric has the name of another package", async () => {
    const texts = [sample("a", 1, { mood: "calm" }), sample("b", 1, { mood: "C" })];
    const score = { ...whole, scored_samples: 2, name: "mood", scorer: "mood", metrics: metricsOf(0.5) };
    const own = { accuracy: { name: "acme/accuracy", value: 0.25 } };
    const results = { total_samples: 2, scores: [score] };
    const first = await importBytes(engine, jsonLog(header(results, spec("texts")), texts));
    expect([first.checks.differ, first.checks.unchecked[0]?.why]).toEqual([
      [],
      "some of its values are texts",
    ]);
    const other = { total_samples: 6, scores: [{ ...whole, scored_samples: 2, metrics: own }] };
    const second = await importBytes(engine, jsonLog(header(other, spec("own")), samples));
    expect([second.checks.differ, second.checks.unchecked]).toEqual([
      [],
      [{ what: "grade accuracy", why: "the metric is not known" }],
    ]);
  });
});

describe("a log of promptfoo", () => {
  const results = [result(0, 0, 1), result(0, 1, 0.25)];
  const logOf = (columns: readonly (typeof results)[], stated: object, stats = {}) => {
    const log = promptfooLog(columns, { stats });
    const [first, ...others] = log.results.prompts;
    const prompts = [{ ...first, metrics: { ...first?.metrics, ...stated } }, ...others];
    return JSON.stringify({ ...log, results: { ...log.results, prompts } });
  };

  it("sums named scores by their weights, and does not check metrics that are made of others", async () => {
    const weighted = results.map((one) => ({
      ...one,
      gradingResult: { ...one.gradingResult, namedScoreWeights: { correct: 3 } },
    }));
    const named = { namedScores: { correct: 3.75, f1: 0.4 } };
    const { checks } = await importBytes(engine, logOf([weighted], named), { check: "fail" });
    expect([checks.agree, checks.unchecked.map(({ what }) => what)]).toEqual([7, ["f1"]]);
    const wrong = await importBytes(engine, logOf([weighted], { namedScores: { correct: 1.25 } }));
    expect(wrong.checks.differ).toMatchObject([{ scorer_key: "correct", stated: 1.25, computed: 3.75 }]);
  });

  it("does not call tokens wrong that may hold those of the graders", async () => {
    const graded = results.map((one) => ({
      ...one,
      gradingResult: { ...one.gradingResult, tokensUsed: { total: 7 } },
    }));
    const { checks } = await importBytes(engine, logOf([graded], { tokenUsage: { total: 24 } }));
    expect([checks.differ, checks.unchecked.map(({ what }) => what)]).toEqual([[], ["tokenUsage.total"]]);
    const plain = await importBytes(engine, logOf([results], { tokenUsage: { total: 24 } }));
    expect(plain.checks.differ).toMatchObject([{ stat: "tokenUsage.total", stated: 24, computed: 10 }]);
  });

  it("counts errors as failures where it has no count of errors", async () => {
    const failed = { ...result(0, 2, 0), failureReason: 2, error: "no answer" };
    const stated = { ...metrics([...results, failed]), testErrorCount: null, score: 1.25 };
    const log = logOf([[...results, failed]], stated, { successes: 1, failures: 2 });
    const { checks, evaluations } = await importBytes(engine, log, { check: "fail" });
    expect([checks.agree, evaluations[0]?.errors]).toEqual([8, 1]);
  });
});

describe("a run of lm-evaluation-harness with groups", () => {
  const TIME = "2026-03-01T10-00-00.000000";
  const tasks: Record<string, readonly unknown[]> = {
    a: [1, 1, 1, 0],
    b: [1, 0],
    c: [0, 1, 0],
    lists: [[true], [true, false, false], [true, true]],
    pairs: [
      [0, 1],
      [1, 1],
    ],
  };
  const documents = 9;
  // Sums of (n - 1) · n · error² of the tasks, by the variances 1/4, 1/2 and 1/3 of their values.
  const pooled = Math.sqrt((3 * (1 / 4) + 1 * (1 / 2) + 2 * (1 / 3)) / (documents - 3) / documents);
  const write = (group: object, others: object = {}) => {
    const folder = newFolder();
    for (const [task, values] of Object.entries(tasks)) {
      const name = metric(task);
      const lines = values.map((value, i) =>
        JSON.stringify(sampleLine(i, "none", 1, { doc: { task, i }, metrics: [name], [name]: value })),
      );
      writeFileSync(path.join(folder, `samples_${task}_${TIME}.jsonl`), lines.join("\n"));
    }
    const results = {
      results: {
        a: { "acc,none": 0.75, "acc_stderr,none": Math.sqrt(1 / 4 / 4) },
        b: { "acc,none": 0.5, "acc_stderr,none": Math.sqrt(1 / 2 / 2) },
        c: { "acc,none": 1 / 3, "acc_stderr,none": Math.sqrt(1 / 3 / 3) },
        lists: { "inst_acc,none": 4 / 6, "inst_acc_stderr,none": "N/A" },
        pairs: { "f1,none": 0.8 },
        all: { alias: "all", ...group },
      },
      groups: { all: group },
      group_subtasks: { all: ["a", "rest"], rest: ["b", "c"], a: [] },
      configs: Object.fromEntries(Object.keys(tasks).map((task) => [task, { task }])),
      versions: {},
      "n-shot": {},
      config: { model: "hf" },
      date: 1_772_600_000.5,
      model_name: `org/${path.basename(folder)}`,
      ...others,
    };
    writeFileSync(path.join(folder, `results_${TIME}.json`), JSON.stringify(results));
    return folder;
  };
  const imported = async (group: object, others: object = {}) => {
    const [first] = await engine.importEvaluations(write(group, others), { project: PROJECT });
    if (first === undefined) throw new Error("nothing was imported");
    return first;
  };

  it.each([
    ["over documents", 5 / 9, {}],
    ["over tasks", (0.75 + 0.5 + 1 / 3) / 3, {}],
  ])("agrees with means %s and their pooled error", async (_, mean, others) => {
    const { checks } = await imported({ "acc,none": mean, "acc_stderr,none": pooled }, others);
    expect([checks.agree, checks.differ]).toEqual([9, []]);
  });

  it("differs where a mean or an error is neither, or is not made as the log says", async () => {
    const wrong = await imported({ "acc,none": 0.6, "acc_stderr,none": 0.3 });
    expect(wrong.checks.differ).toMatchObject([
      { stat: "all mean", stated: 0.6, computed: 5 / 9 },
      { stat: "all stderr" },
    ]);
    const configs = {
      ...Object.fromEntries(Object.keys(tasks).map((task) => [task, {}])),
      all: { aggregate_metric_list: [{ metric: "acc", weight_by_size: false }] },
    };
    const other = await imported({ "acc,none": 5 / 9 }, { configs });
    expect(other.checks.differ).toMatchObject([{ stat: "all mean", stated: 5 / 9 }]);
  });

  it("is not checked where a task of the group has no samples", async () => {
    const subtasks = { all: ["a", "b", "gone"] };
    const { checks } = await imported({ "acc,none": 0.1 }, { group_subtasks: subtasks });
    expect([checks.differ, checks.unchecked.map(({ what }) => what)]).toEqual([[], ["pairs f1,none", "all"]]);
  });

  it("gives the mean of a document's list as its score, but not of what a figure of the task is made of", async () => {
    const { evaluations } = await imported({});
    const byTask = new Map(evaluations.map((one) => [one.task, one]));
    expect([byTask.get("lists")?.scorers, byTask.get("pairs")?.scorers]).toEqual([["inst_acc"], []]);
    const { summary } = await answerOf(engine, byTask.get("lists")?.evaluation_call_id ?? "");
    expect(JSON.stringify(summary)).toContain(`"numeric_mean":${7 / 9}`);
  });

  it("keeps the groups above each task as attributes of its evaluation", async () => {
    const { evaluations } = await imported({});
    const rest = new Set(
      evaluations.filter(({ task }) => "bc".includes(task ?? "a")).map((one) => one.evaluation_call_id),
    );
    const { entries } = await engine.leaderboard(PROJECT, {
      where: { "attributes.evalcube.groups.rest": true },
    });
    const found = entries.map((one) => one.evaluation_call_id);
    expect(found.filter((id) => rest.has(id))).toHaveLength(2);
    expect(found.every((id) => id.startsWith("lm-eval:"))).toBe(true);
  });
});

describe("a log of OpenAI Evals whose grader gives a choice", () => {
  it("has the choice as a text score, and other texts that the report counts", async () => {
    const report = {
      "counts/choice/A": 2,
      "counts/choice/B": 1,
      "counts/choice/C": 0,
      "counts/tone/dry": 3,
      "counts/A": 2,
    };
    const { checks, evaluations } = await importBytes(engine, choicesLog(report), { check: "fail" });
    expect([checks.agree, evaluations[0]?.scorers]).toEqual([5, ["choice", "tone", "score"]]);
    const { rows } = await answerOf(engine, "openai-evals:r");
    const scores = rows.map((row) => row.evaluations[0]?.trials[0]?.scores);
    expect(scores).toContainEqual({ choice: "B", tone: "dry", score: 1 });
  });

  it("differs where a count is wrong, and leaves alone what it does not know", async () => {
    const { checks } = await importBytes(
      engine,
      choicesLog({ "counts/choice/A": 3, "score/std": 0.3, "score/mean": 1 }),
    );
    expect(checks).toMatchObject({
      agree: 1,
      differ: [{ scorer_key: "choice", stat: "counts/choice/A", stated: 3, computed: 2 }],
      unchecked: [{ what: "score/std" }],
    });
  });
});
