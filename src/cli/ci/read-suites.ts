import { createHash } from "node:crypto";
import type { RecordBatch } from "apache-arrow";
import { recordsOf, scoreValue } from "../../engine/table/records.ts";
import type {
  ColumnsPart,
  Engine,
  EvalResultsRequest,
  EvaluationEntry,
  LeaderboardRequest,
} from "../../index.ts";
import { statedDirections } from "../../model/direction.ts";
import { askSteps, fieldText, type GivenName, splitFieldPath, stepMember } from "../../model/field-path.ts";
import { at, isJsonObject, type Json, type JsonObject, parseJson, writeJson } from "../../model/json.ts";
import { modelName, namedVersion, referencedRowDigest } from "../../model/references.ts";
import { readRowUsage } from "../gates/paired-usage.ts";
import type { PriceList } from "../../request/wire.ts";
import { scoreName } from "../../words/score.ts";
import { countsAs, pathName, type CountsAs, type Suite, type SuiteScore, type Value } from "./suite.ts";

/** Where evaluations are read. */
export interface ReadFrom {
  readonly engine: Engine;
  readonly project: string;
  /** Prices for calls that state no cost. */
  readonly prices: unknown;
  /** Whether it is read what each row used. */
  readonly withUsage?: boolean;
  /** The field of rows whose values are clusters. */
  readonly clusterBy?: string | undefined;
  /** Names of scores that may be numbers of steps. */
  readonly steps?: readonly GivenName[];
  /** Scores without any value are read where trials without a verdict count in them. */
  readonly counts?: CountsAs;
  readonly signal: AbortSignal;
}

/** Reads evaluations as far as they are compared. */
export async function readSuites(place: ReadFrom, entries: readonly EvaluationEntry[]): Promise<Suite[]> {
  const suites: Suite[] = [];
  for (const entry of entries) {
    const { id, commit, branch } = entry;
    const scorers = await readScorers(place, id);
    const better = await readSteps(place, id);
    const found = await readRows(place, id, better);
    const keyed = await readKeys(place, id);
    suites.push({
      id,
      commit,
      branch,
      name: nameOf(entry),
      model: modelOf(entry),
      file: fileOf(entry),
      dataset: versionOf(entry.dataset_ref),
      scorers: Object.fromEntries(
        Object.entries(scorers).map(([name, one]) => [name, versionOf(one) ?? one]),
      ),
      references: { model: entry.model_ref, dataset: entry.dataset_ref, scorers },
      directions: { ...directionsOf(found.scores, better), ...statedDirections(entry.attributes) },
      figures: await readFigures(place, id),
      usage: await readUsage(place, id, found.rows),
      ...found,
      contents: found.rows.map((row) => contentOf(keyed.get(row))),
      keys: new Map([...keyed].map(([row, { key }]) => [row, key])),
    });
  }
  return suites;
}

/** What an evaluation is called. */
export function nameOf({ display_name: name, id }: Pick<EvaluationEntry, "display_name" | "id">): string {
  return name ?? id;
}

/** The name of its model. */
export function modelOf({ model_ref: reference }: EvaluationEntry): string | null {
  return reference === null ? null : modelName(reference);
}

export function fileOf({ attributes }: EvaluationEntry): string | null {
  const file = at(attributes, "file");
  return typeof file === "string" ? file : null;
}

/** The name with the version that a reference states; null where it states none. */
function versionOf(reference: string | null): string | null {
  const { name, version } = reference === null ? { name: "", version: null } : namedVersion(reference);
  return version === null ? null : `${name}:${version}`;
}

async function readFigures(
  { engine, project, prices, signal }: ReadFrom,
  id: string,
): Promise<Suite["figures"]> {
  const asked = { evaluations: [id], costs: true, prices } as LeaderboardRequest;
  const [entry] = (await engine.leaderboard(project, asked, { signal })).entries;
  const { p50_seconds: value = null, trial_count: known = 0 } = entry?.latency ?? {};
  return { cost: meanOf(entry?.cost), latency: { value, known }, tokens: meanOf(entry?.tokens) };
}

async function readUsage(
  { engine, project, prices, withUsage, signal }: ReadFrom,
  id: string,
  rows: readonly string[],
): Promise<Suite["usage"]> {
  if (withUsage !== true) return { cost: [], latency: [], tokens: [] };
  const found = new Map(
    [...(await readRowUsage(engine, project, { prices: prices as PriceList }, id, signal))].map(
      ([digest, one]) => [shortDigest(digest), one] as const,
    ),
  );
  const of = (name: keyof Suite["usage"]) => rows.map((row) => found.get(row)?.[name] ?? null);
  return { cost: of("cost"), latency: of("latency"), tokens: of("tokens") };
}

