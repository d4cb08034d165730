import { Writable } from "node:stream";
import type { Random } from "../../src/stats/numeric/random.ts";
import { ndjson, PROJECT, stream, trial } from "../support/records.ts";
import type { FloodedEngine } from "./flooded-engine.ts";
import { pick } from "./hostile-values.ts";
import { brokenBytes, mutatedJson, mutatedValue } from "./mutations.ts";
import {
  AGREEMENT,
  COMPARE,
  JOB,
  MODEL,
  MODEL_ID,
  NOTE,
  QUERY,
  RECORD,
  ROW,
  STATEMENT,
} from "./valid-requests.ts";

type Arguments = readonly unknown[];
type Distort = (random: Random, valid: Arguments) => Arguments;

/** One way to call the library: what to call, and arguments that are right. */
export interface LibraryCall {
  readonly name: string;
  readonly writes: boolean;
  readonly call: (args: Arguments) => unknown;
  readonly valid: () => Arguments;
  /** Makes arguments that may be anything. */
  readonly distort: Distort;
}

/** Every function of the library that takes a request, the same function more than once where it takes several kinds. */
export function libraryCalls({ feedback, training, ids, ...engine }: FloodedEngine): readonly LibraryCall[] {
  const asks = (name: string, ...valid: Arguments) => callOf(engine, name, valid);
  const writes = (name: string, ...valid: Arguments) => ({ ...asks(name, ...valid), writes: true });
  const lists = (name: string, ...valid: Arguments) => callOf(training, name, valid, "training.");
  const adds = (name: string, ...valid: Arguments) => ({ ...lists(name, ...valid), writes: true });
  return [
    { ...writes("ingestCalls", [RECORD], { onInvalid: "fail" }), distort: tamed },
    { ...writes("ingestRows", [ROW], { onInvalid: "skip" }), distort: tamed },
    { ...writes("ingestFile", [RECORD], { kind: "calls" }), distort: tamed },
    { ...writes("ingestCalls"), ...textOf(RECORD, trial("other", { n: 3 })) },
    { ...writes("ingestRows"), ...textOf(ROW) },
    { ...writes("ingestFile"), ...textOf(ROW, ROW) },
    writes("deleteCalls", PROJECT, ["f1"], { onInvalid: "fail" }),
    writes("logScore", PROJECT, "f2", "late", { tone: "kind" }, { reason: "asked" }),
    asks("queryEvalResults", PROJECT, QUERY, {}),
    asks("queryEvalResultsJson", PROJECT, { ...QUERY, include_uncertainty: true }, {}),
    asks("streamEvalResults", PROJECT, QUERY, {}),
    asks("queryTable", PROJECT, QUERY, {}),
    asks("queryBatches", PROJECT, QUERY, {}),
    asks("queryColumns", PROJECT, QUERY, {}),
    { ...asks("exportResults"), ...exportOf(PROJECT, QUERY) },
    asks("compareEvaluations", PROJECT, COMPARE, {}),
    asks("items", PROJECT, { evaluations: AGREEMENT.evaluations, scorer: AGREEMENT.a, limit: 3 }, {}),
    asks("agreement", PROJECT, AGREEMENT, {}),
    asks("sql", PROJECT, STATEMENT, [1, "e"], { timeLimitSeconds: 20, maxResultBytes: 1e9 }),
    asks("sqlBatches", PROJECT, STATEMENT, [1, "e"], { timeLimitSeconds: 20 }),
    { ...asks("exportSql"), ...exportOf(PROJECT, STATEMENT, [1, "e"]) },
    asks("explain", PROJECT, QUERY),
    asks("listEvaluations", PROJECT, {}),
    asks("countEvaluations", {}),
    asks("check", {}),
    { ...callOf(feedback, "create", [NOTE, { userId: "ann" }], "feedback."), writes: true },
    { ...callOf(feedback, "createMany", [[NOTE, NOTE], { userId: "ann" }], "feedback."), writes: true },
    { ...callOf(feedback, "purge", [PROJECT, { ids: ["none"] }], "feedback."), writes: true },
    callOf(feedback, "list", [PROJECT, { limit: 2, after: ids.feedbackId }], "feedback."),
    adds("createJob", JOB, { projectId: PROJECT, userId: "ann", idempotencyKey: "k", keyId: "k" }),
    lists("getJob", ids.jobId),
    adds("registerModel", MODEL, { entity: "acme" }),
    lists("getModel", MODEL_ID),
    adds("addCheckpoint", MODEL_ID, { step: 2, metrics: { loss: 0.5 } }),
    lists("listCheckpoints", MODEL_ID, { limit: 2, order: "desc" }),
    adds("addEvent", ids.jobId, { type: "gradient_step", data: { step: 1 } }),
    lists("listEvents", ids.jobId, { limit: 2 }),
  ];
}

function callOf(holder: object, name: string, valid: Arguments, prefix = ""): LibraryCall {
  const method: unknown = Reflect.get(holder, name);
  if (typeof method !== "function") throw new Error(`there is no function ${name}`);
  return {
    name: prefix + name,
    writes: false,
    call: (args) => Reflect.apply(method, holder, args) as unknown,
    valid: () => valid,
    distort: (random, args) => listed(mutatedValue(random, args)),
  };
}

/** What is passed when arguments are no list any more. */
function listed(args: unknown): Arguments {
  return Array.isArray(args) ? args : [args];
}

/** Records as the bytes of a source, their text distorted. */
function textOf(...records: readonly object[]): { valid: () => Arguments; distort: Distort } {
  return {
    valid: () => [stream([ndjson(records)])],
    distort: (random) => {
      const text = records.map((record) => `${mutatedJson(random, record)}\n`).join("");
      return [stream([brokenBytes(random, text)]), ...(random() < 0.5 ? [{ onInvalid: "skip" }] : [])];
    },
  };
}

const FORMATS = ["parquet", "csv", "jsonl", "json", "arrow"] as const;

function sink(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Arguments and a target, which is a stream or a file. */
function exportOf(...args: Arguments): { valid: () => Arguments; distort: Distort } {
  return {
    valid: () => [...args, { format: "csv", stream: sink() }],
    distort: (random) => {
      const target = random() < 0.5 ? { stream: sink() } : { path: "table" };
      const all = mutatedValue(random, [...args, { format: pick(random, FORMATS), ...target }]);
      return listed(all).map((arg) =>
        typeof arg === "object" && arg !== null && "path" in arg ? { ...arg, path: tame(arg.path) } : arg,
      );
    },
  };
}

/** Arguments whose first is a source. */
function tamed(random: Random, valid: Arguments): Arguments {
  return listed(mutatedValue(random, valid)).map((arg: unknown) =>
    Array.isArray(arg) ? arg.map(tame) : tame(arg),
  );
}

/** Nothing outside of the folder of the test may be read or written. */
function tame(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("/") ? `.${value}` : value;
}
