import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { call, ndjson, root, trial } from "../support/records.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

let here: Engine;
let service: RemoteService;
let far: Engine;
let near: Engine;
let file: string;
let made = 0;

beforeEach(async () => {
  file = path.join(folder, `held-${made++}.duckdb`);
  here = await openEngine({ path: file, threads: 1 });
  service = await startRemote(here);
  far = await service.open();
  near = await openEngine({ threads: 1 });
});

afterEach(async () => {
  await far.close();
  await near.close();
  await service.stop();
  await here.close();
});

const CALLS = [
  root("e"),
  trial("e1", { q: "one" }, { ok: true }),
  trial("e2", { q: "two" }, { ok: false }),
  call("elsewhere", { project_id: "acme/other", op_name: "Evaluation.evaluate", extra: 1 }),
];
const ROW = { project_id: "acme/qa", digest: "d", val: { q: "one" } };

/** What a load gives, and what then is stored, in a database of its own. */
async function loadedInto(engine: Engine, load: (engine: Engine) => Promise<unknown>) {
  const result = await load(engine).catch((error: unknown) => ({ message: String(error) }));
  return { result, projects: await engine.countEvaluations() };
}

/** The oracle is an engine over a database of its own, which holds the same. */
async function expectSameLoad(load: (engine: Engine) => Promise<unknown>): Promise<void> {
  for (let times = 0; times < 2; times++)
    expect(await loadedInto(far, load)).toEqual(await loadedInto(near, load));
}

describe("a load through a service", () => {
  it("gives what a load into a file gives, of several projects, and again", async () => {
    expect.hasAssertions();
    await expectSameLoad((engine) => engine.ingestCalls(CALLS));
    await expectSameLoad((engine) => engine.ingestRows([ROW, { ...ROW, digest: "d2" }]));
  });

  it("reads packed files where it runs, and recognises what they hold", async () => {
    expect.hasAssertions();
    const calls = path.join(folder, "calls.ndjson.gz");
    const rows = path.join(folder, "rows.ndjson");
    writeFileSync(calls, gzipSync(ndjson(CALLS)));
    writeFileSync(rows, ndjson([ROW]));
    await expectSameLoad((engine) => engine.ingestFile(calls));
    await expectSameLoad((engine) => engine.ingestFile(rows));
  });

  it("refuses a record in the words of a file, with its place in the source", async () => {
    expect.hasAssertions();
    const faulty = [...CALLS, { ...call("bad"), started_at: "no time" }, "text"];
    await expectSameLoad((engine) => engine.ingestCalls(faulty as object[]));
    await expectSameLoad((engine) => engine.ingestCalls(faulty as object[], { onInvalid: "skip" }));
    await expectSameLoad((engine) => engine.ingestFile(path.join(folder, "missing.ndjson")));
  });

  it.each([{ partial: true }, { sender: { projectId: "acme/qa", user: "eve", mayDelete: true } }])(
    "refuses by name what a service decides itself: %j",
    async (options) => {
      const [name = ""] = Object.keys(options);
      await expect(far.ingestCalls(CALLS, options)).rejects.toMatchObject({
        code: "unsupported_on_backend",
        message: expect.stringContaining(name) as string,
      });
    },
  );

  it("takes a source that is longer than what is held", async () => {
    const text = "é".repeat(400_000);
    const long = Array.from({ length: 60 }, (_, i) => trial(`long-${i}`, { i, text }, { ok: true }));
    const { received, trials } = await far.ingestCalls([root("e"), ...long]);
    expect({ received, trials }).toEqual({ received: 61, trials: 60 });
    expect(await here.countEvaluations()).toEqual([{ project_id: "acme/qa", evaluation_count: 1 }]);
  });

  it("logs an evaluation trial by trial", async () => {
    const log = far.startEvaluation("acme/qa", { name: "nightly", model: "small" });
    await log.logExample({ row: { q: "one" }, output: "1", scores: { ok: true } });
    const { trials } = await here
      .queryEvalResults("acme/qa", {
        evaluation_call_ids: [log.id],
        include_summary: true,
      })
      .then(({ rows }) => ({ trials: rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials)) }));
    expect(trials).toHaveLength(1);
    expect(await log.finish()).toMatchObject({ trials: 1, status: "finished" });
  });
});

it("waits with a log while the service is away, and then goes on", async () => {
  const { port } = new URL(service.url);
  const log = far.startEvaluation("acme/qa", { name: "nightly", model: "small" });
  await log.logExample({ row: { q: 1 }, output: 1, scores: { ok: true } });
  await service.stop();
  const waiting = log.logExample({ row: { q: 2 }, output: 2, scores: { ok: true } });
  await pause(1500);
  service = await service.restart(Number(port));
  await waiting;
  expect(await log.finish()).toMatchObject({ trials: 2 });
});

