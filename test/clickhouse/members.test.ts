import path from "node:path";
import { Table, type RecordBatch } from "apache-arrow";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../../src/clickhouse/server/client.ts";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import { writeJson } from "../../src/model/json.ts";
import { rawValues } from "../tables/read-arrow.ts";
import { scratchOnShards, sharedCluster, sharedShards } from "../support/clickhouse-cluster.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const CALLS = ["e", "f"].flatMap((id, e) => [
  root(id, { inputs: { model: `bot:${e}` }, ended_at: "2026-01-01T01:00:00Z" }),
  ...Array.from({ length: 30 }, (_, i) =>
    trial(
      `${id}-${i}`,
      { q: i, kind: i % 3 },
      { ok: (i + e) % 4 !== 0, judge: { score: (i * 7 + e) % 10, tone: i % 2 === 0 ? "kind" : "curt" } },
      {
        parent_id: id,
        ended_at: "2026-01-01T00:00:02Z",
        summary: { usage: { "bot-large": { prompt_tokens: 10 + i, completion_tokens: 5, requests: 1 } } },
        ...(i % 11 === 5 ? { exception: "no luck" } : {}),
      },
    ),
  ),
]);
const BOTH = { evaluation_call_ids: ["e", "f"] };

type Core = Omit<Awaited<ReturnType<typeof openCore>>, "store" | "backup" | "check">;

async function collected<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** Each member that reads, by name, with what it is to give on both databases. */
const MEMBERS: Readonly<Record<string, (core: Core) => Promise<unknown>>> = {
  queryEvalResults: (core) => core.queryEvalResults(PROJECT, { ...BOTH, include_summary: true }),
  queryEvalResultsJson: (core) =>
    core.queryEvalResultsJson(PROJECT, { ...BOTH, include_raw_data_rows: true, include_trial_errors: true }),
  streamEvalResults: async (core) => (await collected(core.streamEvalResults(PROJECT, BOTH))).join(""),
  explain: async (core) => (await core.explain(PROJECT, BOTH)).statements.map(({ name }) => name),
  listProjects: (core) => core.listProjects(),
  countEvaluations: (core) => core.countEvaluations(),
  listEvaluations: (core) => core.listEvaluations(PROJECT),
  queryTable: async (core) => rawValues(await core.queryTable(PROJECT, BOTH)),
  queryBatches: async (core) =>
    rawValues(new Table(await collected<RecordBatch>(core.queryBatches(PROJECT, BOTH)))),
  queryColumns: async (core) =>
    (await collected(core.queryColumns(PROJECT, BOTH))).map((part) =>
      part.kind === "head" ? part.trial_count : [part.kind, part.batch.numRows],
    ),
  exportResults: (core) =>
    core.exportResults(PROJECT, BOTH, { format: "csv", path: path.join(scratchFolder(), "x.csv") }),
  compareEvaluations: (core) => core.compareEvaluations(PROJECT, { baseline: "e", candidates: ["f"] }),
  leaderboard: (core) => core.leaderboard(PROJECT, {}),
  "leaderboard by model": (core) => core.leaderboard(PROJECT, { by: "model" }),
  "leaderboard of some": (core) => core.leaderboard(PROJECT, { where: { "inputs.model": "bot:1" } }),
  raters: (core) => core.agreement(PROJECT, { evaluations: ["e", "f"], raters: ["ok", "judge.score"] }),
  items: (core) => core.items(PROJECT, { evaluations: ["e", "f"], scorer: "judge.score" }),
  agreement: (core) => core.agreement(PROJECT, { evaluations: ["e", "f"], a: "ok", b: "judge.score" }),
  "logged.readEvaluation": async (core) => {
    const trials: string[] = [];
    const found = await core.logged.readEvaluation(PROJECT, "e", (part) => {
      for (const one of part) trials.push(writeJson(one));
      return Promise.resolve();
    });
    return [found, trials.toSorted()];
  },
  "logged.readTrial": (core) => core.logged.readTrial(PROJECT, "e-3", "ok", "e-4"),
};

