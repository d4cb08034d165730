import { copyFile, stat } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { runOn } from "../support/duckdb.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

/** Evaluations of a project, with so many trials each and outputs of so many characters, that hardly compress. */
function runs(project: string, trials: readonly number[], length: number, from = 0) {
  const text = (seed: number) =>
    Array.from({ length: length / 8 }, (_, at) =>
      Math.abs(Math.sin(seed * 1e4 + at))
        .toString(36)
        .slice(3, 11),
    ).join("");
  return trials.flatMap((count, run) => {
    const started_at = `2026-01-0${1 + run}T00:00:00Z`;
    const common = { project_id: project, started_at, ended_at: started_at };
    const id = `run-${run}`;
    return [
      { ...common, id, op_name: "Evaluation.evaluate", display_name: `name ${run}` },
      ...Array.from({ length: count }, (_, at) => ({
        ...common,
        id: `${id}-${at}`,
        parent_id: id,
        op_name: "Evaluation.predict_and_score",
        inputs: { example: { q: at } },
        output: { output: text(from + run * 1000 + at), scores: { ok: at % 2 === 0 } },
      })),
      ...Array.from({ length: count }, (_, at) => ({
        ...common,
        id: `${id}-${at}-predict`,
        parent_id: `${id}-${at}`,
        op_name: "predict",
        output: text(from + run * 1000 + at),
      })),
    ];
  });
}

const SMALL = runs("acme/small", [40, 10], 800);
const LARGE = runs("acme/large", [20, 60, 30], 6400, 5000);

async function fileOf(...loads: readonly (readonly object[])[]): Promise<string> {
  const path = scratchPath();
  const engine = await openEngine({ path, threads: 1 });
  for (const calls of loads) await engine.ingestCalls(calls);
  await engine.close();
  return path;
}

