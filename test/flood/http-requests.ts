import { gzipSync } from "node:zlib";
import type { Random } from "../../src/stats/numeric/random.ts";
import { basic } from "../http/running-service.ts";
import { cutBodies, formOf } from "../support/cut-bodies.ts";
import { PROJECT } from "../support/records.ts";
import type { FloodedEngine } from "./flooded-engine.ts";
import { hostileText, pick } from "./hostile-values.ts";
import { brokenBytes, mutatedJson } from "./mutations.ts";
import { weaveTargets } from "./weave-targets.ts";
import { COMPARE, JOB, MODEL, MODEL_ID, NOTE, PURGE, QUERY, REPORT } from "./valid-requests.ts";

/** A request as it is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** An address of the service, and a request that it answers with 200. */
export interface HttpTarget {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly scheme: "basic" | "bearer" | "public";
  readonly body: object | null;
  /** Sent instead of JSON. */
  readonly form?: { readonly type: string; readonly body: Buffer };
  readonly writes: boolean;
}

const CHAT = {
  model: "m",
  messages: [{ role: "user", content: "x" }],
  seed: 1,
  stream_options: {},
  cache_salt: "s",
};

export function httpTargets({ ids }: Pick<FloodedEngine, "ids">): readonly HttpTarget[] {
  const post = { method: "POST", writes: false } as const;
  const get = { method: "GET", writes: false, body: null } as const;
  const query = `/v2/${PROJECT}/eval_results/query`;
  const compare = `/v2/${PROJECT}/eval_results/compare`;
  const report = `/v2/${PROJECT}/eval_results/report`;
  const events = `/v1/preview/training-jobs/${ids.jobId}/events?limit=2&order=desc`;
  const checkpoints = `/v1/preview/models/${MODEL_ID}/checkpoints?limit=2&after=`;
  return [
    { ...post, name: "feedback", path: "/feedback/create", scheme: "basic", body: NOTE, writes: true },
    {
      ...post,
      name: "feedback batch",
      path: "/feedback/batch/create",
      scheme: "basic",
      body: { batch: [NOTE, NOTE] },
      writes: true,
    },
    { ...post, name: "feedback purge", path: "/feedback/purge", scheme: "basic", body: PURGE, writes: true },
    { ...post, name: "results", path: query, scheme: "basic", body: QUERY },
    { ...post, name: "comparison", path: compare, scheme: "basic", body: COMPARE },
    { ...post, name: "report", path: report, scheme: "basic", body: REPORT },
    { ...get, name: "projects", path: "/v2/projects", scheme: "basic" },
    { ...get, name: "evaluations", path: `/v2/${PROJECT}/evaluations`, scheme: "basic" },
    { ...post, name: "chat", path: "/v1/chat/completions", scheme: "bearer", body: CHAT },
    {
      ...post,
      name: "stream",
      path: "/v1/chat/completions/",
      scheme: "bearer",
      body: { ...CHAT, stream: true },
    },
    { ...post, name: "jobs", path: "/v1/preview/training-jobs", scheme: "bearer", body: JOB, writes: true },
    { ...post, name: "models", path: "/v1/preview/models", scheme: "bearer", body: MODEL, writes: true },
    { ...get, name: "events", path: events, scheme: "bearer" },
    { ...get, name: "checkpoints", path: checkpoints, scheme: "bearer" },
    { ...get, name: "model list", path: "/v1/models?x=1", scheme: "bearer" },
    ...weaveTargets(ids),
    {
      ...post,
      name: "file",
      path: "/file/create",
      scheme: "basic",
      body: null,
      form: formOf(PROJECT, "print(1)"),
      writes: true,
    },
    { ...get, name: "page", path: "/view/", scheme: "public" },
    { ...get, name: "health", path: "/healthz", scheme: "public" },
    { ...get, name: "description", path: "/openapi.json", scheme: "public" },
  ];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"] as const;
const MEDIA_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "x",
  'a/b;c="d',
];
const HEADERS = [
  "openai-project",
  "idempotency-key",
  "x-request-id",
  "accept",
  "content-encoding",
  "cookie",
  "range",
];
const HEADER_VALUES = [
  "",
  "acme/qa",
  "acme/other",
  "other/x",
  "a/b/c",
  "gzip",
  "bytes=0-1",
  "x".repeat(5000),
  "\u00e9",
  "%00",
];

/** The request that is right. */
export function rightRequest(target: HttpTarget, key: string): HttpRequest {
  const authorization = { basic: basic(key), bearer: `Bearer ${key}`, public: "none" }[target.scheme];
  return {
    method: target.method,
    path: target.path,
    headers: { authorization, "content-type": target.form?.type ?? "application/json" },
    body: target.body === null ? (target.form?.body ?? null) : Buffer.from(JSON.stringify(target.body)),
  };
}

/** A body that is cut, or packed more often than its headers say. */
function strangeBody(random: Random, { body }: HttpTarget): Pick<HttpRequest, "headers" | "body"> {
  const json = JSON.stringify(body ?? { project_id: PROJECT });
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const layered = [2, 3, 5].map((times) => ({ headers, body: gzipped(Buffer.from(json), times) }));
  return pick(random, [...cutBodies(PROJECT, json), ...layered]);
}

function gzipped(bytes: Buffer, times: number): Buffer {
  return times === 0 ? bytes : gzipSync(gzipped(bytes, times - 1));
}

/** That request with something wrong: in its body for the most part, where it has one. */
export function wrongRequest(random: Random, target: HttpTarget, key: string): HttpRequest {
  const right = rightRequest(target, key);
  const { body } = target;
  if (target.method === "POST" && random() < (target.form === undefined ? 0.1 : 0.8)) {
    const strange = strangeBody(random, target);
    return { ...right, ...strange, headers: { ...right.headers, ...strange.headers } };
  }
  if (body !== null && random() < 0.8)
    return { ...right, body: brokenBytes(random, mutatedJson(random, body)) };
  const kind = random();
  if (kind < 0.2) return { ...right, method: pick(random, METHODS) };
  if (kind < 0.6) return { ...right, path: wrongPath(random, target.path) };
  const name = pick(random, HEADERS);
  const headers =
    kind < 0.7
      ? { "content-type": pick(random, MEDIA_TYPES) }
      : kind < 0.8
        ? {
            authorization: pick(random, [
              "",
              "Basic",
              "Bearer x",
              "Basic Og==",
              `Bearer ${key}x`,
              "Digest a",
            ]),
          }
        : { [name]: pick(random, HEADER_VALUES) };
  return { ...right, headers: { ...right.headers, ...headers } };
}

/** With a segment or a value of the query that is another. */
function wrongPath(random: Random, path: string): string {
  const parts = path.split(/(?<=[/?&=])|(?=[/?&=])/);
  const other = encodeURIComponent(hostileText(random).toWellFormed().slice(0, 3000));
  const raw = pick(random, [
    "%",
    "%ff",
    "%2F",
    "..",
    "//",
    "?",
    "&limit=1e400",
    "?limit=0&limit=1",
    "?after=x",
    "%00",
  ]);
  parts[Math.floor(random() * parts.length)] = random() < 0.6 ? other : raw;
  const changed = parts.join("");
  return changed.startsWith("/") ? changed : `/${changed}`;
}
