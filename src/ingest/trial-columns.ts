import { bitRange } from "../model/numbers.ts";
import type { Column } from "../model/session.ts";
import type { Call, TrialPart } from "./call.ts";
import { identity, type Catalog, type ScorePathEntry } from "./catalog.ts";
import type { RowEntry } from "./dataset-rows.ts";
import { visitScore, type ScoreLeaf } from "./score-leaves.ts";
import type { SettledTrial } from "./settle.ts";

/** A trial ready to be written. */
export interface TrialRecord {
  readonly key: number;
  readonly projectKey: number;
  readonly evaluationKey: number;
  readonly row: RowEntry;
  readonly call: Call;
  readonly part: TrialPart;
  readonly settled: SettledTrial;
}

export function trialColumns(trials: readonly TrialRecord[]): Column[] {
  const integers = (name: string, read: (trial: TrialRecord) => number): Column => ({
    name,
    type: "INTEGER",
    values: trials.map(read),
  });
  const doubles = (name: string, read: (trial: TrialRecord) => number | null): Column => ({
    name,
    type: "DOUBLE",
    values: trials.map(read),
  });
  const texts = (name: string, read: (trial: TrialRecord) => string | null): Column => ({
    name,
    type: "VARCHAR",
    values: trials.map(read),
  });
  return [
    integers("trial_key", (trial) => trial.key),
    integers("evaluation_key", (trial) => trial.evaluationKey),
    integers("row_key", (trial) => trial.row.key),
    { name: "started_at", type: "BIGINT", values: trials.map((trial) => trial.call.startedAt) },
    doubles("latency_seconds", ({ settled }) => settled.latencySeconds),
    doubles("total_tokens", ({ settled }) => settled.totalTokens),
    doubles("own_latency_seconds", ({ part }) => part.latencySeconds),
    doubles("own_total_tokens", ({ call }) => call.totalTokens),
    texts("id", (trial) => trial.call.id),
    texts("predict_call_id", (trial) => trial.settled.predictCallId),
    texts("scorer_call_ids", (trial) => textMap(trial.settled.scorerCallIds, JSON.stringify)),
    texts("output", (trial) => trial.part.output),
    texts("late_scores", (trial) => textMap(trial.settled.lateScores, (score) => score.text)),
    texts("reference_prefix", ({ part }) => part.example.reference?.prefix ?? null),
    texts("example", ({ part: { example }, row }) =>
      example.reference !== null || example.text === row.inlineExample ? null : example.text,
    ),
  ];
}

/** A JSON object of the map's entries, null when it is empty. */
function textMap<T>(map: ReadonlyMap<string, T>, write: (value: T) => string): string | null {
  if (map.size === 0) return null;
  return `{${Array.from(map, ([name, value]) => `${JSON.stringify(name.toWellFormed())}:${write(value)}`).join(",")}}`;
}

/** The trials that went wrong as columns of `errored_trials`. */
export function errorColumns(trials: readonly TrialRecord[]): Column[] {
  const errored = trials.filter(({ settled }) => settled.error !== null);
  return [
    { name: "trial_key", type: "INTEGER", values: errored.map((trial) => trial.key) },
    { name: "evaluation_key", type: "INTEGER", values: errored.map((trial) => trial.evaluationKey) },
    { name: "row_key", type: "INTEGER", values: errored.map((trial) => trial.row.key) },
    { name: "own", type: "BOOLEAN", values: errored.map(({ settled }) => settled.error === "own") },
  ];
}

interface PlacedValue {
  readonly path: ScorePathEntry;
  readonly trial: TrialRecord;
  readonly late: boolean;
}

/**
 * The score leaves of trials as columns of `scores`, ordered by place, and the nulls as columns of
 * `null_scores`. Extends the catalog's places.
 */
