import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { createWideTables } from "../../src/duckdb/sql/wide/wide-tables.ts";
import { openEngine } from "../../src/index.ts";
import { SCRATCH } from "../../src/store/scratch.ts";
import { sql, text } from "../../src/store/sql.ts";
import { randomProjects } from "../support/random-projects.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

type Core = Awaited<ReturnType<typeof openCore>>;

async function records(engine: Pick<Core, "sql">, project: string, statement: string): Promise<unknown[]> {
  return (await engine.sql<object>(project, statement)).toArray().map((record) => record.toJSON());
}

/** The names of the wide tables that there are. */
function tables({ store }: Core): Promise<string[]> {
  return store.scratch(async (session) => {
    const found = await session.rows(
      sql`SELECT table_name FROM duckdb_tables() WHERE database_name = ${text(SCRATCH)} ORDER BY ALL`,
    );
    return found.map(([name]) => String(name));
  });
}

async function opened(options: Parameters<typeof openCore>[0] = {}): Promise<Core> {
  const core = await openCore(options);
  onTestFinished(() => core.close());
  return core;
}

const CALLS = [
  root(),
  trial("t1", { q: 1 }, { ok: true, acc: 0.5, note: "calm" }),
  trial("t2", { q: 2 }, { ok: false, acc: 2 }),
  root("f"),
  trial("f1", { q: 1 }, { ok: true, acc: 8 }, { parent_id: "f" }),
];
const MEAN = `SELECT count(*)::INT AS n, avg("scores.acc") AS mean FROM results WHERE "scores.ok"`;
/** The same, which no wide table answers: a star means all columns. */
const ORACLE = `SELECT count(*)::INT AS n, avg("scores.acc") AS mean FROM (SELECT * FROM results) WHERE "scores.ok"`;

describe("random projects", () => {
  const seed = Number(process.env["SEED"] ?? 20260105);
  const projects = randomProjects(seed, 25);
  let core: Core;
  beforeAll(async () => {
    core = await openCore();
    await projects.load(core);
  });
  afterAll(() => core.close());

  it(`give the same values from a wide table as without one (seed ${seed})`, async () => {
    let read = 0;
    for (const [i, project] of projects.names.entries()) {
      const all = await core.sql(project, "SELECT * FROM results");
      const dimensions = all.schema.fields
        .map(({ name }) => name)
        .filter((name) => name.startsWith("scores."));
      if (dimensions.length === 0) continue;
      const own = ["evaluation_call_id", "row_digest", "row_value", "started_at", "total_tokens"];
      const [some = [], beside = []] =
        fc.sample(fc.tuple(fc.subarray(dimensions, { minLength: 1 }), fc.subarray(own)), {
          seed: seed + i,
          numRuns: 1,
        })[0] ?? [];
      const list = [...beside, ...some].map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
      const expected = await records(
        core,
        project,
        `SELECT ${list} FROM (SELECT * FROM results) ORDER BY ALL`,
      );
      const statement = `SELECT ${list} FROM results ORDER BY ALL`;
      for (const time of ["first", "second", "third"])
        expect(await records(core, project, statement), `${project}, ${time}: ${list}`).toEqual(expected);
      read++;
    }
    expect(read).toBeGreaterThan(10);
    expect(await tables(core)).toHaveLength(read);
  });
});

function manyScores(i: number): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: 300 }, (_, k) => [`s${k}`, k % 2 === 0 ? i + k : `${i} ${k}`]),
  );
}

