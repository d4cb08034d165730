import { copyFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHashFilter, type HashFilter } from "../../src/ingest/lookup/hash-filter.ts";
import { identityHash } from "../../src/ingest/lookup/identity-hash.ts";
import { readFilters, writeFilters } from "../../src/duckdb/load/saved-filters.ts";
import { openStoredHashes, readMore, type StoredHashes } from "../../src/duckdb/load/call-filters.ts";
import { createTurnTaker } from "../../src/model/turns.ts";
import { createWriterMemory, forget } from "../../src/duckdb/load/writer-memory.ts";
import type { Session, FileStore } from "../../src/store/session.ts";
import { runOn } from "../support/duckdb.ts";
import { storedTrials } from "../support/queries.ts";
import { call, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const turns = createTurnTaker();
const hashes = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => identityHash(`${prefix}${i}`));

function filterOf(members: readonly ReturnType<typeof identityHash>[]): HashFilter {
  const filter = createHashFilter();
  for (const hash of members) filter.add(hash);
  return filter;
}

async function onStore<T>(path: string, work: (store: FileStore) => Promise<T>): Promise<T> {
  const store = await openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function lastKey(session: Session): Promise<number> {
  const [found] = await session.rows({ parts: ["SELECT coalesce(max(call_key), 0) FROM calls"], holes: [] });
  return Number(found?.[0]);
}

/** Stores the filters of all calls of a file, as the end of a long load does. */
function saveFilters(path: string): Promise<void> {
  return onStore(path, (store) =>
    store.write(async (session) => {
      const known = await openStoredHashes(session, await lastKey(session), turns);
      while (known.unread !== null) await readMore(session, known, 1, turns);
      await writeFilters(session, known);
    }),
  );
}

const opened = (path: string): Promise<StoredHashes> =>
  onStore(path, (store) =>
    store.read(async (session) => openStoredHashes(session, await lastKey(session), turns)),
  );

describe("filters in the database", () => {
  const members = hashes("member", 70_000);

  it("are read as they were written, and written again as they have grown", async () => {
    const path = scratchPath();
    await onStore(path, (store) =>
      store.write((session) =>
        writeFilters(session, { ids: filterOf(members), parents: filterOf(members.slice(0, 10)) }),
      ),
    );
    const read = () => onStore(path, (store) => store.read((session) => readFilters(session, turns)));
    const found = await read();
    expect(found?.ids.layers).toEqual(filterOf(members).layers);
    expect(found?.parents.layers).toEqual(filterOf(members.slice(0, 10)).layers);
    if (found === null) throw new Error("no filters");
    for (const hash of hashes("more", 5_000)) found.ids.add(hash);
    await onStore(path, (store) => store.write((session) => writeFilters(session, found)));
    const again = await read();
    expect([...members, ...hashes("more", 5_000)].every((hash) => again?.ids.has(hash))).toBe(true);
  });

  it("stay as they were when the load that wrote them fails", async () => {
    const path = scratchPath();
    const first = { ids: filterOf(members), parents: filterOf([]) };
    await onStore(path, async (store) => {
      await store.write((session) => writeFilters(session, first));
      const torn = store.write(async (session) => {
        await writeFilters(session, { ids: filterOf([]), parents: filterOf([]) });
        throw new Error("torn");
      });
      await expect(torn).rejects.toThrow("torn");
    });
    const found = await onStore(path, (store) => store.read((session) => readFilters(session, turns)));
    expect(found?.ids.layers).toEqual(first.ids.layers);
  });

  const faults: readonly (readonly [string, string])[] = [
    ["no layer", "DELETE FROM hash_layers"],
    ["no filter of parents", "DELETE FROM hash_layers WHERE kind = 1"],
    ["not the first layer", "DELETE FROM hash_layers WHERE layer = 0"],
    ["not the last layer", "DELETE FROM hash_layers WHERE kind = 0 AND layer = 1"],
    ["half a layer", "UPDATE hash_layers SET words = 'abcd'::BLOB"],
    ["a layer of another capacity", "UPDATE hash_layers SET capacity = capacity * 2"],
    ["no coverage", "DELETE FROM hash_coverage"],
    ["more calls covered than there are", "UPDATE hash_coverage SET to_key = 5"],
  ];

  it("are not trusted when a part of them is missing", async () => {
    const path = scratchPath();
    const both = { ids: filterOf(members), parents: filterOf(members) };
    await onStore(path, (store) => store.write((session) => writeFilters(session, both)));
    await runOn(
      path,
      "INSERT INTO calls (call_key, project_key, id_hash, hidden, id, record) VALUES (1, 1, 7, false, 'a', '{}')",
    );
    expect(await opened(path)).toMatchObject({ unread: { first: 1, last: 1 }, savedTo: 0 });
    await runOn(path, "UPDATE hash_coverage SET to_key = 1");
    expect(await opened(path)).toMatchObject({ unread: null, savedTo: 1 });
    for (const [fault, statement] of faults) {
      const torn = scratchPath();
      await copyFile(path, torn);
      await runOn(torn, statement);
      expect(await opened(torn), fault).toMatchObject({ unread: { first: 1, last: 1 }, savedTo: 0 });
    }
  });
});

function halves(value: unknown) {
  const number = BigInt(String(value));
  return { low: Number(BigInt.asIntN(32, number)), high: Number(BigInt.asIntN(32, number >> 32n)) };
}

describe("hashes that no filter has", () => {
  const CALLS = 150_000;
  const stored = `INSERT INTO calls (call_key, project_key, id_hash, parent_hash, hidden, id, record) SELECT i, 1, hash(i), CASE WHEN i % 3 = 0 THEN hash(-i) END, false, i, '{}'
    FROM range(1, ${CALLS + 1}) AS t(i)`;

  it("are read a part at a time, until none is unread", async () => {
    const path = scratchPath();
    await onStore(path, (store) => store.close());
    await runOn(path, stored);
    await onStore(path, (store) =>
      store.read(async (session) => {
        const known = await openStoredHashes(session, CALLS, turns);
        const steps = [];
        while (known.unread !== null) {
          steps.push(known.unread);
          await readMore(session, known, 100, turns);
        }
        expect(steps).toEqual([1, 65_537, 131_073].map((first) => ({ first, last: CALLS })));
        const all = await session.rows({ parts: ["SELECT id_hash, parent_hash FROM calls"], holes: [] });
        expect(all.every(([id]) => known.ids.has(halves(id)))).toBe(true);
        expect(all.every(([, parent]) => parent === null || known.parents.has(halves(parent)))).toBe(true);
        expect(all.filter(([id]) => known.parents.has(halves(id))).length).toBeLessThan(100);
      }),
    );
  });

  it("are forgotten by a load that fails, unless all had been read before", async () => {
    const memory = createWriterMemory();
    const known = { ids: createHashFilter(), parents: createHashFilter(), unread: null, savedTo: 9 };
    memory.hashes = { ...known, wereComplete: true };
    forget(memory);
    expect(memory.hashes).toMatchObject({ savedTo: null, wereComplete: true });
    memory.hashes = { ...known, wereComplete: false };
    forget(memory);
    expect(memory.hashes).toBeNull();
  });
});

/** A trial that comes in parts: the ends of its calls, its score call, its start, the start of its predict call. */
function parts(id: string): object[] {
  const output = { output: null, scores: { acc: 1 } };
  const predict = `${id}-predict`;
  return [
    { id: predict, project_id: PROJECT, ended_at: "2026-01-01T00:00:02Z" },
    call(`${id}-score`, {
      parent_id: id,
      op_name: "judge.score",
      attributes: { svc: { score: true } },
      output: { ok: true },
    }),
    trial(id, { q: id }, {}, { output: null }),
    call(predict, { parent_id: id, op_name: "Model.predict" }),
    { id, project_id: PROJECT, ended_at: "2026-01-01T00:00:09Z", output },
  ];
}

const IDS = Array.from({ length: 6 }, (_, i) => `t${i}`);
const LOADS = [0, 1, 2, 3, 4].map((part) => IDS.map((id) => parts(id)[part] ?? {}));
const WITHOUT_SCORES = LOADS.filter((_load, part) => part !== 1);

async function loadOnce(path: string, load: readonly unknown[]): Promise<void> {
  const engine = await openEngine({ path, threads: 1 });
  await engine.ingestCalls(stream([ndjson(load)]));
  await engine.close();
}

/** The trials of a file that a process of its own adds each load to. `after` the first one, something is done to it. */
async function inParts(loads: typeof LOADS, after: (path: string, load: number) => Promise<unknown>) {
  const path = scratchPath();
  await loadOnce(path, [root()]);
  for (const [i, load] of loads.entries()) {
    await loadOnce(path, load);
    await after(path, i);
  }
  const engine: Engine = await openEngine({ path, threads: 1 });
  const trials = await storedTrials(engine);
  await engine.close();
  return trials;
}

async function atOnce(loads: typeof LOADS) {
  const engine = await scratchEngine();
  await engine.ingestCalls([root(), ...loads.flat()]);
  return storedTrials(engine);
}

describe("calls that come apart, each part in a process of its own", () => {
  it.each([
    ["with scores, filters stored after the first part", LOADS, 0],
    ["with scores, filters stored after the third", LOADS, 2],
    ["without, filters stored after the first", WITHOUT_SCORES, 0],
  ])("are whole: %s", async (_title, loads, savedAfter) => {
    const found = await inParts(loads, async (path, load) => {
      if (load === savedAfter) await saveFilters(path);
    });
    expect(found).toEqual(await atOnce(loads));
  });

  it.each([
    ["all calls", "UPDATE hash_coverage SET to_key = (SELECT max(call_key) FROM calls)"],
    ["the parents that calls were given since", "DELETE FROM moved_parents"],
  ])("would not be, did the filters claim to have %s", async (_title, statement) => {
    const found = await inParts(WITHOUT_SCORES, async (path, load) => {
      if (load === 0) await saveFilters(path);
      if (load === 2) await runOn(path, statement);
    });
    expect(found).not.toEqual(await atOnce(WITHOUT_SCORES));
  });
});

describe("a load of tens of thousands of calls", () => {
  it("stores filters, by which the next writer knows them; so does one in a file without filters", async () => {
    const path = scratchPath();
    const records = Array.from({ length: 33_000 }, (_, i) => call(`c${i}`, { parent_id: "none" }));
    await loadOnce(path, records);
    expect(await runOn(path, "FROM hash_coverage")).toEqual([[33_000, 2]]);
    await runOn(path, "DELETE FROM hash_layers", "DELETE FROM hash_coverage", "DELETE FROM moved_parents");
    const engine = await openEngine({ path, threads: 1 });
    const again = await engine.ingestCalls(stream([ndjson([...records.slice(-50), call("new")])]));
    expect(again).toMatchObject({ stored: 1, unchanged: 50 });
    await engine.close();
    expect(await runOn(path, "FROM hash_coverage")).toEqual([[33_001, 2]]);
    expect(await opened(path)).toMatchObject({ unread: null, savedTo: 33_001 });
  });
});