export function scoreColumns(
  catalog: Catalog,
  trials: readonly TrialRecord[],
): {
  readonly columns: Column[];
  readonly nullColumns: Column[];
  readonly touchedPaths: Set<ScorePathEntry>;
} {
  const touchedPaths = new Set<ScorePathEntry>();
  const leaves = new Map<ScorePathEntry, { trial: TrialRecord; leaf: ScoreLeaf; late: boolean }[]>();
  const nulls: PlacedValue[] = [];
  const place = (projectKey: number, path: string): ScorePathEntry => {
    const id = identity(projectKey, path);
    const known = catalog.scorePaths.get(id);
    if (known !== undefined) return known;
    const entry = newPath(catalog.scorePaths.size + 1, projectKey, path);
    catalog.scorePaths.set(id, entry);
    touchedPaths.add(entry);
    return entry;
  };
  for (const trial of trials) {
    for (const late of [false, true]) {
      const visitor = {
        leaf: (leaf: ScoreLeaf) => {
          const entry = place(trial.projectKey, leaf.path);
          if (noteLeaf(entry, leaf)) touchedPaths.add(entry);
          const list = leaves.get(entry);
          if (list === undefined) leaves.set(entry, [{ trial, leaf, late }]);
          else list.push({ trial, leaf, late });
        },
        container: (path: string, isList: boolean) => {
          const entry = place(trial.projectKey, path);
          if (entry.container && (entry.list || !isList)) return;
          entry.container = true;
          entry.list ||= isList;
          touchedPaths.add(entry);
        },
        nothing: (path: string) => void nulls.push({ path: place(trial.projectKey, path), trial, late }),
      };
      if (late)
        for (const [key, score] of trial.settled.lateScores)
          visitScore(score.value, [key.toWellFormed()], visitor);
      else
        for (const [key, value] of Object.entries(trial.part.scores))
          visitScore(value, [key.toWellFormed()], visitor);
    }
  }
  const entries = [...leaves].toSorted(([a], [b]) => a.key - b.key);
  const flat = entries.flatMap(([path, list]) => list.map((one) => ({ path, ...one })));
  const columns: Column[] = [
    ...placeColumns(flat),
    { name: "kind", type: "UTINYINT", values: flat.map((one) => one.leaf.kind) },
    { name: "number", type: "DOUBLE", values: flat.map((one) => one.leaf.number) },
    { name: "text", type: "VARCHAR", values: flat.map((one) => one.leaf.text) },
  ];
  return { columns, nullColumns: placeColumns(nulls), touchedPaths };
}

function placeColumns(values: readonly PlacedValue[]): Column[] {
  return [
    { name: "path_key", type: "INTEGER", values: values.map((one) => one.path.key) },
    { name: "evaluation_key", type: "INTEGER", values: values.map((one) => one.trial.evaluationKey) },
    { name: "row_key", type: "INTEGER", values: values.map((one) => one.trial.row.key) },
    { name: "trial_key", type: "INTEGER", values: values.map((one) => one.trial.key) },
    { name: "late", type: "BOOLEAN", values: values.map((one) => one.late) },
  ];
}

function newPath(key: number, projectKey: number, path: string): ScorePathEntry {
  return {
    key,
    projectKey,
    path,
    leaf: false,
    container: false,
    list: false,
    maxExponent: null,
    minExponent: null,
    lowBit: null,
  };
}

/** Widens what is known of the values at a place. Returns whether that changed. */
function noteLeaf(entry: ScorePathEntry, leaf: ScoreLeaf): boolean {
  let changed = !entry.leaf;
  entry.leaf = true;
  if (leaf.number === null || leaf.number === 0) return changed;
  const { high, low } = bitRange(leaf.number);
  if (entry.maxExponent === null || high > entry.maxExponent) {
    entry.maxExponent = high;
    changed = true;
  }
  if (entry.minExponent === null || high < entry.minExponent) {
    entry.minExponent = high;
    changed = true;
  }
  if (entry.lowBit === null || low < entry.lowBit) {
    entry.lowBit = low;
    changed = true;
  }
  return changed;
}
