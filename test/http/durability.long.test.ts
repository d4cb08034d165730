import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { sql } from "../../src/store/sql.ts";
import { createFeedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining } from "../../src/training/training.ts";
import { basic } from "./running-service.ts";
import { builtProgram } from "../support/built-program.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evalcube-durability-"));
});

afterAll(() => rm(folder, { recursive: true }));

const { key, entry } = generateKey("ann", ["acme/*"], new Date());

/** A service in a process of its own. */
async function startProcess(path: string) {
  const keys = JSON.stringify({ version: 1, keys: [entry] });
  const child = spawn(process.execPath, [builtProgram("children/durable-service"), path, keys], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface(child.stdout)) return { child, url };
  throw new Error("the service did not start");
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { id: string }).id;
}

const bearer = { authorization: `Bearer ${key}` };
const FEEDBACK = {
  project_id: "acme/qa",
  svc_ref: "svc:///acme/qa/call/c",
  feedback_type: "x",
  payload: {},
};
const JOB = {
  model_id: "0198b0d4-0000-4000-8000-00000000000a",
  trajectory_groups: [{ trajectories: [{}] }],
};

function send(url: string, at: number): Promise<string> {
  return post(`${url}/v1/preview/training-jobs`, JOB, { ...bearer, "idempotency-key": `job ${at}` });
}

function reopen(path: string) {
  return openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
}

describe("a process that is killed", () => {
  it("has lost nothing that it had answered", async () => {
    const path = join(folder, "d.duckdb");
    const { child, url } = await startProcess(path);
    const given: string[] = [];
    for (let at = 0; at < 5; at++)
      given.push(await post(`${url}/feedback/create`, FEEDBACK, { authorization: basic(key) }));
    const id = await post(`${url}/v1/preview/training-jobs`, JOB, bearer);
    await kill(child);
    const store = await reopen(path);
    const kept = await createFeedback(createSqlFeedbackStore(store)).list("acme/qa");
    expect(kept.data.map((one) => one.id)).toEqual(given);
    expect(await createTraining(createSqlTrainingStore(store)).getJob(id)).toMatchObject({
      id,
      request: JOB,
    });
    await store.close();
  });

  it("while it stores jobs has each of them once, after they have been sent again", async () => {
    const path = join(folder, "e.duckdb");
    const first = await startProcess(path);
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    const answered = new Map<number, string>();
    const cut = numbers.map(async (at) => answered.set(at, await send(first.url, at)));
    await Promise.any(cut);
    await kill(first.child);
    await Promise.allSettled(cut);
    const second = await startProcess(path);
    const ids = await Promise.all(numbers.map((at) => send(second.url, at)));
    for (const [at, id] of answered) expect(ids[at]).toBe(id);
    await kill(second.child);
    const store = await reopen(path);
    const stored = await store.read((session) => session.rows(sql`SELECT id FROM training_jobs ORDER BY id`));
    expect(stored.flat()).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    await store.close();
  });
});
