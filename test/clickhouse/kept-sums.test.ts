import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QUERY_SETTINGS } from "../../src/clickhouse/read/session.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { openNoting, type Sent } from "../support/noted-statements.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const SUMMARY = { evaluation_call_ids: ["e"], include_rows: false, include_summary: true };
const OF_LOADS =
  "SELECT load, kind, count(), sum(if(kind >= 4, NULL, number)) FROM scores GROUP BY ALL ORDER BY ALL";

function trials(from: number) {
  return Array.from({ length: 300 }, (_, i) =>
    trial(`t${from + i}`, { i: i % 50 }, { ok: i % 3 === 0, judge: { score: i / 4, tone: "calm" } }),
  );
}

describe.skipIf(noClickHouse !== null)(`the sums that a server keeps${because(noClickHouse)}`, () => {
  const sent: Sent[] = [];
  let core: Awaited<ReturnType<typeof openNoting>>;

  beforeAll(async () => {
    const options = { url: await sharedClickHouse(), database: `kept_sums_${process.pid}` };
    core = await openNoting(options, sent);
    await core.ingestCalls([root("e"), ...trials(0)]);
    await core.ingestCalls(trials(300));
  });
  afterAll(() => core.close());

  /** The plan of the statement that answered the last summary. */
  async function planOfSummary(): Promise<string> {
    sent.length = 0;
    await core.queryEvalResultsJson(PROJECT, SUMMARY);
    const { statement = "", bound } = sent.find((one) => one.statement.includes("sum(v.number)")) ?? {};
    const plan = await core.client.rows(`EXPLAIN ${statement}`, bound, { settings: QUERY_SETTINGS });
    return plan.map(([line]) => String(line)).join("\n");
  }

  it("answer a summary that has no condition and no ended version", async () => {
    expect(await planOfSummary()).toContain("ReadFromMergeTree (sums)");
    const summary = JSON.parse(await core.queryEvalResultsJson(PROJECT, SUMMARY));
    expect(summary).toMatchObject({ summary: { row_count: 50, evaluations: [{ trial_count: 600 }] } });
  });

  it("are those of the records that are left when a load is deleted from a part with others", async () => {
    const { client } = core;
    await client.run("OPTIMIZE TABLE scores FINAL");
    const [parts] = await client.rows(
      "SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = 'scores' AND active",
    );
    expect(Number(parts?.[0])).toBe(1);
    const [last] = await client.rows("SELECT max(load) FROM scores");
    const copy = "CREATE TABLE scores_copy AS scores";
    await client.run(copy);
    await client.run("INSERT INTO scores_copy SELECT * FROM scores");
    await client.run(`DELETE FROM scores_copy WHERE load = ${String(last?.[0])}`);
    const counted = OF_LOADS.replace("scores", "scores_copy");
    const kept = await client.rows(counted);
    expect(kept).toEqual(await client.rows(counted, {}, { settings: { optimize_use_projections: 0 } }));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.some(([load]) => load === last?.[0])).toBe(false);
    await client.run("DROP TABLE scores_copy SYNC");
  });

  it("do not answer once a version of a trial has ended", async () => {
    await core.ingestCalls([{ ...trial("t0", { i: 0 }, { ok: false }), ended_at: "2026-01-02T00:00:00Z" }]);
    expect(await planOfSummary()).not.toContain("(sums)");
  });
});
