import type { CallRecord, CompareRequest, Engine } from "../../index.ts";
import type { Json } from "../../model/json.ts";
import { fieldText, scorePlace } from "../../model/field-path.ts";
import { scoreOf } from "../../words/score.ts";
import { askRequest, type FlaggedRequest } from "../request/flagged-request.ts";
import { type Compared, NOTHING_COMPARED } from "../../words/comparison-words.ts";
import { changesOf, type Changes, type ChangingSide } from "../../respond/compare/changes.ts";
import type { Pair } from "./pair-suites.ts";
import { isNamed, type CountsAs, type Suite, type SuiteScore, type Value } from "./suite.ts";

/** The project in memory that evaluations are compared in. */
export const PROJECT = "ci/compared";

/** A candidate in memory, with what it is compared with. */
export interface Loaded {
  readonly id: string;
  readonly label: string;
  readonly candidate: Suite;
  readonly baseline: { readonly id: string; readonly label: string };
  /** null where nothing of it is compared. */
  readonly pair: Pair | null;
}

/** Puts candidates into an engine, and of their baselines the scores that are compared. */
export async function loadPairs(
  engine: Engine,
  candidates: readonly Suite[],
  pairs: readonly Pair[],
  flagged: FlaggedRequest,
): Promise<Loaded[]> {
  const request = flagged.request as CompareRequest;
  const labels = labelsOf(candidates);
  const loaded = candidates.map((candidate, i): Loaded => {
    const label = labels[i] ?? candidate.name;
    const said = candidates.length === 1 ? "the baseline" : `the baseline of ${label}`;
    const pair = pairs.find((one) => one.candidate === candidate) ?? null;
    return { id: `candidate ${i}`, label, candidate, baseline: { id: `baseline ${i}`, label: said }, pair };
  });
  for (const { candidate, pair, baseline, ...own } of loaded) {
    const clusters = new Map(candidate.rows.map((row, i) => [row, candidate.clusters?.values[i] ?? null]));
    const told = { request, keys: candidate.keys, clusters };
    await engine.ingestCalls(callsOf(own, candidate, candidate.scores, told));
    if (pair === null) continue;
    await engine.ingestCalls(callsOf(baseline, pair.baseline, pair.scores, told));
    if (!candidate.scores.some(isOfSteps)) continue;
    const counted = { ...baseline, id: countedId(baseline) };
    const ofSteps = pair.baseline.scores.filter(isOfSteps);
    await engine.ingestCalls(callsOf(counted, pair.baseline, ofSteps, told));
  }
  return loaded;
}

function isOfSteps({ steps }: SuiteScore): boolean {
  return steps === true;
}

/** What a baseline is called with all numbers of its steps, for gates; it is compared in those that are named. */
export function countedId({ id }: Loaded["baseline"]): string {
  return `${id} steps`;
}

/** Names, of namesakes with their models, and with their files where two share a model. */
function labelsOf(candidates: readonly Suite[]): string[] {
  return candidates.map(({ name, model, file }) => {
    const named = candidates.filter((one) => one.name === name);
    const same = named.filter((one) => one.model === model);
    if (named.length === 1) return name;
    return `${name} of ${model}${same.length > 1 && file !== null ? ` in ${file}` : ""}`;
  });
}

const AT = { project_id: PROJECT, started_at: 0, ended_at: 1 };

function* callsOf(
  { id, label }: Loaded["baseline"],
  { rows, contents, clusters, errors, directions: stated }: Suite,
  scores: readonly SuiteScore[],
  {
    request,
    keys,
    clusters: shared,
  }: {
    readonly request: CompareRequest;
    readonly keys: Suite["keys"];
    /** Those of the candidate, by row: it says what a row holds. */
    readonly clusters: ReadonlyMap<string, string | null>;
  },
): Generator<CallRecord> {
  const said = scores.flatMap(({ path }) => {
    const { direction } = scoreOf(scorePlace(path), "continuous", request);
    return direction === null ? [] : [[fieldText(path), direction] as const];
  });
  const attributes = { directions: { ...stated, ...Object.fromEntries(said) } };
  // Edited rows are named in the order of their trials.
  const starts = new Map([...keys.keys()].map((row, i) => [row, i]));
  yield { ...AT, id, op_name: "Evaluation.evaluate", display_name: label, attributes };
  for (const [i, row] of rows.entries())
    for (const [trial, isError] of (errors[i] ?? []).entries()) {
      const content = contents[i] ?? null;
      const own = clusters?.values[i] ?? null;
      const cluster = (shared.has(row) ? shared.get(row) : own) ?? row;
      yield {
        ...AT,
        started_at: starts.get(row) ?? 0,
        ended_at: keys.size,
        id: `${id} ${row} ${trial}`,
        op_name: "Evaluation.predict_and_score",
        parent_id: id,
        inputs: { example: { row, content, ...(request.cluster_by == null ? {} : { cluster }) } },
        attributes: content === null ? {} : { row_key: keys.get(row) ?? row },
        output: { output: "", scores: nested(scores.map(({ path, values }) => [path, values[i]?.[trial]])) },
        ...(isError ? { exception: "an error" } : {}),
      };
    }
}

