import { writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { runOn } from "../support/duckdb.ts";
import { EVALUATION, PROJECT, ndjson, root, trial } from "../support/records.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

afterEach(() => vi.unstubAllEnvs());

const CALLS = [root(), trial("t1", { q: 1 }, { ok: true }), trial("t2", { q: 2 }, { ok: false })];

async function usersOf(engine: Engine): Promise<Record<string, string | null>> {
  const list = await engine.listEvaluations(PROJECT);
  return Object.fromEntries(list.map(({ id, user }) => [id, user]));
}

/** Loads with an engine of its own, in the name of a user, and gives who evaluations are of then. */
async function loadAs(
  path: string,
  user: string | null | undefined,
  work: (engine: Engine) => Promise<unknown>,
) {
  const engine = await openEngine({ path, threads: 1, user });
  await work(engine);
  const users = await usersOf(engine);
  await engine.close();
  return users;
}

function loading(id: string) {
  return (engine: Engine) => engine.ingestCalls([root(id)]);
}

describe("who stores evaluations in a file", () => {
  it("is the user of the engine, where the record names nobody, and the first one stays", async () => {
    const path = scratchPath();
    const named = root("own", { wb_user_id: "zoe" });
    const load = (engine: Engine) => engine.ingestCalls([...CALLS, named]);
    expect(await loadAs(path, "ann", load)).toEqual({ [EVALUATION]: "ann", own: "zoe" });
    expect(await loadAs(path, "bob", load)).toEqual({ [EVALUATION]: "ann", own: "zoe" });
    const more = root(EVALUATION, { display_name: "renamed" });
    expect(await loadAs(path, "bob", (engine) => engine.ingestCalls([more]))).toMatchObject({
      [EVALUATION]: "ann",
    });
  });

  it("is nobody where nobody stored it first, and a repeated load changes nothing", async () => {
    const path = scratchPath();
    expect(await loadAs(path, null, (engine) => engine.ingestCalls(CALLS))).toEqual({ [EVALUATION]: null });
    const engine = await scratchEngine({ path, user: "ann" });
    expect(await engine.ingestCalls(CALLS)).toMatchObject({ stored: 0, unchanged: 3 });
    const sender = { projectId: PROJECT, user: "ann", mayDelete: false };
    await engine.ingestCalls([root(EVALUATION, { display_name: "b" })], { sender });
    expect(await usersOf(engine)).toEqual({ [EVALUATION]: null });
  });

  it("is who EVALCUBE_USER names, but for null as the option", async () => {
    vi.stubEnv("EVALCUBE_USER", "ann");
    const path = scratchPath();
    await loadAs(path, undefined, loading("a"));
    await loadAs(path, null, loading("b"));
    vi.stubEnv("EVALCUBE_USER", "");
    expect(await loadAs(path, undefined, loading("c"))).toEqual({ a: "ann", b: null, c: null });
  });

  it("refuses a name that no key could have", async () => {
    vi.stubEnv("EVALCUBE_USER", "a:b");
    await expect(openEngine()).rejects.toMatchObject({
      code: "invalid_option",
      message: "EVALCUBE_USER must be 1 to 128 characters without colon",
    });
    await expect(openEngine({ user: "a:b" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is stored by loggers, parts, imports and a thread alike", async () => {
    const path = scratchPath();
    const engine = await scratchEngine({ path, user: "ann", threads: 2 });
    await engine.evaluate(PROJECT, {
      name: "logged",
      id: "logged",
      model: "m",
      data: [{ q: 1 }],
      task: () => 1,
      scorers: { ok: () => true },
    });
    await engine.ingestCalls([{ ...root("part"), ended_at: undefined }], { partial: true });
    const csv = scratchPath("answers.csv");
    writeFileSync(csv, "question,answer,correct\na,b,1\nc,d,0\n");
    await engine.importEvaluations(csv, { project: PROJECT, format: "table" });
    const large = scratchPath("large.ndjson");
    const filler = "x".repeat(4000);
    const many = Array.from({ length: 2400 }, (_, at) => root(`large-${at}`, { inputs: { filler } }));
    writeFileSync(large, ndjson(many));
    await engine.ingestCalls(large);
    const users = Object.entries(await usersOf(engine));
    expect(users).toHaveLength(2403);
    expect(users.filter(([, user]) => user !== "ann")).toEqual([]);
    const other = await scratchEngine({ user: "bob" });
    for (const stored of [1, 0]) {
      const [again] = await other.importEvaluations(csv, { project: PROJECT, format: "table" });
      expect(Math.min(1, again?.stored ?? -1)).toBe(stored);
    }
  });
});

const deleterOf = async (path: string, id: string) =>
  await runOn(
    path,
    `SELECT record ->> '/deleted_by', record ->> '/wb_user_id' FROM calls WHERE id = '${id}'`,
  );

const named = (id: string, at: string) => [
  root(id, { display_name: "nightly", started_at: at, ended_at: at }),
  trial(`${id}-1`, { q: 1 }, { ok: true }, { parent_id: id, started_at: at }),
];

describe("who hides calls", () => {
  it("is stored with them, and the first one stays", async () => {
    const path = scratchPath();
    await loadAs(path, "ann", (engine) => engine.ingestCalls([...CALLS, root("kept")]));
    await loadAs(path, "bob", (engine) => engine.deleteEvaluations(PROJECT, { ids: [EVALUATION] }));
    await loadAs(path, "cy", (engine) => engine.deleteCalls(PROJECT, [EVALUATION, "later"]));
    expect(await deleterOf(path, EVALUATION)).toEqual([["bob", "ann"]]);
    expect(await deleterOf(path, "later")).toEqual([["cy", null]]);
    expect(await deleterOf(path, "kept")).toEqual([[null, "ann"]]);
    await loadAs(path, null, (engine) => engine.deleteEvaluations(PROJECT, { ids: ["kept"] }));
    expect(await deleterOf(path, "kept")).toEqual([[null, "ann"]]);
  });

  it("is who the caller says, not the engine, and no record of a sender says otherwise", async () => {
    const path = scratchPath();
    await loadAs(path, "ann", async (engine) => {
      await engine.ingestCalls([...CALLS, root("a"), root("b")]);
      await engine.deleteEvaluations(PROJECT, { ids: ["a"] }, { user: "bob" });
      const sender = { projectId: PROJECT, user: "cy", mayDelete: true };
      const lie = { wb_user_id: "zoe", deleted_by: "zoe" };
      const hides = { id: "b", project_id: PROJECT, deleted_at: "2026-02-01T00:00:00Z", ...lie };
      await engine.ingestCalls([hides, root("c", lie)], { sender });
    });
    expect(await deleterOf(path, "a")).toEqual([["bob", "ann"]]);
    expect(await deleterOf(path, "b")).toEqual([["cy", "ann"]]);
    expect(await deleterOf(path, "c")).toEqual([[null, "cy"]]);
  });
});

describe("who stored evaluations", () => {
  it("is told by lists, histories, SQL and the command, which can ask for one user", async () => {
    vi.stubEnv("EVALCUBE_USER", "ann");
    const path = scratchPath();
    await loadAs(path, undefined, (engine) => engine.ingestCalls(named("a", "2026-01-01T00:00:00Z")));
    await loadAs(path, "bob", (engine) => engine.ingestCalls(named("b", "2026-01-02T00:00:00Z")));
    await loadAs(path, null, (engine) => engine.ingestCalls(named("c", "2026-01-03T00:00:00Z")));
    const engine = await scratchEngine({ path, readOnly: true });
    const { entries } = await engine.history(PROJECT, { name: "nightly" });
    expect(entries.map(({ user }) => user)).toEqual(["ann", "bob", null]);
    const sql = await engine.sql(
      PROJECT,
      "SELECT evaluation_call_id AS id, user FROM evaluations ORDER BY user",
    );
    expect(sql.toArray().map((row) => row?.toJSON())).toEqual([
      { id: "a", user: "ann" },
      { id: "b", user: "bob" },
      { id: "c", user: null },
    ]);
    await expect(engine.sql(PROJECT, "SELECT user FROM trials")).rejects.toThrow(
      "the name user is not allowed",
    );
    const listed = await evalcubeHere(["evaluations", "--db", path, "--user", "bob", "--format", "json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "b", user: "bob" }]);
    const none = await evalcubeHere(["evaluations", "--db", path, "--user", "zoe", "--format", "json"]);
    expect(JSON.parse(none.stdout)).toEqual([]);
    const { stdout } = await evalcubeHere(["history", "nightly", "--db", path, "--format", "table"]);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      expect.stringMatching(/ user +rows /),
      expect.anything(),
      expect.stringMatching(/ ann +1 /),
      expect.stringMatching(/ bob +1 /),
      expect.stringMatching(/ – +1 /),
    ]);
  });

  it("are no column of tables where nobody is known", async () => {
    const path = scratchPath();
    await loadAs(path, null, (engine) => engine.ingestCalls(CALLS));
    const { stdout } = await evalcubeHere(["evaluations", "--db", path, "--format", "table"]);
    expect(stdout).not.toContain("user");
  });
});
