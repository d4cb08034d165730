import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest, type ExportOptions } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";
import { importBytes, importFile, PROJECT, recordCount } from "./imports.ts";

/** The calls of an evaluation with one trial a row, whose scores are given by row. */
function run(id: string, scores: Readonly<Record<string, unknown>>) {
  const shared = { project_id: PROJECT, started_at: "2026-01-31T12:00:00Z", trace_id: id };
  const trials = Object.entries(scores).map(([question, correct]) => ({
    ...shared,
    id: `${id}/${question}`,
    parent_id: id,
    op_name: "Evaluation.predict_and_score",
    inputs: { model: id, example: { question } },
    output: { output: `-${question}`, scores: { correct, "=sum": 1 }, details: { why: "because" } },
  }));
  const evaluation = {
    ...shared,
    id,
    op_name: "Evaluation.evaluate",
    display_name: id,
    ended_at: shared.started_at,
  };
  return [{ ...evaluation, inputs: { self: "quiz", model: id } }, ...trials];
}

async function withEngine<T>(
  work: (engine: Engine) => Promise<T>,
  ...runs: readonly ReturnType<typeof run>[]
) {
  const engine = await openEngine({ threads: 1 });
  for (const calls of runs) await engine.ingestCalls(calls);
  return await work(engine).finally(() => engine.close());
}

async function exported(
  engine: Engine,
  ids: readonly string[],
  others: Partial<EvalResultsRequest> = {},
  writing: Partial<ExportOptions> = {},
): Promise<string> {
  const { format = "csv" } = writing;
  const file = path.join(scratchFolder(), `trials.${format}`);
  const rows = { include_raw_data_rows: true, resolve_row_refs: true };
  const request = { evaluation_call_ids: ids, ...rows, ...others };
  await engine.exportResults(PROJECT, request, { ...writing, format, path: file });
  return file;
}

async function answers(engine: Engine, ...ids: string[]) {
  return await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_summary: true,
  });
}

async function digestsIn(engine: Engine): Promise<readonly string[]> {
  return (await answers(engine, "small")).rows.map(({ row_digest: digest }) => digest);
}