/** Puts values below the names of their paths. */
function nested(entries: readonly (readonly [readonly string[], Value | undefined])[]): Json {
  const groups = new Map<string, [readonly string[], NonNullable<Value> | null][]>();
  for (const [[name, ...rest], value] of entries)
    if (name !== undefined && value !== undefined)
      groups.set(name, [...(groups.get(name) ?? []), [rest, value]]);
  const members = [...groups].map(([name, inner]): [string, Json] => {
    const [first] = inner;
    return [name, first?.[0].length === 0 ? first[1] : nested(inner)];
  });
  return Object.fromEntries(members);
}

/** The members of a request on clusters and on trials without a value, as they are asked of what was loaded. */
export function askedOfLoaded(request: CompareRequest, loaded: readonly Loaded[]): Partial<CompareRequest> {
  const { cluster_by, count_errors_as, count_nulls_as } = request;
  const paths = loaded.flatMap(({ candidate, pair }) =>
    [...candidate.scores, ...(pair?.scores ?? [])].map(({ path }) => path),
  );
  const known = (as: CountsAs["count_errors_as"]) =>
    typeof as !== "object" || as === null
      ? as
      : Object.fromEntries(Object.entries(as).filter(([name]) => paths.some((path) => isNamed(path, name))));
  return {
    ...(cluster_by == null ? {} : { cluster_by: CLUSTER }),
    ...(count_errors_as == null ? {} : { count_errors_as: known(count_errors_as) }),
    ...(count_nulls_as == null ? {} : { count_nulls_as: known(count_nulls_as) }),
  };
}

const CLUSTER = "inputs.cluster";

/** Compares what was loaded, all of it as one family. */
export async function comparePairs(
  engine: Engine,
  loaded: readonly Loaded[],
  flagged: FlaggedRequest,
  signal: AbortSignal,
): Promise<Compared> {
  const asked = flagged.request as CompareRequest;
  // In a request each name of a score would have to be in every pair; directions are those of what was loaded.
  const { scorers: _all, lower_is_better: _lower, higher_is_better: _higher, ...others } = asked;
  const compared = loaded.filter(({ pair }) => pair !== null && pair.scores.length > 0);
  const sides = compared.map(({ id, baseline }) => ({ baseline: baseline.id, candidate: id }));
  const labels = loaded.flatMap(({ id, label, baseline }) => [{ id, label }, baseline]);
  const names = new Map(labels.map(({ id, label }) => [id, label]));
  if (sides.length === 0) return { answer: NOTHING_COMPARED, request: asked, sides, names };
  const request = { ...flagged, request: { ...others, ...askedOfLoaded(asked, loaded), pairs: sides } };
  const answer = await askRequest(request, (members) =>
    engine.compareEvaluations(PROJECT, members as CompareRequest, { signal }),
  );
  const changes = compared.flatMap(({ id, baseline, candidate, pair }) =>
    pair === null ? [] : [{ ...changesIn(pair, candidate), candidate: id, baseline: baseline.id }],
  );
  return { answer: { ...answer, changes }, request: asked, sides, names };
}

/** What changed from the baseline of a pair to its candidate. */
function changesIn({ baseline, rows }: Pair, candidate: Suite): Changes {
  const { shared, added, removed, edited } = rows;
  const found = { same: shared - edited, added, removed, edited };
  return changesOf(sideOf(baseline), sideOf(candidate), found);
}

function sideOf({ id, references, commit, errors, scores }: Suite): ChangingSide {
  return {
    id,
    commit,
    model: references.model,
    datasets: references.dataset === null ? [] : [references.dataset],
    trialsPerRow: errors.reduce((most, { length }) => Math.max(most, length), 1),
    scores: scores.map(({ path }) => path),
    scorers: new Map(Object.entries(references.scorers)),
  };
}
