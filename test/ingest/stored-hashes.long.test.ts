import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { createHashFilter } from "../../src/ingest/lookup/hash-filter.ts";
import { identityHash } from "../../src/ingest/lookup/identity-hash.ts";
import { storedTrials } from "../support/queries.ts";
import { call, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const hashes = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => identityHash(`${prefix}${i}`));

describe("the hash of an identity", () => {
  it.each(["1:a", "1:", "7:é\u{1F600}", `3:${"x".repeat(1000)}`, "2:\u0001"])(
    "is DuckDB's md5_number_lower: %j",
    async (identity) => {
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      const found = await connection.runAndReadAll("SELECT md5_number_lower($1)", [identity]);
      const { low, high } = identityHash(identity);
      const number = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
      expect(found.getRows()).toEqual([[number]]);
      connection.closeSync();
      instance.closeSync();
    },
  );
});

describe("a hash filter", () => {
  it.each([0, 200_000])("knows all it was given, and hardly a stranger, when it expects %d", (expected) => {
    const filter = createHashFilter(expected);
    const members = hashes("member", 200_000);
    for (const hash of members) filter.add(hash);
    expect(members.every((hash) => filter.has(hash))).toBe(true);
    expect(hashes("stranger", 100_000).filter((hash) => filter.has(hash)).length).toBeLessThan(50);
  });

  it("holds nothing at first", () => {
    const filter = createHashFilter();
    expect(hashes("stranger", 1000).some((hash) => filter.has(hash))).toBe(false);
  });
});

/** A trial that comes in four parts: its score call, its start, its end, its predict call. */
function parts(id: string): object[] {
  const output = { output: null, scores: { acc: 1 } };
  return [
    call(`${id}-score`, {
      parent_id: id,
      op_name: "judge.score",
      attributes: { svc: { score: true } },
      output: { ok: true },
    }),
    trial(id, { q: id }, {}, { output: null }),
    { id, project_id: PROJECT, ended_at: "2026-01-01T00:00:09Z", output },
    call(`${id}-predict`, { parent_id: id, op_name: "Model.predict", ended_at: "2026-01-01T00:00:02Z" }),
  ];
}

describe("calls that come apart, each part in a load of its own", () => {
  const ids = Array.from({ length: 6 }, (_, i) => `t${i}`);
  const loads = [0, 1, 2, 3].map((part) => ids.map((id) => parts(id)[part] ?? {}));

  it("are whole in a file that each load opens anew, or that stays open, or is opened anew once", async () => {
    const whole = await scratchEngine();
    await whole.ingestCalls([root(), ...loads.flat()]);
    const wanted = await storedTrials(whole);
    expect(wanted.size).toBe(6);
    for (const reopenedAfter of [[0, 1, 2, 3], [], [0], [1], [2]]) {
      const path = scratchPath();
      let engine = await openEngine({ path, threads: 1 });
      await engine.ingestCalls([root()]);
      for (const [i, load] of loads.entries()) {
        await engine.ingestCalls(stream([ndjson(load)]));
        if (!reopenedAfter.includes(i)) continue;
        await engine.close();
        engine = await openEngine({ path, threads: 1 });
      }
      expect(await storedTrials(engine)).toEqual(wanted);
      await engine.close();
    }
  });

  it("are whole in one source that takes several batches, which are written behind", async () => {
    const whole = await scratchEngine();
    await whole.ingestCalls([root(), ...loads.flat()]);
    const wanted = await storedTrials(whole);
    const apart = [3, 8000, 16_000, 0];
    const records = loads.flatMap((load, part) => [
      ...load,
      ...Array.from({ length: apart[part] ?? 0 }, (_, i) => call(`${part}-${i}`, { op_name: "other" })),
    ]);
    const engine = await scratchEngine();
    await engine.ingestCalls(stream([ndjson([root(), ...records])]));
    expect(await storedTrials(engine)).toEqual(wanted);
  });

  it("are found again after a load that failed", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root(), ...ids.map((id) => parts(id)[0] ?? {})]);
    const torn = [...ids.map((id) => parts(id)[1] ?? {}), { id: 1 }];
    await expect(engine.ingestCalls(torn)).rejects.toThrow("must be a string");
    for (const load of loads.slice(1)) await engine.ingestCalls(load);
    const trials = await storedTrials(engine);
    expect([...trials.values()].map((one) => one.scores)).toEqual(
      ids.map(() => ({ acc: 1, judge: { ok: true } })),
    );
  });

  it("stay hidden when their parent was deleted in a load between", async () => {
    const path = scratchPath();
    for (const reopened of [false, true]) {
      let engine = await openEngine({ path: reopened ? path : ":memory:", threads: 1 });
      await engine.ingestCalls([root(), ...loads.flat()]);
      if (reopened) {
        await engine.close();
        engine = await openEngine({ path, threads: 1 });
      }
      await engine.deleteCalls(PROJECT, ["e"]);
      expect(
        await engine.ingestCalls([trial("late", 1), call("later", { parent_id: "late" })]),
      ).toMatchObject({
        stored: 2,
      });
      expect((await storedTrials(engine)).size).toBe(0);
      await engine.close();
    }
  });
});
