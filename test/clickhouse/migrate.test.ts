import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import { copyTo, type OpenDatabase } from "../../src/engine/copy-database.ts";
import { PROJECT, temporaryFolder } from "../cli/command.ts";
import { scratchOnShards, sharedCluster, sharedShards } from "../support/clickhouse-cluster.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const open: OpenDatabase = openBackend;
type Database = Awaited<ReturnType<OpenDatabase>>;
const coreOf = (database: Database) => createCore(database, { keepAnswers: false });

const TIME = "2026-01-31T12:00:0";
const base = { project_id: PROJECT, trace_id: "t" };
const start = (id: string, op_name: string, members = {}) => ({
  ...base,
  id,
  op_name,
  started_at: `${TIME}0Z`,
  ...members,
});
const end = (id: string, members = {}) => ({ ...base, id, ended_at: `${TIME}2Z`, ...members });
const TRIAL = "Evaluation.predict_and_score";
const row = (n: number) => `svc:///${PROJECT}/object/rows:v1/attr/rows/id/${"d".repeat(42)}${n}`;

function trial(id: string, evaluation: string, example: unknown, scores: unknown, members = {}) {
  const output = { output: `answer of ${id}`, scores, model_latency: { mean: 0.25 } };
  return start(id, TRIAL, {
    parent_id: evaluation,
    inputs: { example, model: "m" },
    output,
    ended_at: `${TIME}3Z`,
    ...members,
  });
}

/** Records whose spelling matters. */
const TEXTS = [
  `{"project_id":"${PROJECT}","id":"odd","op_name":"${TRIAL}","started_at":"${TIME}1Z","parent_id":"a","inputs":{"example":{"n":1.10,"long":123456789012345678901234567890}},"output":{"output":{"x":1e400,"y":-0,"t":"\\ue000\\ud800"},"scores":{"points":12345678901234567890,"deep":{"list":[1,2.50]}}}}`,
];
const ROWS = [
  `{"project_id":"${PROJECT}","digest":"${"d".repeat(42)}1","val":{"q":"one","weight":1.0}}`,
  `{"project_id":"${PROJECT}","digest":"${"d".repeat(42)}2","val":{"q":"two","weight":98765432109876543210}}`,
];

/** Loads that leave something of every kind: merged, moved, late, hidden, renamed, waiting. */
async function fill(database: Database): Promise<void> {
  const core = coreOf(database);
  await core.storeRows(ROWS);
  await core.ingestCalls([
    start("a", "Evaluation.evaluate", { inputs: { model: "m", self: "set" }, display_name: "first" }),
    start("b", "Evaluation.evaluate", { inputs: { model: "m2", self: "set" } }),
    ...[1, 2].flatMap((n) => [
      trial(`a${n}`, "a", row(n), { correct: n === 1, judge: { score: n / 3, why: null } }),
      trial(`b${n}`, "b", row(n), { correct: true, label: `text ${n}` }),
    ]),
    trial("inline", "b", { q: "three" }, { correct: 0 }),
    trial("moved", "hidden-above", row(1), { correct: false }),
    start("hidden-above", "Evaluation.evaluate"),
    trial("gone", "b", row(2), { correct: false }),
  ]);
  await core.storeParts(TEXTS);
  await core.storeParts(
    [
      start("predict", "Model.predict", { parent_id: "a1" }),
      end("predict", { summary: { usage: { m: { total_tokens: 17 } } } }),
      start("late", "judge.score", { parent_id: "a2", attributes: { svc: { score: true, scorer: "late" } } }),
      end("late", { output: { value: 0.5 } }),
      end("waits", { output: { output: "o", scores: { correct: true } } }),
      { ...base, id: "b", display_name: "renamed" },
      end("b", { display_name: "name of an end" }),
      { ...base, id: "not-yet", display_name: "named before it starts" },
    ].map((one) => JSON.stringify(one)),
  );
  await core.deleteCalls(PROJECT, ["hidden-above", "gone"]);
  // Hidden for good, although what it is below now is not.
  await core.ingestCalls([{ ...base, id: "moved", parent_id: "a" }]);
  await core.ingestCalls([
    trial("a2", "a", row(2), { correct: true, judge: { score: 0.125 } }),
    end("a", { exception: "stopped" }),
  ]);
}

