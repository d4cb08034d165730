import type { Key } from "../../model/digest.ts";
import { grouped } from "../../model/grouped.ts";
import { memberTexts } from "../../model/member-texts.ts";
import { oneLine, outputLineOf } from "../../model/one-line.ts";
import { stubsIn } from "../../model/text-stubs.ts";
import type { Plan, VirtualLeaf } from "../../plan/plan.ts";
import type { TrialRecord } from "../../plan/results.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import { shownValue, type ValueCut } from "./cut-values.ts";

/** A stored row, and what it is said to hold. */
export interface RowDetails {
  readonly digest: string;
  readonly val: string | null;
  readonly inlineExample: string | null;
}

/** The number of rows of the page whose reference resolves to no dataset row, and the digest of the first. */
export interface Unresolved {
  count: number;
  example: string;
}

/** Virtual scores as JSON objects, keyed by trial key. */
export type VirtualScores = ReadonlyMap<Key, string>;

/** What trials have beside their records, by trial key. */
interface TrialDetails {
  /** Rows that are named by what they hold, by key; empty where raw rows are not asked for. */
  readonly contents: ReadonlyMap<Key, RowDetails>;
  readonly virtual: VirtualScores;
  /** Exceptions; null where the request does not ask for them. */
  readonly errors: ReadonlyMap<Key, string> | null;
  readonly costs: ReadonlyMap<Key, number>;
  readonly cut: ValueCut;
}

/** Writes one row of the response as JSON text; stored values are copied verbatim. */
export function writeRow(
  request: EvalRequest,
  plan: Plan,
  row: RowDetails,
  trials: readonly TrialRecord[],
  details: TrialDetails,
  unresolved: Unresolved,
): string {
  const places = new Map(plan.evaluationKeys.map((key, i) => [key, i]));
  const place = (trial: TrialRecord) => places.get(trial.evaluationKey) ?? 0;
  const ordered = trials.toSorted((a, b) => place(a) - place(b) || compareTrials(a, b));
  const isEdited = new Set(ordered.map(({ contentKey }) => contentKey)).size > 1;
  const rawOf = (first: TrialRecord | undefined) =>
    valueMembers("raw_data_row", "row_bytes", rawRow(request, row, first, details, unresolved), details.cut);
  const latest = plan.latestFirst.find((key) => ordered.some(({ evaluationKey }) => evaluationKey === key));
  const raw = rawOf(isEdited ? ordered.find(({ evaluationKey }) => evaluationKey === latest) : ordered[0]);
  const evaluations: string[] = [];
  for (let from = 0; from < ordered.length;) {
    const key = ordered[from]?.evaluationKey;
    const own = isEdited ? `,${rawOf(ordered[from])}` : "";
    let to = from;
    while (ordered[to]?.evaluationKey === key) to++;
    const texts = ordered.slice(from, to).map((trial) => writeTrial(request, trial, details));
    evaluations.push(
      `{"evaluation_call_id":${JSON.stringify(plan.evaluationIds[places.get(key ?? -1) ?? -1])},"trials":[${texts.join(",")}]${own}}`,
    );
    from = to;
  }
  const edited = isEdited ? ',"edited":true' : "";
  const digest = JSON.stringify(row.digest);
  return `{"row_digest":${digest},${raw}${edited},"evaluations":[${evaluations.join(",")}]}`;
}

function compareTrials(a: TrialRecord, b: TrialRecord): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

/** The raw row as its first trial holds it: the value, or the reference unless references are resolved. */
function rawRow(
  request: EvalRequest,
  row: RowDetails,
  first: TrialRecord | undefined,
  { contents }: TrialDetails,
  unresolved: Unresolved,
): string {
  if (request.rawRows === "none" || first === undefined) return "null";
  if (first.referencePrefix === null) return first.example ?? row.inlineExample ?? "null";
  const { val, digest } = contents.get(first.contentKey ?? first.rowKey) ?? row;
  if (request.rawRows === "resolved") {
    if (val !== null) return val;
    if (unresolved.count++ === 0) unresolved.example = digest;
  }
  return JSON.stringify(first.referencePrefix + digest);
}