function meanOf(sum: { readonly total: number | null; readonly trial_count: number } | null | undefined) {
  const { total = null, trial_count: known = 0 } = sum ?? {};
  return { value: total === null ? null : total / known, known };
}

async function readRows(
  { engine, project, clusterBy: field, counts = {}, steps = [], signal }: ReadFrom,
  id: string,
  better: Better,
): Promise<Pick<Suite, "rows" | "clusters" | "errors" | "scores">> {
  const [rows, errors, paths]: [string[], boolean[][], Map<unknown, readonly string[]>] = [[], [], new Map()];
  const clusters: (string | null)[] = [];
  const scores = new Map<unknown, Value[][]>();
  const raw = field !== undefined;
  const asked = rowsAsked(id, raw, steps);
  for await (const part of engine.queryColumns(project, asked, { signal })) {
    if (part.kind === "head") for (const one of part.dimensions) paths.set(one.id, one.path);
    else if (part.kind === "rows")
      for (const [digest, inputs] of recordsOf(part.batch, "row_digest", "raw_data_row")) {
        rows.push(shortDigest(String(digest)));
        if (raw) clusters.push(clusterOf(inputs, field));
        errors.push([]);
      }
    else if (part.kind === "trials")
      for (const [row, error] of recordsOf(part.batch, "row_order", "error"))
        errors[Number(row)]?.push(error !== null);
    else if (part.kind === "scores") addScores(part, errors, scores);
    else break;
  }
  tellNulls(scores, paths, counts);
  const found = [...scores].map(([key, values]): SuiteScore => {
    const binary = values.flat().every((value) => typeof value !== "number");
    const path = paths.get(key) ?? [];
    return { path, binary, values, ...(better.has(pathName(path)) ? { steps: true } : {}) };
  });
  return {
    rows,
    clusters: field === undefined ? null : { field, values: clusters },
    errors,
    scores: found.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1)),
  };
}

function rowsAsked(id: string, raw: boolean, steps: readonly GivenName[]): EvalResultsRequest {
  return {
    evaluation_call_ids: [id],
    include_trial_errors: true,
    include_raw_data_rows: raw,
    resolve_row_refs: raw,
    ...stepMember(steps),
  };
}

/** Which side of the numbers of steps is better, by their names. */
type Better = ReadonlyMap<string, "lower" | null>;

/** Tells which of the scores that are named are numbers of steps. */
async function readSteps({ engine, project, steps = [], signal }: ReadFrom, id: string): Promise<Better> {
  if (steps.length === 0) return new Map();
  const wanted = { include_rows: false, include_summary: true, ...stepMember(steps) };
  const asked = { evaluation_call_ids: [id], ...wanted };
  const { summary } = await askSteps(steps, () => engine.queryEvalResults(project, asked, { signal }));
  const stats = (summary?.evaluations ?? []).flatMap((one) => one.scorer_stats);
  return new Map(stats.flatMap((one) => (one.better === undefined ? [] : [[scoreName(one), one.better]])));
}

function directionsOf(scores: readonly SuiteScore[], better: Better): Suite["directions"] {
  const lower = scores.filter(({ path }) => better.get(pathName(path)) === "lower");
  return Object.fromEntries(lower.map(({ path }) => [fieldText(path), "lower"]));
}

/** 16 bytes that stand for the digest of a row, in hexadecimal. */
export function shortDigest(digest: string): string {
  return createHash("sha256").update(digest).digest("hex").slice(0, 32);
}

/** What stands for the value of a field of a row, given as JSON text; null where the row lacks it. */
function clusterOf(row: unknown, field: string): string | null {
  if (typeof row !== "string") return null;
  const [, ...segments] = splitFieldPath(field);
  const value = segments.reduce(
    (of: unknown, name) => (Array.isArray(of) ? (of as unknown[])[Number(name)] : at(of, name)),
    parseJson(row),
  );
  return value == null ? null : shortDigest(writeJson(value)).slice(0, CONTENT_DIGITS);
}

/** A row with a key, and the digests of what its trials were asked. */
interface KeyedRow {
  readonly key: string;
  readonly contents: Set<string>;
}

