import { request as httpRequest } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { basic, startService, type TestService } from "../http/running-service.ts";
import {
  COMPLETION,
  replyWith,
  startUpstream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { NO_PROJECT_IDS, PROJECT_IDS } from "../support/project-names.ts";
import { ndjson, root, stream, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "evalcube-names-"));
const db = join(folder, "evals.duckdb");
const keys = join(folder, "keys.json");

let engine: Engine;
let upstream: ScriptedUpstream;
let service: TestService;
let key: string;

beforeAll(async () => {
  engine = await openEngine({ path: db, threads: 1 });
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  ({ key } = await createKey(keys, { user: "ann", projects: [...PROJECT_IDS] }));
  service = await startService({
    keys,
    inference: { upstreams: [{ base_url: upstream.url, forward_project: true }] },
    query: (...args) => engine.streamEvalResults(...args),
    records: engine,
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await engine.close();
  rmSync(folder, { recursive: true });
});

const quoted = JSON.stringify;

/** What a project holds; the name of its trial's row tells it from all others. */
function recordsOf(project_id: string) {
  const own = { project_id };
  const output = { output: null, scores: { acc: 1 } };
  return [root("e", own), trial("t", { of: project_id }, {}, { ...own, output })];
}

function post(path: string, scheme: "Basic" | "Bearer", body: unknown, headers: Record<string, string> = {}) {
  const authorization = scheme === "Basic" ? basic(key) : `Bearer ${key}`;
  return service.fetch(path, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** A chat completion with a project header of these bytes. */
async function chatWith(project: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "openai-project": Buffer.from(project).toString("latin1"),
    };
    const sent = httpRequest(
      `${service.url}/v1/chat/completions`,
      { method: "POST", headers },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      },
    );
    // Node writes headers in the encoding of a body that is a string.
    sent.on("error", reject).end(Buffer.from('{"model":"m","messages":[]}'));
  });
}

describe.each(PROJECT_IDS.map((id) => [quoted(id), id]))("the project %s", (_shown, id) => {
  const [entity = "", project = ""] = id.split("/");

  it("holds what is loaded into it, and answers with that alone", async () => {
    await engine.ingestCalls(recordsOf(id));
    await engine.ingestRows([{ project_id: id, digest: "d", val: 1 }]);
    const request = { evaluation_call_ids: ["e"], include_raw_data_rows: true };
    const { rows } = await engine.queryEvalResults(id, request);
    expect(rows.map((row) => row.raw_data_row)).toEqual([{ of: id }]);
    expect((await engine.listEvaluations(id)).map((entry) => entry.trial_count)).toEqual([1]);
    const counted = await engine.sql(id, "select count(*) as n from trials");
    expect(counted.toArray().map((row) => Number(row.n))).toEqual([1]);
  });

  it("is answered over HTTP with its segments encoded", async () => {
    const path = `/v2/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/eval_results/query`;
    const response = await post(path, "Basic", { evaluation_call_ids: ["e"], include_raw_data_rows: true });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ rows: [{ raw_data_row: { of: id } }] });
  });

  it("takes feedback on what references name within it", async () => {
    const body = {
      project_id: id,
      svc_ref: `svc:///${id}/call/t`,
      feedback_type: "svc.annotation.judge",
      annotation_ref: `svc:///${id}/object/judge:v1`,
      payload: { value: 3 },
    };
    expect((await post("/feedback/create", "Basic", body)).status).toBe(200);
    expect((await engine.feedback.list(id)).data).toMatchObject([{ project_id: id, svc_ref: body.svc_ref }]);
    const { summary } = await engine.queryEvalResults(id, {
      evaluation_call_ids: ["e"],
      include_summary: true,
      include_feedback: true,
    });
    expect(summary?.evaluations[0]?.scorer_stats).toContainEqual(
      expect.objectContaining({ scorer_key: "feedback", numeric_mean: 3 }),
    );
    const elsewhere = { ...body, svc_ref: `svc:///${encodeURIComponent(entity)}x/${project}/call/t` };
    expect((await post("/feedback/create", "Basic", elsewhere)).status).toBe(400);
  });

  it("has models of its own", async () => {
    const body = { entity, project, name: "m", base_model: "b", return_existing: true };
    const first = await post("/v1/preview/models", "Bearer", body);
    expect(first.status).toBe(200);
    const model = (await first.json()) as { id: string };
    expect(model).toMatchObject({ entity, project });
    expect(await (await post("/v1/preview/models", "Bearer", body)).json()).toEqual(model);
    await engine.training.addCheckpoint(model.id, { step: 1 });
    const seen = await engine.sql(id, "select model_id from checkpoints");
    expect(seen.toArray().map((row) => String(row.model_id))).toEqual([model.id]);
  });
});

describe("the project header", () => {
  it.each(PROJECT_IDS.filter((id) => id === id.trim()))("may be %j, as UTF-8", async (id) => {
    upstream.calls.length = 0;
    expect(await chatWith(id)).toMatchObject({ status: 200 });
    expect(service.usage.at(-1)?.project).toBe(id);
    expect(Buffer.from(String(upstream.calls[0]?.headers["openai-project"]), "latin1").toString()).toBe(id);
  });

  it("may be Latin-1, which is what browsers' and Node's own clients send", async () => {
    const latin = await createKey(join(folder, "latin.json"), { user: "ann", projects: ["café/x"] });
    const other = await startService({ keys: join(folder, "latin.json") });
    const headers = { authorization: `Bearer ${latin.key}`, "openai-project": "café/x" };
    expect((await other.fetch("/v1/models", { headers })).status).toBe(200);
    await other.stop();
  });

  it.each(["acme", "a/b/c", "/", "a/", "a/\u0085b"])(
    "is refused where it names no project: %j",
    async (id) => {
      const { status, body } = await chatWith(id);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_project" } });
    },
  );
});

describe.each(NO_PROJECT_IDS.map((id) => [quoted(id), id]))("%s names no project", (_shown, id) => {
  it("in a call, a dataset row or feedback", async () => {
    const path = ["project_id"];
    expect(await refusal(engine.ingestCalls(stream([ndjson(recordsOf(id))])))).toMatchObject({ path });
    const row = ndjson([{ project_id: id, val: 1 }]);
    expect(await refusal(engine.ingestRows(stream([row])))).toMatchObject({ path });
    const body = { project_id: id, svc_ref: `svc:///${id}/call/t`, feedback_type: "t", payload: {} };
    const response = await post("/feedback/create", "Basic", body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      detail: expect.arrayContaining([expect.objectContaining({ loc: ["body", "project_id"] })]) as unknown,
    });
  });

  it("on the command line or in a keys file", async () => {
    const { status, stderr } = await evalcubeHere(["evaluations", "--db", db, "--project", id]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("ENTITY/PROJECT")]);
    await expect(createKey(keys, { user: "ann", projects: [id] })).rejects.toThrow("must be ENTITY/PROJECT");
  });
});
