import { describe, expect, it, onTestFinished } from "vitest";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { openEngine } from "../../src/index.ts";
import { countStray, crash, dieHere } from "../support/clickhouse-crashes.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noReplicas, replicas, scratchOnReplicas } from "../support/clickhouse-replicas.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const CALLS = [root(), ...Array.from({ length: 12 }, (_, i) => trial(`t${i}`, { q: i }, { acc: i }))];
const ASKED = { evaluation_call_ids: [EVALUATION], include_summary: true };
const EVERY = Number(process.env["COUNT"] ?? 7);

/** Engines on each replica. The database is made on all before: who opens it alone writes as to one server. */
async function openEach(database: string) {
  for (const url of replicas) await (await openEngine({ clickhouse: { url, database } })).close();
  const engines = await Promise.all(
    replicas.map((url) => openEngine({ clickhouse: { url, database }, keepAnswers: false })),
  );
  onTestFinished(async () => {
    for (const engine of engines) await engine.close();
  });
  return engines;
}

describe.skipIf(noReplicas !== null)(`a database with replicas${because(noReplicas)}`, () => {
  it("is made on each by whoever opens it there, and answers everywhere with the same bytes", async () => {
    const [one, two] = await openEach(scratchOnReplicas());
    await one?.ingestCalls(CALLS);
    const answer = await one?.queryEvalResultsJson(PROJECT, ASKED);
    expect(answer).toContain("t11");
    expect(await two?.queryEvalResultsJson(PROJECT, ASKED)).toBe(answer);
  });

  it("answers on one replica what another one acknowledged just before", async () => {
    const engines = await openEach(scratchOnReplicas());
    await engines[0]?.ingestCalls(CALLS);
    for (let i = 0; i < 10; i++) {
      const [here, there] = i % 2 === 0 ? engines : engines.toReversed();
      await here?.ingestCalls([trial(`later${i}`, { q: i }, { acc: i })]);
      const about = { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/t1`, feedback_type: "free" };
      await here?.feedback.create({ ...about, id: `f${i}`, payload: { i } }, { userId: "ann" });
      expect(await there?.queryEvalResultsJson(PROJECT, ASKED)).toContain(`later${i}`);
      const listed = await there?.feedback.list(PROJECT, { limit: 100 });
      expect(listed?.data.map(({ id }) => id)).toContain(`f${i}`);
    }
  });

  it("has every trial once where writers on several replicas send the same ones at the same time", async () => {
    const database = scratchOnReplicas();
    await openEach(database);
    const writers = await Promise.all(replicas.map((url) => openLoading(url, database)));
    const parts = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 4 }, (__, k) => trial(`t${(i + k) % 6}`, { q: k }, { acc: 1 })),
    );
    await Promise.all(
      writers.map(async ({ ingestCalls }) => {
        for (const part of parts) await ingestCalls([root(), ...part]);
      }),
    );
    const all = await Promise.all(writers.map((writer) => clickHouseFacts(writer.database.client)));
    expect(all[0]?.trials).toHaveLength(6);
    for (const facts of all) expect(facts).toEqual(all[0]);
  });

  it("has all or nothing of a load whose writer dies, on every replica, and nothing stray once maintained", async () => {
    const [first = "", second = ""] = replicas;
    for (let step = 1; ; step += EVERY) {
      const database = scratchOnReplicas();
      await openEach(database);
      const loading = await openLoading(second, database);
      await loading.ingestCalls(CALLS.slice(0, 4));
      const before = await clickHouseFacts(loading.database.client);
      const { left, repeated, stray, survived } = await crash(loading, CALLS, dieHere(first, step, "before"));
      expect([before.trials.length, CALLS.length - 1]).toContain(left.trials.length);
      expect(repeated.trials).toHaveLength(CALLS.length - 1);
      expect(stray).toBe(0);
      if (survived) break;
    }
  });

  it("is maintained from any replica, and then on all of them", async () => {
    const database = scratchOnReplicas();
    await openEach(database);
    const [one, two] = await Promise.all(replicas.map((url) => openLoading(url, database)));
    if (one === undefined || two === undefined) throw new Error("there are two replicas");
    await one.ingestCalls(CALLS);
    await two.ingestCalls(CALLS.map((call) => ({ ...call, display_name: "again" })));
    const facts = await clickHouseFacts(one.database.client);
    await maintain({ ...two.database, graceSeconds: 0 });
    for (const { database: on } of [one, two]) {
      expect(await clickHouseFacts(on.client)).toEqual(facts);
      expect(await countStray(on.client, true)).toBe(0);
    }
  });
});