describe("a wide table", () => {
  it("is made when the same dimensions are asked for again, and serves statements about fewer", async () => {
    const core = await opened();
    await core.ingestCalls(CALLS);
    await records(core, PROJECT, MEAN);
    expect(await tables(core)).toEqual([]);
    await records(core, PROJECT, MEAN);
    expect(await tables(core)).toHaveLength(1);
    const count = `SELECT evaluation_call_id, count("scores.ok")::INT AS n FROM results GROUP BY ALL ORDER BY ALL`;
    for (let i = 0; i < 2; i++)
      expect(await records(core, PROJECT, count)).toEqual([
        { evaluation_call_id: "e", n: 2 },
        { evaluation_call_id: "f", n: 1 },
      ]);
    expect(await tables(core)).toHaveLength(1);
  });

  it("is not made for a statement that reads more of the trials", async () => {
    const core = await opened();
    await core.ingestCalls(CALLS);
    for (let i = 0; i < 3; i++)
      await records(core, PROJECT, `SELECT trial_id, "scores.acc" FROM results ORDER BY ALL`);
    expect(await tables(core)).toEqual([]);
  });

  it.each([
    ["a trial", (core: Core) => core.ingestCalls([trial("t3", { q: 1 }, { ok: true, acc: 7 })])],
    [
      "a late score",
      (core: Core) =>
        core.ingestCalls([
          call("late", {
            parent_id: "t2",
            op_name: "ok.score",
            attributes: { svc: { score: true } },
            output: true,
          }),
        ]),
    ],
    ["a deleted trial", (core: Core) => core.deleteCalls(PROJECT, ["t1"])],
    ["a hidden evaluation", (core: Core) => core.deleteCalls(PROJECT, ["f"])],
  ] as const)("is gone after a write: %s", async (_what, write) => {
    const core = await opened();
    await core.ingestCalls(CALLS);
    for (let i = 0; i < 2; i++) await records(core, PROJECT, MEAN);
    const before = await tables(core);
    await write(core);
    const found = await records(core, PROJECT, MEAN);
    expect(found).toEqual(await records(core, PROJECT, ORACLE));
    for (const name of before) await expect.poll(() => tables(core)).not.toContain(name);
    expect(await records(core, PROJECT, MEAN)).toEqual(found);
  });

  it("shows each reader its own snapshot while others write", async () => {
    const core = await opened({ path: scratchPath() });
    await core.ingestCalls([root(), trial("t1", { q: 1 }, { acc: 1 })]);
    const both = `SELECT count("scores.acc")::INT AS n, sum("scores.acc")::INT AS total FROM results`;
    const writing = new AbortController();
    const reader = async () => {
      for (let last = 0; !writing.signal.aborted;) {
        const [found] = (await records(core, PROJECT, both)) as { n: number; total: number | null }[];
        expect(found?.total ?? 0).toBe(((found?.n ?? 0) * ((found?.n ?? 0) + 1)) / 2);
        expect(found?.n).toBeGreaterThanOrEqual(last);
        last = found?.n ?? 0;
      }
    };
    const readers = [reader(), reader(), reader()];
    for (let i = 2; i <= 12; i++) {
      await core.ingestCalls([trial(`t${i}`, { q: i }, { acc: i })]);
      for (let k = 0; k < 3; k++) await records(core, PROJECT, both);
    }
    writing.abort();
    await Promise.all(readers);
    expect(await records(core, PROJECT, both)).toEqual([{ n: 12, total: 78 }]);
  });

  it("serves a database that is opened only to be read, and leaves its file alone", async () => {
    const path = scratchPath();
    const writer = await openEngine({ path });
    await writer.ingestCalls(CALLS);
    await writer.close();
    const core = await opened({ path, readOnly: true });
    for (let i = 0; i < 3; i++) expect(await records(core, PROJECT, MEAN)).toEqual([{ n: 2, mean: 4.25 }]);
    expect(await tables(core)).toHaveLength(1);
  });

  it("is not made where it is too large, and makes room by those that were read longest ago", async () => {
    const core = await opened();
    const scores = { a: 1, b: 2, c: 3, d: "text" };
    await core.ingestCalls([
      root(),
      ...Array.from({ length: 10 }, (_, i) => trial(`t${i}`, { q: i }, scores)),
    ]);
    const wide = createWideTables(core.store, 1000);
    const leased = async (pathKeys: readonly number[], type: "double" | "text" = "double") => {
      const dimensions = pathKeys.map((pathKey) => ({ name: "", pathKey, type }));
      const lease = await core.store.read((session) => wide.lease(session, 1, dimensions, undefined));
      lease?.end();
      return lease?.table ?? null;
    };
    for (const pathKey of [1, 2]) expect(await leased([pathKey])).toBe(null);
    expect([await leased([1]), await leased([2]), await leased([1])]).toEqual([
      "results_1",
      "results_2",
      "results_1",
    ]);
    for (let i = 0; i < 2; i++) expect(await leased([3])).toBe(i === 0 ? null : "results_3");
    await expect.poll(() => tables(core)).toEqual(["results_1", "results_3"]);
    const wider = Array.from({ length: 9 }, (_, i) => i + 1);
    for (let i = 0; i < 3; i++) expect(await leased(wider)).toBe(null);
    expect(await tables(core)).toEqual(["results_1", "results_3"]);
  });

  it("stays while it is read, whatever is written meanwhile", async () => {
    const core = await opened();
    await core.ingestCalls(CALLS);
    const wide = createWideTables(core.store);
    const lease = () =>
      core.store.read((session) =>
        wide.lease(session, 1, [{ name: "", pathKey: 1, type: "boolean" }], undefined),
      );
    await lease();
    const held = await lease();
    await core.ingestCalls([trial("t3", { q: 1 }, { ok: true })]);
    expect(await lease()).toBe(null);
    expect(await tables(core)).toEqual([held?.table]);
    held?.end();
    await expect.poll(() => tables(core)).toEqual([]);
  });

  it("that was ended while it was made is made by the next statement", async () => {
    const core = await opened();
    await core.ingestCalls(CALLS);
    await records(core, PROJECT, MEAN);
    const controller = new AbortController();
    const ended = core.sql(PROJECT, MEAN, [], { signal: controller.signal });
    queueMicrotask(() => controller.abort(new Error("enough")));
    await expect(ended).rejects.toThrow("enough");
    for (let i = 0; i < 2; i++) expect(await records(core, PROJECT, MEAN)).toEqual([{ n: 2, mean: 4.25 }]);
    expect(await tables(core)).toHaveLength(1);
  });

  it("has many dimensions", async () => {
    const core = await opened();
    await core.ingestCalls([root(), ...[1, 2, 3].map((i) => trial(`t${i}`, { q: i }, manyScores(i)))]);
    const list = Array.from({ length: 300 }, (_, k) => `"scores.s${k}"`).join(", ");
    const statement = `SELECT ${list} FROM results ORDER BY "scores.s0"`;
    for (let time = 0; time < 3; time++)
      expect(await records(core, PROJECT, statement)).toEqual(
        [1, 2, 3].map((i) =>
          Object.fromEntries(Object.entries(manyScores(i)).map(([name, value]) => [`scores.${name}`, value])),
        ),
      );
    expect(await tables(core)).toHaveLength(1);
  });
});
