import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { createStore } from "../../src/clickhouse/store.ts";
import { createCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

it.skipIf(noClickHouse !== null)(
  `on ClickHouse an answer is kept until any process commits something${because(noClickHouse)}`,
  async () => {
    const url = await sharedClickHouse();
    const options = { url, database: scratchDatabase(url) };
    const writing = await openBackend({ clickhouse: options });
    const writer = createCore(writing, {});
    const database = await openDatabase(options, {}, false);
    let asked = 0;
    const store = createStore({
      ...database,
      client: {
        ...database.client,
        arrow: (...statement) => {
          asked++;
          return database.client.arrow(...statement);
        },
      },
    });
    const reader = createCore({ ...writing, store }, {});
    await writer.ingestCalls([root("e"), root("f"), trial("t", { i: 1 }, { ok: true })]);

    const ask = (...ids: string[]) =>
      reader.queryEvalResultsJson(PROJECT, { evaluation_call_ids: ids, include_summary: true });
    const first = await ask("f", "e");
    const before = asked;
    expect(await ask("f", "e")).toBe(first);
    expect(asked).toBe(before);
    // What is known of evaluations does not depend on the request that asked for it first.
    const other = await ask("e", "f");
    expect(JSON.parse(other)).toMatchObject({ rows: JSON.parse(first).rows, total_rows: 1 });
    expect(other).toBe(
      await writer.queryEvalResultsJson(PROJECT, {
        evaluation_call_ids: ["e", "f"],
        include_summary: true,
      }),
    );

    await writer.ingestCalls([trial("u", { i: 2 }, { ok: false })]);
    expect(JSON.parse(await ask("f", "e"))).toMatchObject({ total_rows: 2 });
    await store.close();
    await writer.close();
  },
);

it.skipIf(noClickHouse !== null)(
  `on ClickHouse trials that an earlier page read are those of the evaluations that a request names${because(noClickHouse)}`,
  async () => {
    const url = await sharedClickHouse();
    const server = await openBackend({ clickhouse: { url, database: scratchDatabase(url) } });
    const [keeping, asking] = [createCore(server, {}), createCore(server, { keepAnswers: false })];
    onTestFinished(() => keeping.close());
    const calls = ["e", "f"].flatMap((evaluation) => [
      root(evaluation),
      ...Array.from({ length: 6 }, (_, i) =>
        trial(`${evaluation}${i}`, { i }, { at: i }, { parent_id: evaluation }),
      ),
    ]);
    await keeping.ingestCalls(calls);
    const requests = [["e", "f"], ["f", "e"], ["f"]].flatMap((evaluation_call_ids) => [
      { evaluation_call_ids, limit: 4 },
      { evaluation_call_ids, limit: 4, offset: 2 },
      { evaluation_call_ids, limit: 4, include_predict_and_score_children: false },
    ]);
    for (const request of requests)
      expect(await keeping.queryEvalResultsJson(PROJECT, request)).toBe(
        await asking.queryEvalResultsJson(PROJECT, request),
      );
  },
);