function writeTrial(
  { includeOutputs, includeDetails }: EvalRequest,
  trial: TrialRecord,
  { virtual, errors, costs, cut }: TrialDetails,
): string {
  const members = trial.output === null ? new Map<string, string>() : memberTexts(trial.output);
  const own = members.get("scores") ?? "";
  const scores = own.startsWith("{") ? own : "{}";
  const output = members.get("output") ?? members.get("model_output") ?? "null";
  const detailed = includeDetails ? `,"details":${members.get("details") ?? "null"}` : "";
  const error = errors === null ? "" : `,"error":${JSON.stringify(errors.get(trial.trialKey) ?? null)}`;
  return `{"predict_and_score_call_id":${JSON.stringify(trial.id)}\
,"predict_call_id":${JSON.stringify(trial.predictCallId)}\
,${shownOutput(output, includeOutputs, cut)}\
,"scores":${joinObjects(joinObjects(scores, trial.lateScores ?? "{}"), virtual.get(trial.trialKey) ?? "{}")}\
,"model_latency_seconds":${JSON.stringify(trial.latencySeconds)}\
,"total_tokens":${JSON.stringify(trial.totalTokens)}\
,"scorer_call_ids":${trial.scorerCallIds ?? "{}"}\
,"total_cost":${JSON.stringify(costs.get(trial.trialKey) ?? null)}\
,"genai_span_ref":${trial.spanRefs ?? "null"}${error}${detailed}}`;
}

/** The members of a trial that tell its output. */
function shownOutput(output: string, include: EvalRequest["includeOutputs"], cut: ValueCut): string {
  if (include === true) return valueMembers("model_output", "output_bytes", output, cut);
  if (include === false) return '"model_output":null';
  const [stub] = stubsIn(cut.mark, output);
  const line = stub === undefined ? outputLineOf(output) : (stub.line ?? oneLine(stub.head));
  return `"model_output":${JSON.stringify(line)}`;
}

/** A member with a value, and behind it the size of the whole where the value is cut. */
function valueMembers(name: string, sizeName: string, value: string, cut: ValueCut): string {
  const { json, bytes } = shownValue(value, cut);
  return `"${name}":${json}${bytes === null ? "" : `,"${sizeName}":${bytes}`}`;
}

/** Joins the members of two compact objects into one object. */
function joinObjects(a: string, b: string): string {
  if (b === "{}") return a;
  return a === "{}" ? b : `${a.slice(0, -1)},${b.slice(1)}`;
}

/** One virtual score of a trial; `kind` is that of a number or a boolean. */
interface ComputedScore {
  readonly pathKey: number;
  readonly kind: number;
  readonly number: number;
}

/** Virtual scores of each trial, by its key, as a JSON object that has each at its path. */
export function writeVirtualScores(
  leaves: readonly VirtualLeaf[],
  scores: readonly (ComputedScore & { readonly trialKey: Key })[],
): ReadonlyMap<Key, string> {
  const trials = grouped(scores, ({ trialKey }) => trialKey);
  return new Map([...trials].map(([key, own]) => [key, writeVirtual(leaves, own)]));
}

function writeVirtual(leaves: readonly VirtualLeaf[], scores: readonly ComputedScore[]): string {
  const members = leaves.flatMap(({ key, path }) => {
    const score = scores.find(({ pathKey }) => pathKey === key);
    if (score === undefined) return [];
    const text = JSON.stringify(score.kind === BOOLEAN ? score.number === 1 : score.number);
    return [{ path, text }];
  });
  return writeMembers(members);
}

/** Writes values as an object that has each at its path. */
function writeMembers(
  members: readonly { readonly path: readonly string[]; readonly text: string }[],
): string {
  const written = Array.from(
    grouped(members, ({ path: [name = ""] }) => name),
    ([name, within]) => {
      const below = within.map(({ path: [, ...rest], text }) => ({ path: rest, text }));
      const value = below.find(({ path }) => path.length === 0)?.text ?? writeMembers(below);
      return `${JSON.stringify(name)}:${value}`;
    },
  );
  return `{${written.join(",")}}`;
}
