import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler, openEngine, type Engine, type HttpHandler } from "../../src/index.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { basic } from "../http/running-service.ts";
import { exampleCalls, lacks, filtered, type Says } from "./example.ts";

let engine: Engine;
let handle: HttpHandler;
const { key, entry } = generateKey("ann", ["acme/*"], new Date());

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(exampleCalls());
  handle = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
});

afterAll(async () => {
  await handle.close();
  await engine.close();
});

const QUERY = "/v2/acme/qa/eval_results/query";
const FEEDBACK = {
  project_id: "acme/qa",
  svc_ref: "svc:///acme/qa/call/c",
  feedback_type: "t",
  payload: {},
};

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function send({ path = QUERY, method = "POST", headers = {}, body = {} }: Sent) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const given = {
    authorization: path.startsWith("/v1") ? `Bearer ${key}` : basic(key),
    "content-type": "application/json",
    ...headers,
  };
  const request = { method, headers: given, ...(method === "GET" ? {} : { body: text }) };
  const response = await handle(new Request(`http://localhost${path}`, request));
  const answer: unknown = await response.json();
  return { status: response.status, headers: response.headers, answer, text: JSON.stringify(answer) };
}

const REFUSED: readonly (readonly [mistake: string, sent: Sent, status: number, says: Says])[] = [
  ["no key", { headers: { authorization: "" } }, 401, ["Authorization: Basic", "key"]],
  [
    "a scheme that is not there",
    { headers: { authorization: `Token ${key}` } },
    401,
    ["Authorization: Basic"],
  ],
  ["a key of another service", { headers: { authorization: "Bearer sk-123" } }, 401, ["key"]],
  ["another project", { path: "/v2/other/qa/eval_results/query" }, 403, ["other/qa"]],
  ["a path with a slip", { path: "/v2/acme/qa/eval_result/query" }, 404, ["this path", "/openapi.json"]],
  ["a path without entity", { path: "/v2/qa/eval_results/query" }, 404, ["this path", "/openapi.json"]],
  ["another method", { method: "GET" }, 405, ["GET", "POST"]],
  [
    "another media type",
    { headers: { "content-type": "text/plain" } },
    415,
    ["text/plain", "application/json"],
  ],
  ["a body that is not JSON", { body: '{"limit": 3,, }' }, 400, ["JSON", /position 12|column 13/]],
  ["an empty body", { body: "" }, 400, ["JSON", "empty"]],
  ["a list instead of a request", { body: "[]" }, 422, ["object"]],
  ["a misspelt member", { body: { limt: 3 } }, 422, ["limt", 'did you mean \\"limit\\"']],
  ["a number as a text", { body: { limit: "3" } }, 422, ["limit", "number"]],
  [
    "a prefix that is not there",
    { body: { sort_by: [{ field: "score.correct" }] } },
    400,
    ["score.correct", "scores.correct", "sort_by[0].field"],
  ],
  [
    "feedback without its payload",
    { path: "/feedback/create", body: { ...FEEDBACK, payload: undefined } },
    422,
    ["payload", "must be an object"],
  ],
  [
    "feedback with a misspelt member",
    { path: "/feedback/create", body: { ...FEEDBACK, creater: "ann" } },
    422,
    ["creater", 'did you mean \\"creator\\"'],
  ],
  [
    "feedback on a name instead of a reference",
    { path: "/feedback/create", body: { ...FEEDBACK, svc_ref: "call-1" } },
    422,
    ["svc_ref", "svc:///acme/qa/call/"],
  ],
  [
    "a training job of a model's name",
    { path: "/v1/preview/training-jobs", body: { model_id: "my-model", trajectory_groups: [] } },
    422,
    ["model_id", /uuid/i],
  ],
  [
    "a model that is not there",
    { path: "/v1/chat/completions", body: { model: "gpt-9", messages: [{ role: "user", content: "?" }] } },
    404,
    ["gpt-9", "/v1/models"],
  ],
];

const WARNED: readonly (readonly [mistake: string, body: object, says: Says])[] = [
  ["a misspelt score", filtered("scores.corect", true), ["scores.corect", "scores.correct"]],
  ["a misspelt output", filtered("outputs.txt", "a"), ["outputs.txt", "outputs.text"]],
  ["a number as a word", filtered("scores.judge.score", "high"), ["scores.judge.score", "high", "number"]],
];

describe("a mistake in a request of the service", () => {
  it.each(REFUSED)("is refused by name: %s", async (_, sent, status, says) => {
    const answered = await send(sent);
    expect(answered.status).toBe(status);
    expect(lacks(answered.text, says)).toEqual([]);
  });

  it.each(WARNED)("is a warning of the answer: %s", async (_, body, says) => {
    const { status, answer } = await send({ body });
    expect(status).toBe(200);
    const { warnings } = answer as { warnings: readonly string[] };
    expect(warnings).toHaveLength(1);
    expect(lacks(warnings.join("\n"), says)).toEqual([]);
  });
});
