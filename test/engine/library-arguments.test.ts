import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler, EvalcubeError, openEngine, serveHttp, type Engine } from "../../src/index.ts";
import { call } from "../support/records.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
});

afterAll(() => engine.close());

const MODEL = "0198b0d4-0000-4000-8000-00000000000a";
const JOB = { model_id: MODEL, trajectory_groups: [] };
const FEEDBACK = {
  project_id: "acme/qa",
  svc_ref: "svc:///acme/qa/call/c",
  feedback_type: "t",
  payload: {},
};
const FILE = { format: "csv", path: join(tmpdir(), `evalcube-arguments-${process.pid}.csv`) };
const COMPARED = { baseline: "a", candidates: ["b"] };
const AGREED = { evaluations: ["e"], a: "x", b: "y" };
const KEYS = { version: 1, keys: [] };

/** A library call as an untyped program makes it. */
type Call = (...given: readonly unknown[]) => unknown;

/** Calls with arguments that are in order, and which of them may be left out. */
const CALLS: readonly (readonly [string, readonly unknown[], number])[] = [
  ["ingestCalls", [[call("c")], {}], 1],
  ["ingestRows", [[{ project_id: "acme/qa", val: 1 }], {}], 1],
  ["ingestFile", [[call("c")], {}], 1],
  ["deleteCalls", ["acme/qa", ["x"], {}], 2],
  ["queryEvalResultsJson", ["acme/qa", {}, {}], 2],
  ["streamEvalResults", ["acme/qa", {}, {}], 2],
  ["queryEvalResults", ["acme/qa", {}, {}], 2],
  ["items", ["acme/qa", { evaluations: ["e"], scorer: "x" }, {}], 2],
  ["agreement", ["acme/qa", AGREED, {}], 2],
  ["queryTable", ["acme/qa", {}, {}], 2],
  ["queryBatches", ["acme/qa", {}, {}], 2],
  ["queryColumns", ["acme/qa", {}, {}], 2],
  ["exportResults", ["acme/qa", {}, FILE], 3],
  ["compareEvaluations", ["acme/qa", COMPARED, {}], 2],
  ["sql", ["acme/qa", "select 1", [], {}], 2],
  ["sqlBatches", ["acme/qa", "select 1", [], {}], 2],
  ["exportSql", ["acme/qa", "select 1", [], FILE], 4],
  ["explain", ["acme/qa", {}], 2],
  ["listEvaluations", ["acme/qa", {}], 1],
  ["countEvaluations", [{}], 0],
  ["feedback.create", [FEEDBACK, { userId: "ann" }], 2],
  ["feedback.createJson", [JSON.stringify(FEEDBACK), { userId: "ann" }], 2],
  ["feedback.createMany", [[FEEDBACK], { userId: "ann" }], 2],
  ["feedback.createManyJson", [JSON.stringify({ batch: [FEEDBACK] }), { userId: "ann" }], 2],
  ["feedback.purge", ["acme/qa", { ids: ["none"] }], 2],
  ["feedback.list", ["acme/qa", {}], 1],
  ["feedback.listJson", ["acme/qa", {}], 1],
  ["training.createJob", [JOB, {}], 1],
  ["training.getJob", [MODEL], 1],
  [
    "training.registerModel",
    [{ project: "p", name: "n", base_model: "b", return_existing: true }, { entity: "e" }],
    2,
  ],
  ["training.getModel", [MODEL], 1],
  ["training.addCheckpoint", [MODEL, { step: 1, metrics: {} }], 2],
  ["training.listCheckpoints", [MODEL, {}], 1],
  ["training.addEvent", [MODEL, { type: "t", data: {} }], 2],
  ["training.listEvents", [MODEL, {}], 1],
  ["openEngine", [{}], 0],
  ["createHttpHandler", [{ streamEvalResults: () => {}, feedback: {}, training: {} }, { keys: KEYS }], 2],
];

function callOf(name: string): Call {
  if (name === "openEngine") return async (options) => (await openEngine(options as object)).close();
  if (name === "createHttpHandler") return createHttpHandler as Call;
  const [first = "", second] = name.split(".");
  const member = Reflect.get(engine, first) as Call;
  return second === undefined ? member : (Reflect.get(member, second) as Call);
}

/** Waits for it, reading what comes in pieces to its end. */
async function settle(made: () => unknown): Promise<void> {
  const result = made();
  if (typeof result === "object" && result !== null && Symbol.asyncIterator in result) {
    const pieces: unknown[] = [];
    for await (const piece of result as AsyncIterable<unknown>) pieces.push(piece);
  }
  await result;
}

async function failureOf(made: () => unknown): Promise<unknown> {
  try {
    await settle(made);
    return null;
  } catch (error) {
    return error;
  }
}

/** What is wrong with how a call failed, or did not. */
function complaint(error: unknown, mayPass: boolean): string | null {
  if (error === null) return mayPass ? null : "was taken";
  if (!(error instanceof EvalcubeError))
    return error instanceof Error ? `${error.name}: ${error.message}` : "no error";
  return error.code === "query_failed" ? error.message : null;
}

/** Of no type that any argument has. */
const FOREIGN = new Set<unknown>([null, 1, Number.NaN, true, Symbol("s"), 10n, () => 1]);
const ODD = [...FOREIGN, undefined, "", "x", "a\0b", [], [null], {}, { x: 1 }];