/** A cell of CSV, in quotes where it needs them. */
function written(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const SMALL = run("small", { a: true, b: false, c: null });
const LARGE = run("large", { b: true, c: true, d: true });

it("an export tells beside the table what its figures are made of", async () => {
  const calls = run("small", { a: true, b: null });
  const failed = { ...calls[2], output: null };
  await withEngine(
    async (engine) => {
      const file = await exported(engine, ["small"], {}, { format: "jsonl" });
      const records = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
      const ofRun = {
        evaluation_name: "small",
        evaluation_ref: "quiz",
        model: "small",
        started_at: "2026-01-31T12:00:00.000000Z",
        ended_at: "2026-01-31T12:00:00.000000Z",
        dataset_ref: null,
        started_after_seconds: 0,
      };
      const [a, b] = records.toSorted(
        (one, other) => JSON.stringify(other).length - JSON.stringify(one).length,
      );
      expect(a).toMatchObject({
        ...ofRun,
        error: null,
        details: '{"why":"because"}',
        raw_data_row: '{"question":"a"}',
      });
      expect(b).toMatchObject({ ...ofRun, error: "no output", details: null, "scores.correct": null });
      expect(a).not.toHaveProperty("null_scores");
      const bare = await exported(engine, ["small"], {}, { format: "jsonl", details: false });
      expect(readFileSync(bare, "utf8")).not.toContain("details");
    },
    calls.slice(0, 2),
    [failed as never],
  );
});

describe("an export that is imported", () => {
  it("of a part, then of the whole, gives the whole", async () => {
    const [part, whole, expected] = await withEngine(
      async (engine) => [
        await exported(engine, ["small"], {
          filters: [{ query: { $expr: { $eq: [{ $getField: "inputs.question" }, { $literal: "b" }] } } }],
        }),
        await exported(engine, ["small"]),
        await answers(engine, "small"),
      ],
      SMALL,
    );
    await withEngine(async (engine) => {
      expect((await importFile(engine, part)).evaluations).toMatchObject([{ trials: 1, rows: 1 }]);
      const { notes } = await importFile(engine, whole);
      expect(notes).toEqual(["1 of 3 trials are stored already; they stay"]);
      expect(await answers(engine, "small")).toEqual(expected);
    });
  });

  it("of two databases that share rows gives the same in either order", async () => {
    const small = await withEngine((engine) => exported(engine, ["small"]), SMALL);
    const large = await withEngine((engine) => exported(engine, ["large"], {}, { format: "parquet" }), LARGE);
    const expected = await withEngine((engine) => answers(engine, "small", "large"), SMALL, LARGE);
    for (const files of [
      [small, large],
      [large, small],
    ])
      await withEngine(async (engine) => {
        for (const file of files) await importFile(engine, file);
        expect(await answers(engine, "small", "large")).toEqual(expected);
      });
  });

  it("shares rows by their digests where it does not hold them", async () => {
    const file = await withEngine(
      (engine) => exported(engine, ["small"], { include_raw_data_rows: false }),
      SMALL,
    );
    await withEngine(async (engine) => {
      await importFile(engine, file);
      const { total_rows: shared } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["small", "large"],
        require_intersection: true,
      });
      expect(shared).toBe(2);
    }, LARGE);
  });

  it("does not bring back what was deleted", async () => {
    await withEngine(async (engine) => {
      const file = await exported(engine, ["small"]);
      await engine.deleteCalls(PROJECT, ["small"]);
      const before = await recordCount(engine);
      const { stored, notes } = await importFile(engine, file);
      expect([stored, notes]).toEqual([0, ["3 of 3 trials were deleted here, and stay so"]]);
      expect(await recordCount(engine)).toBe(before);
      expect(await engine.listEvaluations(PROJECT)).toEqual([]);
    }, SMALL);
  });

  it("tells trials that are stored with other scores, and leaves them as they are", async () => {
    const file = await withEngine(
      (engine) => exported(engine, ["small"]),
      run("small", { a: false, b: false, c: null }),
    );
    await withEngine(async (engine) => {
      const before = await answers(engine, "small");
      expect(await importFile(engine, file)).toMatchObject({
        stored: 0,
        notes: [
          "0 stored: all 3 trials are stored already",
          "1 stored trial has another output or other scores than here; what is stored stays",
        ],
      });
      expect(await answers(engine, "small")).toEqual(before);
    }, SMALL);
  });

  it("is imported into another project under the same ids", async () => {
    await withEngine(async (engine) => {
      const file = await exported(engine, ["small"]);
      const [result] = await engine.importEvaluations(file, { project: "acme/copy" });
      expect(result).toMatchObject({
        unchanged: 0,
        evaluations: [{ evaluation_call_id: "small", task: "quiz" }],
      });
      expect(await engine.leaderboard("acme/copy", {})).toEqual(await engine.leaderboard(PROJECT, {}));
    }, SMALL);
  });

  it("that was written for spreadsheets is imported, and says less", async () => {
    await withEngine(async (engine) => {
      const file = await exported(engine, ["small"], {}, { csvSafe: true });
      await withEngine(async (fresh) => {
        await importFile(fresh, file);
        expect(await digestsIn(fresh)).toEqual(await digestsIn(engine));
      });
    }, SMALL);
  });

  it("is read from what another program made of its CSV", async () => {
    await withEngine(async (engine) => {
      const file = await exported(engine, ["small"], { include_raw_data_rows: false }, { details: false });
      const cells: string[][] = parse(readFileSync(file));
      const lines = cells.map((line) =>
        line.map((cell) => written(cell.replace(/^true$/, "TRUE"))).join(","),
      );
      writeFileSync(file, `\uFEFF${lines.join("\n")}`);
      await withEngine(async (fresh) => {
        await importFile(fresh, file);
        expect((await answers(fresh, "small")).summary).toEqual((await answers(engine, "small")).summary);
      });
    }, SMALL);
  });

  it("has a refused record named with its place and column, and skipped if asked for", async () => {
    const head = "row_digest,evaluation_call_id,trial_index,details,scores.correct\n";
    await withEngine(async (engine) => {
      const asked = importBytes(engine, `${head}r,e,0,"{",true\n`, {}, "t.csv");
      await expect(asked).rejects.toThrow(/t\.csv, record 1, details: is not JSON/);
      await expect(importBytes(engine, `${head}r,e,-1,,true\n`)).rejects.toThrow(
        "record 1, trial_index: is -1; a whole number of at least 0 is allowed",
      );
      await expect(importBytes(engine, `${head},e,0,,true\n`)).rejects.toThrow(
        "record 1, row_digest: is empty",
      );
      const some = await importBytes(engine, `${head},e,0,,true\nr,e,0,,true\nr,e,1\n`, {
        onInvalid: "skip",
      });
      expect(some.rejected).toHaveLength(2);
      expect((await answers(engine, "e")).summary.evaluations).toMatchObject([{ trial_count: 1 }]);
    });
  });

  it("says that roles of columns are not used, and is a table where that is asked for", async () => {
    await withEngine(async (engine) => {
      const file = await exported(engine, ["small"]);
      const { notes } = await importFile(engine, file, { table: { modelName: "m" }, dryRun: true });
      expect(notes).toContain("an export tells the roles of its columns; not used: modelName");
      const table = { row: "row_digest", score: "scores.correct" };
      const asTable = await importFile(engine, file, { format: "table", table, dryRun: true });
      expect(asTable).toMatchObject({ format: "table", evaluations: [{ trials: 3 }] });
    }, SMALL);
  });
});
