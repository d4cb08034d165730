import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { answerOf, importBytes, importFile, PROJECT, recordCount } from "./imports.ts";
import { lmEvalResults, oldLine, sampleLine, writeRun } from "./lm-eval-logs.ts";
import { importedTwice, newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

const LOGS = fileURLToPath(new URL("peer-logs/lm-eval/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;

describe.skipIf(missing !== null)(`real logs of lm-evaluation-harness${because(missing)}`, () => {
  it("agree with their own figures, and change nothing when they are imported again from elsewhere", async () => {
    const first = await importedTwice(engine, LOGS, newFolder());
    expect(first.map(({ checks }) => [checks.agree, checks.differ])).toEqual([
      [10, []],
      [0, []],
    ]);
    expect(
      first.flatMap(({ evaluations }) => evaluations.map(({ model, trials }) => [model, trials])),
    ).toEqual([
      ["dummy", 6],
      ["dummy", 6],
      ["RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1", 10],
    ]);
  });
});

describe("a run of lm-evaluation-harness", () => {
  const twoFilters = [
    ...[0, 1, 2].map((id) => sampleLine(id, "strict", id === 0 ? 1 : 0)),
    ...[0, 1, 2].map((id) => sampleLine(id, "loose", 1, { exact_match: id < 2 })),
  ];
  const stated = {
    "exact_match,strict": 1 / 3,
    "exact_match_stderr,strict": 1 / 3,
    "exact_match,loose": 2 / 3,
    "exact_match_stderr,loose": "N/A",
  };

  it("becomes a trial a document, with a score a filter, as its figures say", async () => {
    const file = writeRun(newFolder(), lmEvalResults(stated), twoFilters);
    const imported = await importFile(engine, file);
    expect(imported).toMatchObject({
      format: "lm-eval",
      tool_version: "0.4.9",
      evaluations: [{ task: "sums", model: "org/small", rows: 3, trials: 3 }],
      checks: { agree: 3, differ: [], unchecked: [] },
    });
    const { rows, summary } = await answerOf(engine, imported.evaluations[0]?.evaluation_call_id ?? "");
    const trials = rows.map((row) => row.evaluations[0]?.trials[0]);
    expect(trials.map((trial) => trial?.scores)).toContainEqual({
      "exact_match,strict": 1,
      "exact_match,loose": 1,
    });
    expect(trials.map((trial) => trial?.model_output)).toEqual(Array(3).fill("strict a"));
    expect(rows[0]?.raw_data_row).toMatchObject({
      doc: { gold: expect.any(Number) },
      doc_hash: expect.any(String),
    });
    expect(summary?.evaluations[0]).toMatchObject({ display_name: "sums: org/small" });
  });

  it("shares its rows with that of another model, and is another evaluation", async () => {
    const other = {
      model_name: "org/large",
      config: { model: "hf", model_args: { pretrained: "org/large" } },
    };
    const [small, large] = [{}, other].map((others) =>
      writeRun(newFolder(), lmEvalResults(stated, { ...others, date: 1 }), twoFilters),
    );
    const ids = [];
    for (const file of [small, large]) {
      const { evaluations } = await importFile(engine, file ?? "");
      ids.push(evaluations[0]?.evaluation_call_id ?? "");
    }
    const { rows, summary } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2, 2]);
    expect(summary?.evaluations.map((one) => one.display_name)).toEqual([
      "sums: org/small",
      "sums: org/large",
    ]);
  });

  it("of an old version takes the lines of a document in the order of the filters", async () => {
    const others = {
      configs: {
        sums: {
          filter_list: [{ name: "strict" }, { name: "loose" }],
          metric_list: [{ metric: "exact_match" }],
        },
      },
      date: 2,
    };
    const lines = twoFilters.map((line) => oldLine({ ...line, target: 1, arguments: [["the prompt", {}]] }));
    const imported = await importFile(engine, writeRun(newFolder(), lmEvalResults(stated, others), lines));
    expect(imported).toMatchObject({
      evaluations: [{ trials: 3, scorers: ["exact_match,strict", "exact_match,loose"] }],
      checks: { agree: 3, differ: [] },
    });
  });

  it("keeps what is no number apart: null, NaN, and lists for a metric of the whole task", async () => {
    const metrics = ["exact_match", "bleu", "bypass"];
    const lines = [
      sampleLine(0, "none", null, { metrics, bleu: ["a", "b"], bypass: 1 }),
      JSON.stringify(sampleLine(1, "none", "NAN", { metrics, bleu: ["c", "d"] })).replace('"NAN"', "NaN"),
    ];
    const figures = { "exact_match,none": 0.5, "bleu,none": 12, "bleu_stderr,none": 3 };
    const file = writeRun(newFolder(), lmEvalResults(figures, { date: 3 }), lines);
    const imported = await importFile(engine, file);
    expect(imported.evaluations).toMatchObject([{ scorers: ["exact_match"], errors: 0 }]);
    expect(imported.checks.unchecked.map(({ what }) => what)).toEqual([
      "sums bleu,none",
      "sums bleu_stderr,none",
    ]);
    const [evaluation] = imported.evaluations;
    const { summary } = await answerOf(engine, evaluation?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]?.scorer_stats).toEqual([]);
    const kept = await engine.sql(
      PROJECT,
      `select json_extract_string(output, '$.details.exact_match') noted, json_extract_string(output, '$.details.bleu[0]') bleu
       from calls where parent_id = '${evaluation?.evaluation_call_id}' order by id`,
    );
    expect(kept.toArray().map((row) => ({ ...row }))).toEqual([
      { noted: null, bleu: "a" },
      { noted: "NaN", bleu: "c" },
    ]);
  });

  it("with a line twice counts the later one, and says so", async () => {
    const lines = [sampleLine(0, "none", 0), sampleLine(1, "none", 1), sampleLine(0, "none", 1)];
    const file = writeRun(newFolder(), lmEvalResults({ "exact_match,none": 1 }, { date: 4 }), lines);
    const imported = await importFile(engine, file);
    expect(imported.evaluations).toMatchObject([{ trials: 2 }]);
    expect(imported.notes.join()).toContain("1 lines repeat a document");
    expect(imported.checks).toMatchObject({ agree: 0, differ: [] });
    const { summary } = await answerOf(engine, imported.evaluations[0]?.evaluation_call_id ?? "");
    expect(JSON.stringify(summary?.evaluations[0]?.scorer_stats)).toContain('"numeric_mean":1');
  });

  it.each([
    ["the hash", {}],
    ["the text", { doc_hash: undefined }],
  ])("has two trials of an id that stands for two documents, by %s of these", async (_, hash) => {
    const other = { doc: { question: "another" }, doc_hash: "another", ...hash };
    const lines = ["a", "b"].flatMap((filter, i) => [
      sampleLine(0, filter, 1 - i, hash),
      sampleLine(0, filter, i, other),
    ]);
    const results = lmEvalResults({ "exact_match,a": 0.5, "exact_match,b": 0.5 }, { date: 1_772_600_009 });
    const run = await importFile(engine, writeRun(newFolder(), results, lines), { dryRun: true });
    expect(run).toMatchObject({ evaluations: [{ trials: 2, rows: 2 }], checks: { agree: 2, differ: [] } });
    expect(run.notes.join()).not.toContain("repeat a document");
  });

  it("that states another mean differs, and is refused where differences fail", async () => {
    const file = writeRun(newFolder(), lmEvalResults({ "exact_match,none": 0.25 }, { date: 5 }), [
      sampleLine(0, "none", 1),
    ]);
    const before = await recordCount(engine);
    await expect(importFile(engine, file, { check: "fail" })).rejects.toMatchObject({ code: "check_failed" });
    expect(await recordCount(engine)).toBe(before);
    const { checks } = await importFile(engine, file, { dryRun: true });
    expect(checks.differ).toMatchObject([{ scorer_key: "exact_match", stated: 0.25, computed: 1 }]);
  });

  it("that is cut in a line is refused by its place, or read without it", async () => {
    const lines = [sampleLine(0, "none", 1), JSON.stringify(sampleLine(1, "none", 1)).slice(0, 99)];
    const file = writeRun(newFolder(), lmEvalResults({ "exact_match,none": 1 }, { date: 6 }), lines);
    const before = await recordCount(engine);
    await expect(importFile(engine, file)).rejects.toThrow(
      /results_.*, samples_sums_.*, line 2: is not JSON/,
    );
    expect(await recordCount(engine)).toBe(before);
    const rest = await importFile(engine, file, { onInvalid: "skip" });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 1 }],
      rejected: [{ place: expect.stringMatching(/line 2/) }],
    });
    expect(rest.checks).toMatchObject({ agree: 0, differ: [], unchecked: [{ what: "sums" }] });
  });

  it("without samples is refused, and samples without results need a model", async () => {
    const text = JSON.stringify(lmEvalResults({ "exact_match,none": 1 }));
    await expect(importBytes(engine, text)).rejects.toMatchObject({ code: "no_samples" });
    const lines = [0, 1].map((id) => JSON.stringify(sampleLine(id, "none", 1))).join("\n");
    await expect(importBytes(engine, lines)).rejects.toThrow(/names no model.*--model/);
    const table = { modelName: "m", taskName: "sums" };
    const imported = await importBytes(engine, lines, { table });
    expect(imported).toMatchObject({
      tool_version: null,
      evaluations: [{ task: "sums", model: "m", trials: 2 }],
    });
    // The row of the new sample is stored by another run.
    await importBytes(engine, JSON.stringify(sampleLine(2, "none", 0)), {
      table: { ...table, modelName: "n" },
    });
    const grown = await importBytes(engine, `${lines}\n${JSON.stringify(sampleLine(2, "none", 0))}`, {
      table,
    });
    expect([grown.received, grown.unchanged, grown.stored]).toEqual([7, 5, 2]);
  });

  it("takes the name of a nameless run from the kind of its model", async () => {
    const others = { model_name: "x8f3k2p1", config: { model: "dummy", model_args: {} }, date: 7 };
    const groups = { results: { sums: {}, all: { "exact_match,none": 1 } } };
    const file = writeRun(newFolder(), lmEvalResults({}, { ...others, ...groups }), [
      sampleLine(0, "none", 1),
    ]);
    const imported = await importFile(engine, file);
    expect(imported.evaluations).toMatchObject([{ model: "dummy" }]);
    expect(imported.checks.unchecked).toMatchObject([{ what: "all", why: expect.stringContaining("group") }]);
  });

  it("keeps the group of its tasks, which a leaderboard pools to the figures that it states", async () => {
    const folder = newFolder();
    const time = "2026-03-01T10-00-00.000000";
    const values = { a: [1, 1, 1, 0], b: [1, 0], c: [1, 0, 0] };
    for (const [task, list] of Object.entries(values)) {
      const lines = list.map((score, i) =>
        JSON.stringify(sampleLine(i, "none", score, { doc: { task, i } })),
      );
      writeFileSync(path.join(folder, `samples_${task}_${time}.jsonl`), `${lines.join("\n")}\n`);
    }
    const names = Object.keys(values);
    const each = (of: (name: string) => unknown) => Object.fromEntries(names.map((one) => [one, of(one)]));
    const group = {
      "exact_match,none": 0.5555555555555556,
      "exact_match_stderr,none": 0.18839805508681304,
    };
    const results = lmEvalResults(
      {},
      {
        results: {
          ...each((alias) => ({ alias, "exact_match,none": average(values[alias as "a"]) })),
          all: group,
        },
        groups: { all: group },
        group_subtasks: { all: names },
        configs: each((task) => ({ task })),
        versions: each(() => 1),
        "n-shot": each(() => 0),
        model_name: "org/grouped",
      },
    );
    const file = path.join(folder, `results_${time}.json`);
    writeFileSync(file, JSON.stringify(results));
    const imported = await importFile(engine, file);
    expect(imported.checks).toMatchObject({ differ: [] });
    const where = { "attributes.evalcube.groups.all": true, model: "org/grouped" };
    const pooled = async (weights: "rows" | "tasks") => {
      const { entries } = await engine.leaderboard(PROJECT, { by: "model", where, weights });
      expect(entries).toMatchObject([{ model: "org/grouped", task_count: 3, row_count: 9 }]);
      return entries[0]?.scores[0];
    };
    const [rows, tasks] = [await pooled("rows"), await pooled("tasks")];
    expect(rows?.row_mean).toBeCloseTo(group["exact_match,none"], 12);
    expect(rows?.standard_error).toBeCloseTo(group["exact_match_stderr,none"], 12);
    expect(tasks?.row_mean).toBeCloseTo((3 / 4 + 1 / 2 + 1 / 3) / 3, 12);
    expect(tasks?.standard_error).toBeCloseTo(Math.sqrt(1 / 16 + 1 / 4 + 1 / 9) / 3, 12);
  });
});

function average(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}
