import { beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/engine/duckdb/store.ts";
import { createLoading } from "../../src/engine/load-records.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { createSessionWriters } from "../../src/ingest/session-writer.ts";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import { clickHouseFacts, duckDBFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { randomProjects } from "../support/random-projects.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 7);
const COUNT = Number(process.env["COUNT"] ?? 2);

async function openDuckDB() {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  const loader = createLoader(createSessionWriters(store, DEFAULT_CONVENTIONS), DEFAULT_CONVENTIONS);
  const loading = createLoading({ store, conventions: DEFAULT_CONVENTIONS, loader });
  return { store, loading };
}

describe.skipIf(noClickHouse !== null)(`loads on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it(`store what loads on DuckDB store (SEED=${SEED})`, async () => {
    const { load } = randomProjects(SEED, COUNT);
    const { store, loading } = await openDuckDB();
    await load(loading);
    const expected = await duckDBFacts((statement) =>
      store.read((session) => session.rows({ parts: [statement], params: [] })),
    );
    await store.close();
    const clickHouse = await openLoading(url, scratchDatabase(url));
    await load(clickHouse);
    const found = await clickHouseFacts(clickHouse.database.client);
    expect(found).toEqual(expected);
  });
});