describe.skipIf(noClickHouse !== null)(`an engine on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  const ON = [
    { on: "one server", place: () => Promise.resolve({ url, database: scratchDatabase(url) }) },
    {
      on: "a cluster",
      place: async () => ({ ...(await sharedCluster()), database: scratchOnShards(await sharedShards()) }),
    },
  ];

  it.each(ON)(
    "answers on $on with each member what it answers on DuckDB",
    { timeout: 300_000 },
    async ({ place }) => {
      const onServer = await openAnyCore({ clickhouse: await place() });
      const onFile = await openCore({ threads: 1 });
      onTestFinished(async () => {
        await onServer.close();
        await onFile.close();
      });
      for (const core of [onFile, onServer]) {
        await core.ingestCalls([...CALLS, call("gone", { parent_id: "e" })]);
        await core.deleteCalls(PROJECT, ["gone"]);
      }
      const differing: string[] = [];
      for (const [name, member] of Object.entries(MEMBERS)) {
        const wanted = writeJson(await member(onFile));
        const found = await member(onServer).then(
          (value) => writeJson(value),
          (error: unknown) => String(error),
        );
        if (found !== wanted)
          differing.push(`${name}: ${found.slice(0, 400)}\n  not ${wanted.slice(0, 400)}`);
      }
      expect(differing).toEqual([]);
      for (const refused of [
        onServer.sql(PROJECT, "SELECT 1"),
        collected(
          (async function* () {
            yield* onServer.sqlBatches(PROJECT, "SELECT 1");
          })(),
        ),
        onServer.exportSql(PROJECT, "SELECT 1", [], { format: "csv", path: "x" }),
      ])
        await expect(refused).rejects.toMatchObject({ code: "unsupported_on_backend" });

      const copy = scratchPath("copy.duckdb");
      await onServer.backup(copy);
      await expect(onServer.backup(copy)).rejects.toMatchObject({ code: "unwritable_target" });
      const copied = await openCore({ path: copy, threads: 1 });
      onTestFinished(() => copied.close());
      expect(await copied.listEvaluations(PROJECT)).toEqual(await onFile.listEvaluations(PROJECT));
      expect((await copied.check()).problems).toEqual([]);
    },
  );

  it("finds keys of two, versions that count twice and loads that nobody ends", async () => {
    const database = scratchDatabase(url);
    const core = await openAnyCore({ clickhouse: { url, database } });
    const client = await openClient({ url, database });
    onTestFinished(async () => {
      await core.close();
      await client.close();
    });
    await core.ingestCalls(CALLS);
    const whole = await core.check();
    expect(whole.problems).toEqual([]);
    expect(whole.tables).toContainEqual({ name: "trials", records: 60 });
    await client.run("INSERT INTO rows SELECT * REPLACE ('another' AS digest) FROM rows LIMIT 1");
    await client.run("INSERT INTO errored_trials SELECT * FROM errored_trials");
    await client.run(
      "INSERT INTO null_scores SELECT * REPLACE (1 AS load) FROM (SELECT * EXCEPT (kind, number, text) FROM scores LIMIT 3)",
    );
    await client.run("INSERT INTO trials SELECT * REPLACE (trial_key + 1 AS trial_key) FROM trials LIMIT 1");
    const { problems } = await core.check();
    expect(problems.map(({ kind, table, records }) => `${kind} ${table} ${records}`).toSorted()).toEqual([
      "doubled errored_trials 6",
      "doubled rows 1",
      "lost_reference trials 1",
      "lost_reference trials 1",
      "superfluous null_scores 3",
    ]);
    expect(problems.map(({ message }) => message).join("\n")).toMatch(
      /key_collision[\s\S]*evalcube maintain/,
    );
  });
});
