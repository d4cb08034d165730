import { createHash } from "node:crypto";
import { valueDigest, bytesDigest } from "../../../src/weave/values/digests.ts";
import { PROJECT } from "../weave-requests.ts";

/** A request of a program, and what it stores, one name for each thing. */
export interface Sent {
  readonly path: string;
  /** A JSON text, or the fields of a form. */
  readonly body: string | { readonly file: string };
  readonly stores: readonly string[];
}

/** What a program sends: each step in order, and the requests of one step at the same time. */
export interface Traffic {
  readonly steps: readonly (readonly Sent[])[];
  readonly root: string;
  readonly trials: number;
  /** How many trials have the value true of the scorer `exact`. */
  readonly exact: number;
}

const SCORERS = ["exact", "close", "length", "judge"] as const;
const TRIALS = 2;
/** How many items are in a batch. */
const BATCH = 20;

/** The digest of a table with these rows. */
const digestOf = (rowDigests: readonly string[]) =>
  createHash("sha256").update(rowDigests.join("")).digest("hex");

const ref = (rest: string) => `weave:///${PROJECT}/${rest}`;
const at = (n: number) => `2026-01-01T00:00:00.${String(n % 1_000_000).padStart(6, "0")}Z`;

/** Evaluations with other names share nothing but their objects, rows and files. */
export function evaluationTraffic(name: string, rowCount: number): Traffic {
  const rows = Array.from({ length: rowCount }, (_, n) => ({ question: `What is ${n} + 1?`, n, w: 1.5 }));
  const rowDigests = rows.map((row) => valueDigest(JSON.stringify(row)));
  const code = `def predict(n):\n    return n + 1  # ${name}\n`;
  const dataset = { rows: ref(`table/${digestOf(rowDigests)}`), _class_name: "Dataset" };
  const example = (row: number) =>
    ref(`object/sums:${valueDigest(JSON.stringify(dataset))}/attr/rows/id/${rowDigests[row] ?? ""}`);
  const root = `${name}-root`;
  const trials = Array.from({ length: rowCount * TRIALS }, (_, n) =>
    trialCalls(name, n, example(n % rowCount)),
  );
  const start = { ...startOf(root, "Evaluation.evaluate", null, { model: ref(`object/${name}:v1`) }) };
  const end = endOf(root, { exact: {} }, 999_999);
  return {
    steps: [
      [fileSent(code)],
      [objectSent(name, { code: bytesDigest(Buffer.from(code)) })],
      [objectSent(name, { code: bytesDigest(Buffer.from(code)), temperature: 0.5 })],
      [tableSent(rows, rowDigests)],
      [objectSent("sums", dataset)],
      [json("/v2/acme/qa/call/start", { start }, [`start ${root}`])],
      callRequests(trials),
      [json("/v2/acme/qa/call/end", { end }, [`end ${root}`])],
    ],
    root,
    trials: trials.length,
    exact: trials.filter((_, n) => n % 3 === 0).length,
  };
}

function startOf(id: string, op: string, parent: string | null, inputs: object) {
  const names = { id, trace_id: "trace", parent_id: parent, op_name: ref(`op/${op}:v`) };
  return { project_id: PROJECT, ...names, started_at: at(1), attributes: {}, inputs };
}

function endOf(id: string, output: unknown, n: number) {
  return { project_id: PROJECT, id, ended_at: at(n), output, summary: {}, exception: null };
}

interface CallParts {
  readonly start: ReturnType<typeof startOf>;
  readonly end: ReturnType<typeof endOf>;
}

interface TrialCalls {
  readonly calls: readonly CallParts[];
  readonly feedback: readonly { readonly id: string }[];
}