/** Keeps calls of trials whose row has a key. */
const KEYED = { $expr: { $not: [{ $eq: [{ $getField: "attributes.row_key" }, { $literal: null }] }] } };

/** The rows of an evaluation that have keys, by what stands for them. */
async function readKeys({ engine, project, signal }: ReadFrom, id: string): Promise<Map<string, KeyedRow>> {
  const { keyDigest, rowDigest } = await import("../on-use/on-use.ts");
  const found = new Map<string, KeyedRow>();
  const columns = ["attributes", "inputs"];
  const request = { project_id: project, filter: { parent_ids: [id] }, query: KEYED, columns };
  for await (const line of engine.weave.streamCalls(JSON.stringify(request), { userId: "", signal })) {
    const call = parseJson(line);
    const key = at(call, "attributes", "row_key");
    if (typeof key !== "string") continue;
    const row = shortDigest(keyDigest(key));
    const known = found.get(row) ?? { key, contents: new Set() };
    const example = (at(call, "inputs", "example") ?? null) as Json;
    const referred = typeof example === "string" ? referencedRowDigest(example) : null;
    known.contents.add(referred ?? rowDigest(example));
    found.set(row, known);
  }
  return found;
}

/** With the length that Parquet writes before each, 8 bytes a row. */
const CONTENT_DIGITS = 14;

function contentOf(row: KeyedRow | undefined): string | null {
  if (row === undefined) return null;
  return shortDigest([...row.contents].toSorted().join("\n")).slice(0, CONTENT_DIGITS);
}

/** Puts values where they belong, by dimension; null is no verdict. */
function addScores(
  { batch }: Extract<ColumnsPart, { batch: RecordBatch }>,
  errors: readonly (readonly boolean[])[],
  scores: Map<unknown, Value[][]>,
): void {
  const names = ["row_order", "trial_index", "dimension", "kind", "number"];
  for (const [row, trial, dimension, kind, number] of recordsOf(batch, ...names)) {
    const values = scores.get(dimension) ?? errors.map((trials) => trials.map(() => undefined));
    scores.set(dimension, values);
    const own = values[Number(row)] ?? [];
    own[Number(trial)] = scoreValue(kind, number);
  }
}

/** Takes null for null in all dimensions below; a dimension without any value stays only where nulls count in it. */
function tellNulls(
  scores: Map<unknown, Value[][]>,
  paths: ReadonlyMap<unknown, readonly string[]>,
  { count_nulls_as: as }: CountsAs,
): void {
  for (const [dimension, nulls] of scores) {
    const path = paths.get(dimension) ?? [];
    if (nulls.flat().some((value) => value != null)) continue;
    const below = [...scores].filter(([key]) => path.every((name, i) => paths.get(key)?.[i] === name));
    if (below.length === 1 && countsAs(as, path) !== undefined) continue;
    scores.delete(dimension);
    for (const [, values] of below)
      for (const [row, own] of values.entries())
        for (const [trial, value] of own.entries())
          if (value === undefined && nulls[row]?.[trial] === null) own[trial] = null;
  }
}

/** Rows that are searched for a call of each scorer: a trial in error has none. */
const SEARCHED_ROWS = 50;

/** The versions of scorers, as their calls state them. */
async function readScorers(
  { engine, project, signal }: ReadFrom,
  id: string,
): Promise<Record<string, string>> {
  const asked = { evaluation_call_ids: [id], limit: SEARCHED_ROWS };
  const { rows } = await engine.queryEvalResults(project, asked, { signal });
  const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  const calls = new Map(trials.toReversed().flatMap((trial) => Object.entries(trial.scorer_call_ids)));
  const found = new Map<unknown, string | null>();
  const request = JSON.stringify({ project_id: project, filter: { call_ids: [...calls.values()] } });
  for await (const line of calls.size === 0
    ? []
    : engine.weave.streamCalls(request, { userId: "", signal })) {
    const { id: call, op_name: op = null, attributes = null } = JSON.parse(line) as JsonObject;
    const marks = isJsonObject(attributes) ? Object.values(attributes) : [];
    const named = marks.map((one) => (isJsonObject(one) ? one["scorer"] : null));
    found.set(call, [...named, op].find((one) => typeof one === "string") ?? null);
  }
  const versions = [...calls].flatMap(([scorer, call]): [string, string][] => {
    const version = found.get(call) ?? null;
    return version === null || versionOf(version) === null ? [] : [[scorer, version]];
  });
  return Object.fromEntries(versions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