describe("what a database tells of itself", () => {
  it("is how large it is, what its projects hold, and when it was written last", async () => {
    const before = Math.floor(Date.now() / 1000);
    const path = await fileOf(SMALL, LARGE);
    const engine = await scratchEngine({ path, readOnly: true });
    const info = await engine.info();
    const listed = await engine.listEvaluations("acme/large");
    expect(info).toMatchObject({
      database: path,
      bytes: (await stat(path)).size,
      log_bytes: 0,
      calls: SMALL.length + LARGE.length,
      trials: 160,
      oldest: { id: "run-0", started_at: "2026-01-01T00:00:00.000000Z" },
      newest: { id: "run-2", started_at: listed[2]?.started_at },
    });
    expect(info.projects).toEqual([
      {
        project_id: "acme/large",
        evaluation_count: 3,
        trial_count: 110,
        call_count: LARGE.length,
        bytes: expect.any(Number),
      },
      {
        project_id: "acme/small",
        evaluation_count: 2,
        trial_count: 50,
        call_count: SMALL.length,
        bytes: expect.any(Number),
      },
    ]);
    const at = Date.parse(info.last_write_at ?? "") / 1000;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now() / 1000);
    expect(info.last_write_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const [[format] = []] = await runOn(path, "SELECT version FROM evalcube_format");
    expect(info.format).toBe(Number(format));
  });

  it("shares the file out as files of each project alone would, and each project among its evaluations", async () => {
    const path = await fileOf(SMALL, LARGE);
    const alone = [await stat(await fileOf(LARGE)), await stat(await fileOf(SMALL))];
    const [large = 0, small = 0] = alone.map(({ size }) => size);
    const { projects, largest, bytes } = await (await scratchEngine({ path, readOnly: true })).info();
    const [ofLarge = 0, ofSmall = 0] = projects.map((one) => one.bytes);
    expect(ofLarge + ofSmall).toBeGreaterThan(bytes - 3);
    expect(ofLarge + ofSmall).toBeLessThanOrEqual(bytes);
    // At least what adding it to the other adds, and at most what it takes alone.
    expect(ofLarge).toBeGreaterThan(bytes - small);
    expect(ofLarge).toBeLessThan(large);
    expect(ofSmall).toBeGreaterThan(bytes - large);
    expect(ofSmall).toBeLessThan(small);
    expect(largest.map(({ id, project_id, trials }) => [project_id, id, trials])).toEqual([
      ["acme/large", "run-1", 60],
      ["acme/large", "run-2", 30],
      ["acme/large", "run-0", 20],
      ["acme/small", "run-0", 40],
      ["acme/small", "run-1", 10],
    ]);
    const [first, , third] = largest;
    expect((first?.bytes ?? 0) / (third?.bytes ?? 1)).toBeCloseTo(3, 0);
    const sum = largest.slice(0, 3).reduce((all, one) => all + one.bytes, 0);
    expect(sum).toBeGreaterThan(ofLarge * 0.9);
    expect(sum).toBeLessThanOrEqual(ofLarge);
  });

  it("counts what only the log has, and nothing twice", async () => {
    const path = scratchPath();
    const engine = await scratchEngine({ path });
    await engine.ingestCalls(LARGE);
    const { bytes, log_bytes, projects } = await engine.info();
    expect(log_bytes).toBe((await stat(`${path}.wal`)).size);
    expect(Math.abs((projects[0]?.bytes ?? 0) - bytes - log_bytes)).toBeLessThan(2);
    const calls = (await engine.info()).calls;
    await engine.deleteEvaluations("acme/large", { ids: ["run-1"] });
    const after = await engine.info();
    expect([calls - after.calls, after.trials]).toEqual([121, 50]);
    expect(after.largest.map(({ id }) => id)).toEqual(["run-2", "run-0"]);
  });

  it("is about the named projects alone", async () => {
    const engine = await scratchEngine({ path: await fileOf(SMALL, LARGE), readOnly: true });
    const all = await engine.info();
    const info = await engine.info({ projects: ["acme/small", "other/none"] });
    const [, small] = all.projects;
    expect(info).toMatchObject({ calls: SMALL.length, trials: 50, bytes: small?.bytes, log_bytes: 0 });
    expect(info.projects).toEqual([small]);
    expect(info.largest).toEqual(all.largest.filter(({ project_id: id }) => id === "acme/small"));
    expect(info.newest?.id).toBe("run-1");
    expect(await engine.info({ projects: [] })).toMatchObject({
      bytes: 0,
      calls: 0,
      oldest: null,
      projects: [],
    });
  });

  it("takes no bytes in memory, and ends for calls that are below themselves", async () => {
    const engine = await scratchEngine();
    const knot = {
      ...SMALL[0],
      project_id: "acme/small",
      id: "knot",
      parent_id: "knot",
      op_name: "step",
    };
    await engine.ingestCalls([...SMALL, knot] as readonly CallRecord[]);
    expect(await engine.info()).toMatchObject({ database: ":memory:", bytes: 0, calls: SMALL.length + 1 });
  });

  it("follows no chain of calls to its end", async () => {
    const engine = await scratchEngine();
    const chain = Array.from({ length: 20_000 }, (_, n) => ({
      ...SMALL[0],
      project_id: "acme/small",
      id: `link-${n}`,
      parent_id: n === 0 ? "run-0" : `link-${n - 1}`,
      op_name: "step",
    }));
    await engine.ingestCalls([...SMALL, ...chain] as readonly CallRecord[]);
    const before = performance.now();
    expect((await engine.info()).calls).toBe(SMALL.length + chain.length);
    // To the end it takes 16 s.
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it.each([[{ projects: "acme/qa" }], [{ project: [] }], [{ signal: 1 }]])(
    "refuses the options %o",
    async (options) => {
      const engine = await scratchEngine();
      await expect(engine.info(options as never)).rejects.toMatchObject({ code: "invalid_option" });
    },
  );
});

describe("the time of the last write", () => {
  const later = "2026-12-01T10:00:00Z";

  it("is that of the log too, so that a copy without it is older", async () => {
    const [path, copy] = [scratchPath(), scratchPath("copy.duckdb")];
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-28T16:33:20.700Z") });
    onTestFinished(() => void vi.useRealTimers());
    await (await openEngine({ path, threads: 1 })).close();
    const engine = await scratchEngine({ path });
    vi.setSystemTime(Date.parse(later));
    await engine.feedback.create(
      {
        project_id: "acme/qa",
        svc_ref: "svc:///acme/qa/call/c",
        feedback_type: "n",
        payload: {},
      },
      { userId: "ann" },
    );
    await copyFile(path, copy);
    expect((await engine.info()).last_write_at).toBe(later);
    expect((await engine.check()).last_write_at).toBe(later);
    const checked = await evalcubeHere(["check", "--db", copy]);
    expect(checked).toMatchObject({ status: 0, stdout: "" });
    expect(checked.stderr).toMatch(/nothing wrong; last write 2026-11-28T16:33:20Z\n$/);
    const told = await evalcubeHere(["check", "--db", copy, "--format", "json"]);
    expect(JSON.parse(told.stdout)).toMatchObject({ problems: [], last_write_at: "2026-11-28T16:33:20Z" });
  });

  it("is not moved by who only reads", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(later) });
    onTestFinished(() => void vi.useRealTimers());
    const path = await fileOf(SMALL);
    vi.setSystemTime(Date.parse("2026-12-02T10:00:00Z"));
    const engine = await openEngine({ path, threads: 1 });
    await engine.listEvaluations("acme/small");
    await engine.close();
    expect((await (await scratchEngine({ path, readOnly: true })).info()).last_write_at).toBe(later);
  });
});

describe("evalcube info", () => {
  it("prints the object of the library as JSON, and a table else", async () => {
    const path = await fileOf(SMALL, LARGE);
    const json = await evalcubeHere(["info", "--db", path, "--format", "json"]);
    expect(json).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual(await (await scratchEngine({ path, readOnly: true })).info());
    const { status, stdout } = await evalcubeHere(["info", "--db", path]);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^${path.replaceAll("/", "\\/")}: format \\d+, [\\d.]+ [kM]B$`)),
        expect.stringMatching(/^last write \d{4}-/),
        "430 calls, 160 trials".replace("430", String(SMALL.length + LARGE.length)),
        "oldest evaluation 2026-01-01T00:00:00Z, run-0",
        expect.stringMatching(/^acme\/large +3 +110 +223 +\d/),
        expect.stringMatching(/^run-1 +name 1 +acme\/large +60 +\d/),
      ]),
    );
  });

  it("makes no database where there is none", async () => {
    const path = scratchPath();
    const { status, stderr } = await evalcubeHere(["info", "--db", path]);
    expect([status, stderr.includes("there is no database to read")]).toEqual([1, true]);
    await expect(stat(path)).rejects.toThrow("ENOENT");
  });
});
