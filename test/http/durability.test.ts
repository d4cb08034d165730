import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/engine/duckdb/store.ts";
import { createFeedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining } from "../../src/training/training.ts";
import { basic } from "./running-service.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evalcube-durability-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** A service in a process of its own; prints its address and key. */
async function startProcess(path: string) {
  const script = new URL("durable-service.ts", import.meta.url);
  const child = spawn(process.execPath, ["--import", "tsx", script.pathname, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    return { child, ...(JSON.parse(line) as { url: string; key: string }) };
  }
  throw new Error("the service did not start");
}

describe("a process that is killed", () => {
  it("has lost nothing that it had answered", async () => {
    const path = join(folder, "d.duckdb");
    const { child, url, key } = await startProcess(path);
    const post = async (route: string, authorization: string, body: object) => {
      const headers = { authorization, "content-type": "application/json" };
      const response = await fetch(url + route, { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()) as { id: string };
    };
    const feedback = {
      project_id: "acme/qa",
      svc_ref: "svc:///acme/qa/call/c",
      feedback_type: "x",
      payload: {},
    };
    const job = {
      model_id: "0198b0d4-0000-4000-8000-00000000000a",
      trajectory_groups: [{ trajectories: [{}] }],
    };
    const given: string[] = [];
    for (let at = 0; at < 5; at++) given.push((await post("/feedback/create", basic(key), feedback)).id);
    const { id } = await post("/v1/preview/training-jobs", `Bearer ${key}`, job);
    child.kill("SIGKILL");
    await new Promise((resolve) => {
      child.once("exit", resolve);
    });
    const store = await openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
    const kept = await createFeedback(createSqlFeedbackStore(store)).list("acme/qa");
    expect(kept.data.map((one) => one.id)).toEqual(given);
    expect(await createTraining(createSqlTrainingStore(store)).getJob(id)).toMatchObject({
      id,
      request: job,
    });
    await store.close();
  });
});
