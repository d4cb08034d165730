import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const FEW = 73;
const MANY = 7;

/** The trials of each row: 73 rows have three known ones, 7 have eight; the first pass as often as the row's number says. */
const ROWS = Array.from({ length: FEW + MANY }, (_, row) =>
  Array.from({ length: row < FEW ? 3 : 8 }, (__, i) => i < row % 4),
);

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-pass-k-"));
const db = path.join(folder, "tries.duckdb");
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ path: db });
  await engine.ingestCalls([
    root("tries", { display_name: "tries" }),
    ...ROWS.flatMap((own, row) =>
      own.map((correct, i) => trial(`t-${row}-${i}`, { row }, { correct }, { parent_id: "tries" })),
    ),
    root("lost", { display_name: "lost" }),
    ...[
      [true, null],
      [false, true],
      ["failed", true],
    ].flatMap((own, row) =>
      own.map((correct, i) =>
        trial(`l-${row}-${i}`, { row }, correct === "failed" ? {} : { correct }, {
          parent_id: "lost",
          ...(correct === "failed" ? { exception: "503", output: null } : {}),
        }),
      ),
    ),
  ]);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function ask(
  pass_k: EvalResultsRequest["pass_k"],
  evaluation = "tries",
  more: EvalResultsRequest = {},
) {
  const { summary, warnings } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [evaluation],
    include_rows: false,
    include_summary: true,
    pass_k,
    ...more,
  });
  return { stats: summary?.evaluations[0]?.scorer_stats[0], warnings };
}

async function passesOf(more: EvalResultsRequest) {
  const { stats } = await ask([2], "lost", more);
  return [stats?.pass_k_row_count?.[2], stats?.pass_at_k?.[2], stats?.pass_hat_k?.[2]];
}

/** The share of the ways to draw k trials in which one passes, or all do: counted one by one, over rows with `least` trials. */
function counted(rows: readonly (readonly boolean[])[], k: number, least: number, all: boolean): number {
  const kept = rows.filter((own) => own.length >= least);
  const shares = kept.map((own) => {
    const draws = drawsOf(own, k);
    return draws.filter((draw) => (all ? draw.every(Boolean) : draw.some(Boolean))).length / draws.length;
  });
  return shares.reduce((sum, one) => sum + one, 0) / shares.length;
}

function drawsOf(own: readonly boolean[], k: number): boolean[][] {
  if (k === 0) return [[]];
  return own.flatMap((one, i) => drawsOf(own.slice(i + 1), k - 1).map((rest) => [one, ...rest]));
}

describe("pass@k and pass^k of several k", () => {
  it("are all over the rows with as many known trials as the largest k", async () => {
    const { stats, warnings } = await ask([8, 1, 3]);
    expect(stats?.pass_k_row_count).toEqual({ 1: MANY, 3: MANY, 8: MANY });
    for (const k of [1, 3, 8]) {
      expect(stats?.pass_at_k?.[k]).toBeCloseTo(counted(ROWS, k, 8, false), 12);
      expect(stats?.pass_hat_k?.[k]).toBeCloseTo(counted(ROWS, k, 8, true), 12);
    }
    expect(warnings).toEqual([
      '"tries", correct: pass@k is over 7 of 80 rows, those with 8 known trials or more; k up to 3 keeps 80',
    ]);
  });

  it("leave no row out where all have the trials, and say nothing then", async () => {
    const { stats, warnings } = await ask([1, 3]);
    expect(stats?.pass_k_row_count).toEqual({ 1: 80, 3: 80 });
    expect(stats?.pass_at_k?.[1]).toBeCloseTo(counted(ROWS, 1, 1, false), 12);
    expect(warnings).toEqual([]);
  });

  it("are null where no row has so many, and the note says up to which k there are some", async () => {
    const { stats, warnings } = await ask([1, 9]);
    expect(stats).toMatchObject({ pass_at_k: { 1: null, 9: null }, pass_k_row_count: { 1: 0, 9: 0 } });
    expect(warnings).toEqual([
      '"tries", correct: pass@k is over 0 of 80 rows, those with 9 known trials or more; k up to 3 keeps 80',
    ]);
  });

  it("go up to the trials of nine in ten rows where k are left to the answer", async () => {
    const { stats, warnings } = await ask("auto");
    expect(stats?.pass_k_row_count).toEqual({ 1: 80, 2: 80, 3: 80 });
    expect(warnings).toEqual([]);
  });

  it("have trials that failed or have no verdict where these count", async () => {
    expect(await passesOf({})).toEqual([1, 1, 0]);
    expect(await passesOf({ count_nulls_as: 0 })).toEqual([2, 1, 0]);
    expect(await passesOf({ count_errors_as: 1, count_nulls_as: 0 })).toEqual([3, 1, 1 / 3]);
  });

  it("tell the rows beside the figures, in tables and in the report", async () => {
    await engine.close();
    const request = {
      evaluation_call_ids: ["tries"],
      include_rows: false,
      include_summary: true,
      pass_k: [1, 8],
      include_uncertainty: true,
    };
    const table = await evalcubeHere(
      ["query", "--db", db, "--format", "table", "-"],
      JSON.stringify(request),
    );
    expect(table.stderr).toContain('"tries", correct: pass@k is over 7 of 80 rows');
    expect(table.stdout).toMatch(/tries +correct +1 .*7 of 80 rows\n.* 8 .*7 of 80 rows/);
    const page = async (...more: string[]) => {
      const out = path.join(folder, `report${more.length}.html`);
      await evalcubeHere(["report", "--db", db, "--evaluation", "tries", "--out", out, ...more]);
      return readFileSync(out, "utf8");
    };
    expect(await page("--pass-k", "1,8")).toContain("7 of 80 rows");
    expect(await page()).not.toContain("of 80 rows");
  });
});