/** What comes when the database was copied. */
async function goOn(database: Database): Promise<void> {
  const core = coreOf(database);
  await core.storeParts(
    [
      start("waits", TRIAL, { parent_id: "b", inputs: { example: row(1) } }),
      start("not-yet", "Evaluation.evaluate", { display_name: "not this" }),
      start("b", "Evaluation.evaluate", { display_name: "nor this" }),
      trial("below", "hidden-above", row(1), { correct: true }),
      trial("more", "not-yet", row(1), { correct: true }),
    ].map((one) => JSON.stringify(one)),
  );
}

async function answers(database: Database): Promise<unknown> {
  const core = coreOf(database);
  const request = {
    evaluation_call_ids: ["a", "b", "not-yet"],
    include_summary: true,
    include_uncertainty: true,
    include_raw_data_rows: true,
  };
  return {
    results: await core.queryEvalResultsJson(PROJECT, request),
    sorted: await core.queryEvalResultsJson(PROJECT, { ...request, sort_by: [{ field: "scores.correct" }] }),
    evaluations: await core.listEvaluations(PROJECT),
  };
}

async function cluster() {
  return { clickhouse: { ...(await sharedCluster()), database: scratchOnShards(await sharedShards()) } };
}

describe.skipIf(noClickHouse !== null)(`a database that is copied${because(noClickHouse)}`, () => {
  let url: string;
  let file: Database;
  const opened: Database[] = [];
  beforeAll(async () => {
    url = await sharedClickHouse();
    file = await open({ path: join(folder, "source.duckdb"), attributeNamespaces: ["svc", "own"] });
    opened.push(file);
    await fill(file);
  });
  afterAll(async () => {
    await Promise.all(opened.map(({ store }) => store.close()));
  });

  function server() {
    return { clickhouse: { url, database: scratchDatabase(url) } };
  }

  async function openAgain(options: Parameters<OpenDatabase>[0]): Promise<Database> {
    const database = await open(options);
    opened.push(database);
    return database;
  }

  it("from a file to a server, a cluster and back answers with the same bytes, and goes on alike", async () => {
    const expected = await answers(file);
    const [first, second, third, path] = [server(), await cluster(), server(), join(folder, "back.duckdb")];
    const progress: number[] = [];
    const counts = await copyTo(open, file, first, { onProgress: (written) => progress.push(written) });
    expect(counts).toMatchObject({ projects: 1, rows: 2 });
    expect(progress.at(-1)).toBeGreaterThanOrEqual((counts["calls"] ?? 0) + 2);
    const onServer = await openAgain(first);
    expect(onServer.conventions.attributeNamespaces).toEqual(["svc", "own"]);
    expect(await copyTo(open, onServer, second)).toEqual(counts);
    const onShards = await openAgain(second);
    expect(await copyTo(open, onShards, third)).toEqual(counts);
    const onOther = await openAgain(third);
    expect(await copyTo(open, onShards, { path })).toEqual(counts);
    const inFile = await openAgain({ path });
    const copies = [onServer, onShards, onOther, inFile];
    for (const copy of copies) expect(await answers(copy)).toEqual(expected);
    for (const one of [file, ...copies]) await goOn(one);
    const later = await answers(file);
    expect(later).not.toEqual(expected);
    for (const copy of copies) expect(await answers(copy)).toEqual(later);
  }, 400_000);

  it("is refused where something is there already", async () => {
    const target = server();
    await copyTo(open, file, target);
    await expect(copyTo(open, file, target)).rejects.toMatchObject({ code: "not_empty" });
    await expect(copyTo(open, file, { path: join(folder, "source.duckdb") })).rejects.toMatchObject({
      code: "unwritable_target",
    });
  });

  it("leaves nothing where it is stopped, or where counts differ", async () => {
    const controller = new AbortController();
    const stop = { signal: controller.signal, onProgress: () => controller.abort(new Error("stopped")) };
    const [target, path] = [server(), join(folder, "never.duckdb")];
    await expect(copyTo(open, file, target, stop)).rejects.toThrow("stopped");
    await expect(copyTo(open, file, { path }, stop)).rejects.toThrow("stopped");
    expect(existsSync(path)).toBe(false);
    const lying: Database = {
      ...file,
      keep: (work, signal) =>
        file.keep(async (kept) => {
          const counts = async () => ({ ...(await kept.counts()), trials: 1_000_000 });
          return work({ ...kept, counts });
        }, signal),
    };
    await expect(copyTo(open, lying, { path })).rejects.toMatchObject({
      code: "incomplete_copy",
      message: expect.stringContaining("1000000"),
    });
    expect(
      readdirSync(folder).filter((name) => name.startsWith(".evalcube") || name.startsWith("never")),
    ).toEqual([]);
    expect(await copyTo(open, file, target)).toMatchObject({ projects: 1 });
  });
});