const shown = (value: unknown) =>
  typeof value === "string" || (typeof value === "object" && value !== null)
    ? JSON.stringify(value)
    : String(value);

describe.each(CALLS)("%s", (name, good, required) => {
  it("takes arguments that are in order", async () => {
    const error = await failureOf(() => callOf(name)(...good));
    expect([null, "unsupported_request", "invalid_request"]).toContain(
      error instanceof EvalcubeError ? error.code : error,
    );
  });

  it("refuses arguments of another type with an error of ours", async () => {
    const complaints: string[] = [];
    for (const at of good.keys()) {
      for (const value of ODD) {
        const mayPass = value === undefined ? at >= required : !FOREIGN.has(value);
        const error = await failureOf(() => callOf(name)(...good.with(at, value)));
        const wrong = complaint(error, mayPass);
        if (wrong !== null) complaints.push(`${at} ${shown(value)}: ${wrong}`);
      }
    }
    expect(complaints).toEqual([]);
  });

  it("refuses missing arguments with an error of ours", async () => {
    for (let count = 0; count < required; count++) {
      const error = await failureOf(() => callOf(name)(...good.slice(0, count)));
      expect([count, complaint(error, false)]).toEqual([count, null]);
    }
  });

  it("refuses members of another type with an error of ours", async () => {
    const complaints: string[] = [];
    for (const [at, own] of good.entries()) {
      if (typeof own !== "object" || own === null || Array.isArray(own)) continue;
      const members = new Set([...Object.keys(own), "signal", "limit"]);
      for (const member of members) {
        // A text is a good path, where a file would appear.
        for (const value of member === "path" ? FOREIGN : ODD) {
          const given = good.with(at, { ...own, [member]: value });
          const wrong = complaint(await failureOf(() => callOf(name)(...given)), true);
          if (wrong !== null) complaints.push(`${at} ${member} ${shown(value)}: ${wrong}`);
        }
      }
    }
    expect(complaints).toEqual([]);
  });
});

describe("what a library call refuses, it locates", () => {
  it.each<[string, readonly unknown[], readonly (string | number)[]]>([
    ["training.addEvent", [MODEL, {}], ["type"]],
    ["training.addEvent", [MODEL, null], []],
    ["training.addEvent", [MODEL, { type: "t", data: [] }], ["data"]],
    ["training.addEvent", [MODEL, { type: "t", data: { a: [Number.NaN] } }], ["data", "a", 0]],
    ["training.addEvent", [null, { type: "t" }], ["job_id"]],
    ["training.addCheckpoint", [MODEL, null], []],
    ["training.addCheckpoint", [MODEL, { step: 1, metrics: null }], ["metrics"]],
    ["training.addCheckpoint", [MODEL, { step: 1, metrics: { loss: "x" } }], ["metrics", "loss"]],
    ["training.addCheckpoint", [MODEL, { metrics: {} }], ["step"]],
    ["training.addCheckpoint", ["a\0b", { step: 1 }], ["model_id"]],
    ["training.listCheckpoints", [MODEL, { limit: true }], ["limit"]],
    ["training.listCheckpoints", [MODEL, { after: 1 }], ["after"]],
    ["training.createJob", [{ ...JOB, more: () => 1 }], ["more"]],
    ["training.createJob", [JOB, { projectId: "acme" }], ["options", "projectId"]],
    ["training.registerModel", [{ project: "p", name: "n", base_model: "b" }, { entity: "a/b" }], ["entity"]],
    ["feedback.create", [FEEDBACK, {}], ["options", "userId"]],
    ["feedback.list", [1], ["project_id"]],
    ["deleteCalls", ["acme/qa", "c"], ["ids"]],
    ["deleteCalls", ["acme/qa", [1]], ["ids", 0]],
    ["openEngine", [{ path: 1 }], ["path"]],
    ["openEngine", [{ onJob: 1 }], ["onJob"]],
    ["createHttpHandler", [null, { keys: KEYS }], ["engine"]],
    ["createHttpHandler", [{}, null], ["engine", "streamEvalResults"]],
  ])("%s(%j)", async (name, given, path) => {
    const error = await failureOf(() => callOf(name)(...given));
    expect(error).toMatchObject({ code: "invalid_request", path });
  });

  it.each<[string, (handler: unknown) => readonly unknown[], readonly string[]]>([
    ["no handler", () => [null], ["handler"]],
    ["a plain function", () => [() => {}], ["handler"]],
    ["options that are none", (handler) => [handler, null], ["options"]],
    ["a port that is none", (handler) => [handler, { port: -1 }], ["options", "port"]],
    ["a host that is none", (handler) => [handler, { host: null }], ["options", "host"]],
  ])("serveHttp with %s", async (_name, given, path) => {
    const handler = createHttpHandler(engine, { keys: { version: 1, keys: [] } });
    const error = await failureOf(() => (serveHttp as Call)(...given(handler)));
    expect(error).toMatchObject({ code: "invalid_request", path });
    await handler.close();
  });
});

it("an option that openEngine does not have is refused with its name, before anything is made", async () => {
  const misspelt = { paht: "x.duckdb" } as object;
  await expect(openEngine(misspelt)).rejects.toMatchObject({ code: "invalid_request", message: /paht/ });
});