describe("an evaluation that goes on", () => {
  it("keeps its trials, and makes those that it lacks", async () => {
    const rows = [{ q: 1 }, { q: 2 }, { q: 3 }];
    const asked: number[] = [];
    const run = (engine: Engine, fails: number | null, resume: boolean) =>
      engine.evaluate("acme/qa", {
        name: "nightly",
        id: "run-1",
        resume,
        model: "small",
        data: rows,
        task: ({ q }) => {
          asked.push(q);
          if (q === fails) throw new Error("no answer");
          return q;
        },
        scorers: { right: ({ output }) => output === 1 },
      });
    expect(await run(far, 2, false)).toMatchObject({ trials: 3, errors: 1 });
    asked.length = 0;
    expect(await run(far, null, true)).toMatchObject({ trials: 3, errors: 0, skipped: 2 });
    expect(asked).toEqual([2]);
    await expect(run(far, null, false)).rejects.toMatchObject({ code: "conflict" });
  });

  it("takes a score of a stored trial, once", async () => {
    await far.ingestCalls(CALLS);
    await far.logScore("acme/qa", "e1", "judge", 0.5);
    await expect(far.logScore("acme/qa", "e1", "judge", 0.6)).rejects.toMatchObject({ code: "conflict" });
    await expect(far.logScore("acme/qa", "e9", "judge", 1)).rejects.toMatchObject({ code: "not_found" });
  });
});

function table(): string {
  const log = path.join(folder, "answers.csv");
  writeFileSync(log, "question,model,answer,correct\none,small,1,true\ntwo,small,2,false\n");
  return log;
}

describe("an import through a service", () => {
  const options = {
    project: "acme/qa",
    table: { input: "question", model: "model", output: "answer", score: "correct" },
  } as const;

  it("gives what an import into a file gives, and nothing new the second time", async () => {
    const log = table();
    for (let times = 0; times < 2; times++)
      expect(await far.importEvaluations(log, options)).toEqual(await near.importEvaluations(log, options));
  });
});

describe("what may not be stored", () => {
  it("is refused by the service where the key can only read", async () => {
    const reader = await service.open({ key: service.key("read") });
    const refusal = {
      code: "not_allowed",
      message: expect.stringContaining("this key can only read") as string,
    };
    await expect(reader.ingestCalls(CALLS)).rejects.toMatchObject(refusal);
    await expect(reader.deleteCalls("acme/qa", ["e"])).rejects.toMatchObject({ code: "not_allowed" });
    expect(await reader.listProjects()).toEqual([]);
    await reader.close();
  });

  it("is refused before it is sent where the engine was opened for reading", async () => {
    const reader = await service.open({ readOnly: true });
    await expect(reader.ingestCalls(CALLS)).rejects.toMatchObject({ code: "read_only" });
    await reader.close();
  });
});

describe("a deletion through a service", () => {
  it("hides calls, and tells how many those were", async () => {
    await far.ingestCalls(CALLS);
    expect(await far.deleteCalls("acme/qa", ["e1", "nowhere"])).toEqual({ hidden: 1 });
    await expect(far.deleteCalls("acme/qa", [""])).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("hides evaluations, and tells beforehand which", async () => {
    await far.ingestCalls(CALLS);
    const dry = await far.deleteEvaluations("acme/qa", { ids: ["e", "nowhere"], dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, hidden: 0, evaluations: [{ id: "e", trial_count: 2 }] });
    expect(await far.deleteEvaluations("acme/qa", { ids: ["e"] })).toMatchObject({ hidden: 3 });
    expect(await here.listEvaluations("acme/qa")).toEqual([]);
    const wrong = far.deleteEvaluations("acme/qa", { older_than: "90 days" });
    await expect(wrong).rejects.toMatchObject({ code: "invalid_request" });
  });
});

it("takes a backup that opens and holds what was stored, and replaces no file", async () => {
  await far.ingestCalls(CALLS);
  const out = path.join(folder, "copy.duckdb");
  await far.backup(out);
  const copy = await openEngine({ path: out, readOnly: true });
  expect(await copy.countEvaluations()).toEqual(await here.countEvaluations());
  await copy.close();
  await expect(far.backup(out)).rejects.toMatchObject({ code: "unwritable_target" });
});

it("leaves no file where a backup is not allowed", async () => {
  const other = await service.open({ key: service.key("write") });
  const target = path.join(folder, "never.duckdb");
  await expect(other.backup(target)).rejects.toMatchObject({ code: "not_allowed" });
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  await other.close();
});

it("gives feedback from texts, in the name of the key", async () => {
  await far.ingestCalls(CALLS);
  const about = { project_id: "acme/qa", svc_ref: "svc:///acme/qa/call/e1", feedback_type: "thumb" };
  const text = await far.feedback.createJson(JSON.stringify({ ...about, payload: { up: true } }), {
    userId: "nobody",
  });
  expect(JSON.parse(text)).toMatchObject({ svc_user_id: "ann", payload: { up: true } });
  const { data } = await here.feedback.list("acme/qa");
  expect(data).toHaveLength(1);
});

it("says of what has no route that it is not offered", async () => {
  const refusal = { code: "unsupported_on_backend" };
  await expect(far.check()).rejects.toMatchObject(refusal);
  await expect(far.maintain()).rejects.toMatchObject(refusal);
});
