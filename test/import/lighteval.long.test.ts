import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf, importBytes, importFile, PROJECT, recordCount } from "./imports.ts";
import { damaged } from "./damage.ts";
import {
  detail,
  lightevalResults,
  TIME,
  writeDetails,
  writeLightevalRun,
  writeParquet,
} from "./lighteval-logs.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();

/** Two documents, each asked in two ways. */
const TWICE = [
  ...[0, 1].map((id) => detail(id, { em: id, bleu: { golds: ["yes"], preds: ["no"] } })),
  ...[1, 0].map((id) =>
    detail(id, { acc: 1 }, { text: [], input: null, input_tokens: [], output_tokens: [] }),
  ),
];
const STATED = { em: 0.5, em_stderr: 0.5, acc: 1, acc_stderr: 0, bleu: 12, bleu_stderr: 3 };

describe("a run of lighteval", () => {
  it("becomes a trial a document with the scores of all ways of asking, as its figures say", async () => {
    const folder = newFolder();
    await writeLightevalRun(folder, TWICE, lightevalResults(STATED, 2));
    const results = await engine.importEvaluations(folder, { project: PROJECT });
    expect(results).toMatchObject([
      {
        format: "lighteval",
        evaluations: [
          {
            task: "quiz|0",
            model: "org/small",
            started_at: "2026-03-04T05:06:07.000089Z",
            rows: 2,
            trials: 2,
          },
        ],
        checks: {
          agree: 5,
          differ: [],
          unchecked: [{ what: "quiz|0 bleu" }, { what: "quiz|0 bleu_stderr" }],
        },
        notes: [expect.stringContaining("counts as UTC")],
      },
    ]);
    const { rows, summary } = await answerOf(engine, results[0]?.evaluations[0]?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]).toMatchObject({ display_name: "quiz|0: org/small" });
    const row = rows.find((one) => JSON.stringify(one.raw_data_row).includes("Question 1"));
    expect(row?.raw_data_row).toEqual({
      query: "Question 1?",
      choices: ["yes", "no"],
      gold_index: 1,
      specific: { level: 1 },
      task_name: "quiz|0",
    });
    expect(row?.evaluations[0]?.trials).toMatchObject([
      { model_output: "yes", scores: { em: 1, acc: 1 }, total_tokens: 5 },
    ]);
  });

  it("shares its rows with that of another model, also where documents have other members", async () => {
    const ids: string[] = [];
    for (const [model, others] of [
      ["org/first", {}],
      ["large", { level: 2, hint: "h" }],
    ] as const) {
      const records = [detail(0, { em: 1 }), detail(2, { em: 0 }, {}, { specific: { level: 2, ...others } })];
      const file = await writeLightevalRun(
        newFolder(),
        records.slice(0, model === "large" ? 2 : 1),
        null,
        model,
      );
      const { evaluations } = await importFile(engine, file, { table: { modelName: model } });
      ids.push(evaluations[0]?.evaluation_call_id ?? "");
    }
    const { rows } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  it("changes nothing when it is imported again from elsewhere, with its results above it or without", async () => {
    const folder = newFolder();
    const results = lightevalResults({ em: 1 }, 1, "org/again");
    const file = await writeLightevalRun(folder, [detail(0, { em: 1 })], results, "org/again");
    const first = await importFile(engine, file);
    expect(first.checks).toMatchObject({ agree: 2, differ: [] });
    const copy = newFolder();
    mkdirSync(path.join(copy, TIME));
    copyFileSync(file, path.join(copy, TIME, path.basename(file)));
    const lonely = path.join(copy, TIME, path.basename(file));
    await expect(importFile(engine, lonely)).rejects.toMatchObject({
      code: "ambiguous_mapping",
      message: expect.stringContaining("--model"),
    });
    const named = await importFile(engine, lonely, { table: { modelName: "org/again" }, dryRun: true });
    expect(named.evaluations[0]?.evaluation_call_id).toBe(first.evaluations[0]?.evaluation_call_id);
    writeFileSync(path.join(copy, `results_${TIME}.json`), JSON.stringify(results));
    const again = await importFile(engine, lonely);
    expect([again.stored, again.unchanged, again.checks.agree]).toEqual([0, first.received, 2]);
  });

  it("keeps what is no number apart, and takes a repeated document as another trial", async () => {
    const file = path.join(newFolder(), `details_quiz|0_${TIME}.parquet`);
    const made = path.join(newFolder(), "made.parquet");
    await writeDetails(made, [detail(0, { em: 1 }), detail(0, { em: 2 })]);
    await writeParquet(
      file,
      `SELECT doc, {'f1': 'nan'::DOUBLE, 'passes': [1, 0], 'em': metric.em, 'none': NULL::DOUBLE} AS metric, model_response
       FROM '${made}'`,
    );
    const { evaluations } = await importFile(engine, file, { table: { modelName: "m" } });
    expect(evaluations).toMatchObject([{ rows: 1, trials: 2, scorers: ["f1", "passes", "em"] }]);
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(rows[0]?.evaluations[0]?.trials.map((trial) => trial.scores)).toEqual([
      { f1: null, passes: { "0": 1, "1": 0 }, em: 1 },
      { f1: null, passes: { "0": 1, "1": 0 }, em: 2 },
    ]);
  });

  it("that states another mean is refused where differences fail; with other documents it is not compared", async () => {
    const file = await writeLightevalRun(
      newFolder(),
      [detail(0, { em: 1 })],
      lightevalResults({ em: 0.25 }, 1),
    );
    await expect(importFile(engine, file, { check: "fail" })).rejects.toThrow(/states em mean 0\.25, .* 1/);
    const part = await writeLightevalRun(
      newFolder(),
      [detail(0, { em: 1 })],
      lightevalResults({ em: 0.25 }, 9),
    );
    const { checks, notes } = await importFile(engine, part, { dryRun: true });
    expect(checks).toMatchObject({
      agree: 0,
      differ: [],
      unchecked: [{ why: "1 of 9 documents were read" }],
    });
    expect(notes).toContain("quiz|0: 1 of 9 documents were read");
  });

  it("is needed: results alone are refused", async () => {
    const text = JSON.stringify(lightevalResults({ em: 1 }, 1));
    await expect(importBytes(engine, text)).rejects.toMatchObject({ code: "no_samples" });
  });
});

describe("a details file of lighteval", () => {
  it("with a document that has no question is refused by its place, or read without it", async () => {
    const records = [detail(0, { em: 1 }), detail(1, { em: 1 }, {}, { query: null })];
    const file = await writeLightevalRun(newFolder(), records, lightevalResults({ em: 1 }, 2));
    const before = await recordCount(engine);
    await expect(importFile(engine, file)).rejects.toThrow(/record 2, doc\.query: is not a text/);
    expect(await recordCount(engine)).toBe(before);
    const rest = await importFile(engine, file, { onInvalid: "skip", dryRun: true });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 1 }],
      rejected: [{ place: "record 2, doc.query" }],
      checks: { agree: 0, differ: [] },
    });
  });

  it("that is damaged is read, or stores nothing and says so in one line", async () => {
    const file = await writeLightevalRun(newFolder(), TWICE, null);
    const bytes = readFileSync(file);
    const table = { modelName: "damaged" };
    expect((await importBytes(engine, bytes, { table, dryRun: true })).format).toBe("lighteval");
    for (const kind of ["cut", "flip"] as const) {
      for (const changed of damaged(bytes, 5, kind)) {
        const before = await recordCount(engine);
        const ended: unknown = await importBytes(engine, changed, { table }).catch((error: unknown) => error);
        if (!(ended instanceof Error)) continue;
        expect([ended.name, /^log[,:] [^\n]+$/.test(ended.message)]).toEqual(["ImportError", true]);
        expect(await recordCount(engine)).toBe(before);
      }
    }
  });

  it("is known by its columns, and by nothing that looks like them", async () => {
    const folder = newFolder();
    const formatOf = async (select: string) => {
      const file = path.join(folder, "columns.parquet");
      await writeParquet(file, `SELECT ${select}`);
      const table = { score: "x", row: "id", modelName: "m" };
      return (await importFile(engine, file, { table, dryRun: true })).format;
    };
    const struct = "{'query': 'q', 'metric': {'model_response': 2}}";
    const named = "1 AS id, 0.5 AS x";
    expect(await formatOf(`${struct} AS doc, {'em': 1} AS metric, {'text': ['a']} AS model_response`)).toBe(
      "lighteval",
    );
    for (const metric of ["[{'em': 1}]", "MAP {'em': 1}", "'{}'"])
      expect(
        await formatOf(`${named}, ${struct} AS doc, ${metric} AS metric, {'text': ['a']} AS model_response`),
      ).toBe("table");
    expect(await formatOf(`${named}, ${struct} AS "doc, metric, model_response"`)).toBe("table");
  });
});
