import { RunReader } from "../../src/engine/import/stored-runs.ts";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { parquetFiles } from "../../src/duckdb/parquet/parquet.ts";
import { openStore } from "../../src/duckdb/store.ts";
import { createLoading } from "../../src/engine/load-records.ts";
import type { Loading } from "../../src/engine/loading.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { createSessionWriters } from "../../src/duckdb/load/session-writer.ts";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import { clickHouseFacts, duckDBFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { randomProjects } from "../support/random-projects.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 7);
const COUNT = Number(process.env["COUNT"] ?? 2);

async function openDuckDB() {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  const loader = createLoader(createSessionWriters(store, DEFAULT_CONVENTIONS), DEFAULT_CONVENTIONS);
  const loading = createLoading({
    parquet: parquetFiles(store),
    conventions: DEFAULT_CONVENTIONS,
    loader,
    stored: (project) => new RunReader(store, project),
  });
  return { store, loading };
}

describe.skipIf(noClickHouse !== null)(`loads on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function compare(load: (engine: Loading) => Promise<unknown>) {
    const { store, loading } = await openDuckDB();
    const onDuckDB = await load(loading);
    const expected = await duckDBFacts((statement) =>
      store.read((session) => session.rows({ parts: [statement], holes: [] })),
    );
    await store.close();
    const clickHouse = await openLoading(url, scratchDatabase(url));
    const result = await load(clickHouse);
    const found = await clickHouseFacts(clickHouse.database.client);
    return { onDuckDB: { result: onDuckDB, facts: expected }, onClickHouse: { result, facts: found } };
  }

  it(`store what loads on DuckDB store (SEED=${SEED})`, async () => {
    const { load } = randomProjects(SEED, COUNT);
    const { onClickHouse, onDuckDB } = await compare(load);
    expect(onClickHouse).toEqual(onDuckDB);
  });

  it("of several batches settle each trial once, however far apart its calls are", async () => {
    // Deletions are of the same time on both.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const trials = Array.from({ length: 2100 }, (_, i) => trial(`t${i}`, { q: i % 50 }, { acc: i % 2 }));
    const children = trials.map(({ id }, i) =>
      call(`c${i}`, { parent_id: id, op_name: "Model.predict", ended_at: "2026-01-01T00:00:02Z" }),
    );
    const rows = Array.from({ length: 50 }, (_, q) => ({ project_id: PROJECT, val: { q } }));
    const { onClickHouse, onDuckDB } = await compare(async (engine) => [
      await engine.ingestRows(rows),
      await engine.ingestCalls([
        ...trials,
        ...children,
        root(),
        { ...trial("t0", { q: 0 }, { acc: 0 }), deleted_at: "2026-01-02T00:00:00Z" },
      ]),
      await engine.ingestCalls([...children, ...trials.slice(1), root()]),
      await engine.deleteCalls(PROJECT, ["t1", "c2", "nothing"]),
    ]);
    expect(onClickHouse).toEqual(onDuckDB);
  });
});