/** The calls of a trial, children first, and a record of feedback for each score. */
function trialCalls(name: string, n: number, example: string): TrialCalls {
  const [trial, predict] = [`${name}-${n}`, `${name}-${n}-predict`];
  const scores = SCORERS.map((scorer, i) => (i === 0 ? n % 3 === 0 : { value: n / 10, scorer }));
  const model = ref(`object/${name}:v1`);
  const call = (id: string, op: string, parent: string, inputs: object, output: unknown): CallParts => {
    return { start: startOf(id, op, parent, inputs), end: endOf(id, output, n + 2) };
  };
  const scored = SCORERS.map((scorer, i) =>
    call(`${trial}-${scorer}`, scorer, trial, { output: n }, scores[i]),
  );
  const output = {
    output: n,
    scores: Object.fromEntries(SCORERS.map((scorer, i) => [scorer, scores[i]])),
    model_latency: 0.5,
  };
  const inputs = { model, example };
  return {
    calls: [
      call(predict, "Adder.predict", trial, { self: model, n }, n),
      ...scored,
      call(trial, "Evaluation.predict_and_score", `${name}-root`, inputs, output),
    ],
    feedback: SCORERS.map((scorer, i) => ({
      id: `${trial}-${scorer}-feedback`,
      project_id: PROJECT,
      weave_ref: ref(`call/${predict}`),
      feedback_type: `wandb.runnable.${scorer}`,
      payload: { output: scores[i] },
      runnable_ref: ref(`op/${scorer}:v`),
      call_ref: ref(`call/${trial}-${scorer}`),
      scorer_tags: [],
      span_status_code: "UNSET",
    })),
  };
}

/** The calls of the first trial one by one, of the others finished or as starts and ends in batches. */
function callRequests(trials: readonly TrialCalls[]): Sent[] {
  const calls = (isOf: (n: number) => boolean) => trials.flatMap((one, n) => (isOf(n) ? one.calls : []));
  const parts = calls((n) => n % 2 === 1);
  const complete = inBatches(calls((n) => n > 0 && n % 2 === 0)).map((batch) =>
    json(
      "/v2/acme/qa/calls/complete",
      { batch: batch.map(({ start, end }) => ({ ...start, ...end })) },
      batch.flatMap(storedBy),
    ),
  );
  // The end of a call is in another batch than its start, often an earlier one.
  const ends = parts.map((call) => ({
    item: { mode: "end", req: { end: call.end } },
    name: `end ${call.end.id}`,
  }));
  const starts = parts.map((call) => ({
    item: { mode: "start", req: { start: call.start } },
    name: `start ${call.start.id}`,
  }));
  const upserts = inBatches([...ends, ...starts]).map((batch) =>
    json(
      "/call/upsert_batch",
      { batch: batch.map(({ item }) => item) },
      batch.map(({ name }) => name),
    ),
  );
  const single = calls((n) => n === 0).flatMap(({ start, end }) => [
    json("/call/end", { end }, [`end ${end.id}`]),
    json("/call/start", { start }, [`start ${start.id}`]),
  ]);
  const feedback = inBatches(trials.flatMap((one) => one.feedback)).map((batch) =>
    json(
      "/feedback/batch/create",
      { batch },
      batch.map(({ id }) => `feedback ${id}`),
    ),
  );
  return [...complete, ...upserts, ...single, ...feedback];
}

function storedBy({ start }: CallParts): string[] {
  return [`start ${start.id}`, `end ${start.id}`];
}

function inBatches<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / BATCH);
  return Array.from({ length: count }, (_, i) => items.slice(i * BATCH, (i + 1) * BATCH));
}

function json(path: string, body: object, stores: readonly string[]): Sent {
  return { path, body: JSON.stringify(body), stores };
}

function fileSent(file: string): Sent {
  return { path: "/file/create", body: { file }, stores: [`file ${bytesDigest(Buffer.from(file))}`] };
}

function objectSent(object_id: string, val: object): Sent {
  const stores = [`object ${object_id}:${valueDigest(JSON.stringify(val))}`];
  return json("/obj/create", { obj: { project_id: PROJECT, object_id, val } }, stores);
}

function tableSent(rows: readonly object[], rowDigests: readonly string[]): Sent {
  const stores = [`table ${digestOf(rowDigests)} of ${rows.length}`];
  return json("/table/create", { table: { project_id: PROJECT, rows } }, stores);
}
