import { isJsonObject, type Json } from "../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../model/read-json.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { bitRange, readTextNumber } from "../../model/numbers.ts";
import {
  identity,
  newScorePath,
  type Dictionaries,
  type ScorePathEntry,
  type ScorePlace,
} from "../keys/catalog.ts";
import type { WritableTrial } from "./trial-columns.ts";
import type { TurnTaker } from "../../model/turns.ts";
import {
  addScoreValue,
  type ScoreOrigin,
  type ScoreValue,
  type ScoreValues,
  type TrialKeys,
} from "./score-values.ts";

/** A null that a trial has as a score. */
export interface NullScore {
  readonly path: ScorePathEntry;
  readonly keys: TrialKeys;
  readonly late: boolean;
}

interface Collection {
  readonly catalog: Dictionaries;
  readonly values: ScoreValues;
  readonly nulls: NullScore[];
  readonly touchedPaths: Set<ScorePathEntry>;
}

/** Adds the score values of trials to `values`, and new dimensions to the catalog. */
export async function collectScores(
  catalog: Dictionaries,
  trials: readonly WritableTrial[],
  values: ScoreValues,
  turns: TurnTaker,
): Promise<{ readonly nulls: readonly NullScore[]; readonly touchedPaths: ReadonlySet<ScorePathEntry> }> {
  const collection: Collection = { catalog, values, nulls: [], touchedPaths: new Set() };
  for (const trial of trials) {
    if (turns.shouldYield()) await turns.next();
    const { key, evaluationKey, row, projectKey, part, settled } = trial;
    const own = { trial: { evaluation: evaluationKey, row: row.key, trial: key }, late: false };
    const root = rootDimension(catalog, projectKey);
    const { scores } = part;
    for (const name in scores) visit(collection, own, placeBelow(root, name), scores[name] ?? null);
    for (const [name, { value }] of settled.lateScores)
      visit(collection, { ...own, late: true }, placeBelow(root, name), value);
  }
  return collection;
}

function rootDimension(catalog: Dictionaries, projectKey: number): ScorePlace {
  const known = catalog.scoreDimensions.get(projectKey);
  if (known !== undefined) return known;
  const root: ScorePlace = { projectKey, path: [], entry: null, below: new Map() };
  catalog.scoreDimensions.set(projectKey, root);
  return root;
}

function placeBelow(place: ScorePlace, name: string): ScorePlace {
  const known = place.below.get(name);
  if (known !== undefined) return known;
  const path = [...place.path, name.toWellFormed()];
  if (path.length > MAX_JSON_DEPTH)
    throw new RangeError(`scores nested more than ${MAX_JSON_DEPTH} levels deep`);
  const below: ScorePlace = { projectKey: place.projectKey, path, entry: null, below: new Map() };
  place.below.set(name, below);
  return below;
}

/** Walks through objects. A list is a container whose items are not scores of their own. */
function visit(collection: Collection, origin: ScoreOrigin, place: ScorePlace, value: Json): void {
  if (typeof value === "number" && !Number.isFinite(value)) return;
  const { values, nulls, touchedPaths } = collection;
  const path = entryAt(collection, place);
  if (value === null) nulls.push({ path, keys: origin.trial, late: origin.late });
  else if (typeof value !== "object") {
    const score = scoreOf(value);
    if (noteLeaf(path, score.number)) touchedPaths.add(path);
    addScoreValue(values, path, origin, score);
  } else {
    noteContainer(collection, path, Array.isArray(value));
    if (!isJsonObject(value)) return;
    for (const name in value) visit(collection, origin, placeBelow(place, name), value[name] ?? null);
  }
}

function scoreOf(value: boolean | number | bigint | string): ScoreValue {
  if (typeof value === "boolean") return { kind: BOOLEAN, number: Number(value), text: null };
  if (typeof value === "number") return { kind: NUMBER, number: value + 0, text: null };
  if (typeof value === "bigint")
    return { kind: NUMBER, number: finite(Number(value)), text: value.toString() };
  return { kind: TEXT, number: readTextNumber(value), text: value.toWellFormed() };
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

/** The catalog's entry of a dimension, created with its first value. */
function entryAt({ catalog, touchedPaths }: Collection, place: ScorePlace): ScorePathEntry {
  if (place.entry !== null) return place.entry;
  const path = JSON.stringify(place.path);
  const id = identity(place.projectKey, path);
  let entry = catalog.scorePaths.get(id);
  if (entry === undefined) {
    entry = newScorePath(catalog.newKey("path", place.projectKey, path), place.projectKey, path);
    catalog.scorePaths.set(id, entry);
    touchedPaths.add(entry);
  }
  place.entry = entry;
  return entry;
}

function noteContainer({ touchedPaths }: Collection, entry: ScorePathEntry, isList: boolean): void {
  if (entry.container && (entry.list || !isList)) return;
  entry.container = true;
  entry.list ||= isList;
  touchedPaths.add(entry);
}

/** Widens what is known of the values of a dimension. Returns whether that changed anything. */
function noteLeaf(entry: ScorePathEntry, number: number | null): boolean {
  let changed = !entry.leaf;
  entry.leaf = true;
  if (number === null || number === 0) return changed;
  const { high, low } = bitRange(number);
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
