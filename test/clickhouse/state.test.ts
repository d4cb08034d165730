import { expect, it, onTestFinished } from "vitest";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { createReadState } from "../../src/clickhouse/read/state.ts";
import { openAnyCore } from "../../src/engine/engine.ts";
import { noClickHouse, startClickHouse } from "../support/clickhouse-server.ts";
import { root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

it.skipIf(noClickHouse !== null).each([
  ["with a coordinator", true],
  ["without a coordinator", false],
])(
  `what is visible on ClickHouse %s is read anew whenever a load or feedback came, and only then${because(noClickHouse)}`,
  async (_with, coordinator) => {
    const server = await startClickHouse({ coordinator });
    const { url } = server;
    const options = { url, database: "evalcube" };
    const writer = await openAnyCore({ clickhouse: options });
    const database = await openDatabase(options, {}, false);
    onTestFinished(async () => {
      await writer.close();
      await database.close();
      await server.kill();
    });
    let statements = 0;
    const { client } = database;
    const counted = {
      ...database,
      client: {
        ...client,
        rows: (...given: Parameters<typeof client.rows>) => {
          statements++;
          return client.rows(...given);
        },
      },
    };
    const readState = createReadState(counted);
    const seen = [await readState()];
    const next = async () => {
      const before = statements;
      const state = await readState();
      const asked = statements - before;
      expect(state).toEqual(await createReadState(database)());
      seen.push(state);
      return asked;
    };
    const unchanged = await next();
    expect(seen[1]).toBe(seen[0]);

    await writer.ingestCalls([root(), trial("t1", { q: 1 }, { ok: true })]);
    expect(await next()).toBe(unchanged + 1);
    expect(await next()).toBe(unchanged);

    await client.run("INSERT INTO feedback (id) VALUES ('f1')");
    expect(await next()).toBe(unchanged + 1);
    await client.run("DELETE FROM feedback WHERE id = 'f1'");
    expect(await next()).toBe(unchanged + 1);

    await writer.ingestCalls([trial("t2", { q: 2 }, { ok: true })]);
    await maintain({ ...database, graceSeconds: 0 });
    await next();
    expect(await next()).toBe(unchanged);
    const epochs = seen.map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBeGreaterThanOrEqual(4);
  },
);
