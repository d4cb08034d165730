import * as fc from "fast-check";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import {
  COMPLETION,
  replyWith,
  startUpstream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { root, trial } from "../support/records.ts";
import { basic, startService, type TestService } from "./running-service.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260101);
const RUNS = Number(process.env["RUNS"] ?? 50);

let engine: Engine;
let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root(),
    ...Array.from({ length: 5 }, (_, at) => trial(`t${at}`, { n: at }, { acc: at })),
  ]);
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }] },
    query: (...args) => engine.streamEvalResults(...args),
    records: engine,
  });
});

afterAll(async () => {
  await service.stop();
  await engine.close();
  await upstream.close();
});

interface Target {
  readonly path: string;
  readonly scheme: "Basic" | "Bearer";
  /** A request that is answered with 200. */
  readonly valid: Record<string, unknown>;
}

const TARGETS: readonly Target[] = [
  {
    path: "/feedback/create",
    scheme: "Basic",
    valid: {
      project_id: "acme/qa",
      svc_ref: "svc:///acme/qa/call/c",
      feedback_type: "svc.note.1",
      payload: { note: "x" },
    },
  },
  {
    path: "/v2/acme/qa/eval_results/query",
    scheme: "Basic",
    valid: {
      evaluation_call_ids: ["e"],
      filters: [{ query: { $expr: { $gt: [{ $getField: "scores.acc" }, { $literal: 1 }] } } }],
      sort_by: [{ field: "scores.acc", direction: "desc" }],
      include_summary: true,
      pass_k: [1],
      derived_scores: { total: "acc * 2" },
      limit: 2,
    },
  },
  {
    path: "/v1/chat/completions",
    scheme: "Bearer",
    valid: { model: "m", messages: [{ role: "user", content: "x" }], seed: 1, stream_options: {} },
  },
  {
    path: "/v1/preview/training-jobs",
    scheme: "Bearer",
    valid: {
      model_id: "0198b0d4-0000-4000-8000-00000000000a",
      trajectory_groups: [{ trajectories: [{ reward: 1, metrics: {}, logs: ["x"], tools: null }] }],
      experimental_config: { ppo: true },
    },
  },
  {
    path: "/v1/preview/models",
    scheme: "Bearer",
    valid: { entity: "acme", project: "qa", name: "m", base_model: "b", return_existing: true },
  },
];

function post({ path, scheme }: Target, body: string | Uint8Array): Promise<Response> {
  const authorization = scheme === "Basic" ? basic(service.key) : `Bearer ${service.key}`;
  const headers = { authorization, "content-type": "application/json" };
  return service.fetch(path, { method: "POST", headers, body: Buffer.from(body) });
}

const hostile = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: anyCharacter }));
const anyJson = fc.jsonValue({ depthSize: "small", stringUnit: "binary" });
const key = fc.oneof(hostile, fc.constantFrom("$and", "$expr", "$literal", "scores", "id", "n", "seed"));
const anyValue = fc.oneof(
  anyJson,
  hostile,
  fc.dictionary(key, anyJson),
  fc.constantFrom(Number.MAX_VALUE, -1, 1.5, 2 ** 53),
);

const OTHER_TYPES = [null, true, 0, -1, 1.5, "", "x", [], [null], {}, { x: 1 }];

/** The valid request with something else in one place. */
function mutated(valid: object): fc.Arbitrary<unknown> {
  const places = placesOf(valid);
  return fc
    .tuple(fc.constantFrom(...places), anyValue, key, fc.boolean())
    .map(([place, value, name, added]) => {
      const copy = structuredClone(valid);
      return replace(copy, added ? [...place, name] : place, value);
    });
}

function placesOf(value: unknown, place: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...place]];
  return [[...place], ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...place, name]))];
}

function replace(whole: unknown, place: readonly string[], value: unknown): unknown {
  const [name, ...rest] = place;
  if (name === undefined) return value;
  if (typeof whole !== "object" || whole === null) return value;
  const inner = (whole as Record<string, unknown>)[name];
  Reflect.defineProperty(whole, name, {
    value: replace(inner, rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return whole;
}

/** What is wrong with the answer to a request that may be anything: a fault, or a body of the other family. */
async function complaintAbout(target: Target, body: string | Uint8Array): Promise<string | undefined> {
  const response = await post(target, body);
  const answer = (await response.json()) as object;
  const expected = [200, 400, 403, 404, 409, 413, 422].includes(response.status);
  const refusal = target.scheme === "Basic" ? "reason" : "error";
  if (expected && (response.status === 200 || refusal in answer)) return undefined;
  return `${response.status} ${JSON.stringify(answer)}`;
}

describe.each(TARGETS)(`random requests (SEED=${SEED}): $path`, (target) => {
  it("takes what is right, so that what follows begins from there", async () => {
    expect((await post(target, JSON.stringify(target.valid))).status).toBe(200);
  });

  it("with a value of any other type in any place is answered or refused, never a fault", async () => {
    for (const place of placesOf(target.valid)) {
      for (const value of OTHER_TYPES) {
        const body = JSON.stringify(replace(structuredClone(target.valid), place, value));
        expect([body, await complaintAbout(target, body)]).toEqual([body, undefined]);
      }
    }
  });

  it("with something hostile in any place is answered or refused, never a fault", async () => {
    const property = fc.asyncProperty(mutated(target.valid), async (body) => {
      expect(await complaintAbout(target, JSON.stringify(body) ?? "null")).toBeUndefined();
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  it("with bytes changed at random is answered or refused, never a fault", async () => {
    const bytes = Buffer.from(JSON.stringify(target.valid));
    const edits = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(edits, async (changes) => {
      const changed = Buffer.from(bytes);
      for (const [at, byte] of changes) changed[at] = byte;
      expect(await complaintAbout(target, changed)).toBeUndefined();
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});

describe("random bytes on the connection", () => {
  it("are refused, and the next connection is served", async () => {
    const head = Buffer.from("POST /feedback/create HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    const edits = fc.array(fc.tuple(fc.nat(head.length - 1), fc.nat(255)), { maxLength: 6 });
    const property = fc.asyncProperty(edits, async (changes) => {
      const changed = Buffer.from(head);
      for (const [at, byte] of changes) changed[at] = byte;
      const answer = await new Promise<string>((resolve) => {
        let text = "";
        const socket = connect(service.port, "127.0.0.1", () => socket.end(changed));
        socket.on("data", (data: Buffer) => (text += data.toString("latin1")));
        socket.on("error", () => {});
        socket.on("close", () => resolve(text));
      });
      expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
    expect((await service.fetch("/healthz")).status).toBe(200);
  });
});
