import { isJsonObject, type Json } from "../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../model/read-json.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { bitRange, readTextNumber } from "../../model/numbers.ts";
import type { Column } from "../../store/session.ts";
import { identity, type Dictionaries, type ScorePathEntry, type ScorePlace } from "../keys/catalog.ts";
import type { Key } from "../../model/digest.ts";
import type { WritableTrial } from "./trial-columns.ts";
import type { TurnTaker } from "../../model/turns.ts";

/** The score values of one dimension, one entry a value. */
interface Leaves {
  readonly trials: WritableTrial[];
  readonly kinds: number[];
  readonly numbers: (number | null)[];
  readonly texts: (string | null)[];
  readonly late: boolean[];
}

interface PlacedValue {
  readonly path: ScorePathEntry;
  readonly trial: WritableTrial;
  readonly late: boolean;
}

interface Collection {
  readonly catalog: Dictionaries;
  readonly leaves: Map<ScorePathEntry, Leaves>;
  readonly nulls: PlacedValue[];
  readonly touchedPaths: Set<ScorePathEntry>;
}

/**
 * The score values of trials as columns of `scores`, ordered by dimension, and the nulls as columns of `null_scores`.
 * Adds new dimensions to the catalog.
 */
export async function scoreValueColumns(
  catalog: Dictionaries,
  trials: readonly WritableTrial[],
  turns: TurnTaker,
): Promise<{
  readonly columns: Column[];
  readonly nullColumns: Column[];
  readonly touchedPaths: Set<ScorePathEntry>;
}> {
  const collection: Collection = { catalog, leaves: new Map(), nulls: [], touchedPaths: new Set() };
  for (const trial of trials) {
    if (turns.shouldYield()) await turns.next();
    const root = rootDimension(catalog, trial.projectKey);
    const { scores } = trial.part;
    for (const name in scores) visit(collection, placeBelow(root, name), scores[name] ?? null, trial, false);
    for (const [name, { value }] of trial.settled.lateScores)
      visit(collection, placeBelow(root, name), value, trial, true);
  }
  const places = [...collection.leaves].toSorted(([a], [b]) => (a.key < b.key ? -1 : 1));
  return {
    columns: leafColumns(places),
    nullColumns: placeColumns(collection.nulls),
    touchedPaths: collection.touchedPaths,
  };
}

function leafColumns(places: readonly (readonly [ScorePathEntry, Leaves])[]): Column[] {
  const all = <T>(read: (leaves: Leaves, path: ScorePathEntry) => readonly T[]): T[] =>
    places.flatMap(([path, leaves]) => read(leaves, path));
  return [
    { name: "path_key", type: "INTEGER", values: all(({ trials }, { key }) => trials.map(() => key)) },
    ...trialKeyColumns(all(({ trials }) => trials)),
    { name: "kind", type: "UTINYINT", values: all((leaves) => leaves.kinds) },
    { name: "late", type: "BOOLEAN", values: all((leaves) => leaves.late) },
    { name: "number", type: "DOUBLE", values: all((leaves) => leaves.numbers) },
    { name: "text", type: "VARCHAR", values: all((leaves) => leaves.texts) },
  ];
}

function placeColumns(values: readonly PlacedValue[]): Column[] {
  return [
    { name: "path_key", type: "INTEGER", values: values.map((one) => one.path.key) },
    ...trialKeyColumns(values.map((one) => one.trial)),
    { name: "late", type: "BOOLEAN", values: values.map((one) => one.late) },
  ];
}

function trialKeyColumns(trials: readonly WritableTrial[]): Column[] {
  return [
    { name: "evaluation_key", type: "INTEGER", values: trials.map((trial) => trial.evaluationKey) },
    { name: "row_key", type: "INTEGER", values: trials.map((trial) => trial.row.key) },
    { name: "trial_key", type: "INTEGER", values: trials.map((trial) => trial.key) },
  ];
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
function visit(
  collection: Collection,
  place: ScorePlace,
  value: Json,
  trial: WritableTrial,
  late: boolean,
): void {
  if (typeof value === "number" && !Number.isFinite(value)) return;
  const path = entryAt(collection, place);
  const at: PlacedValue = { path, trial, late };
  if (value === null) collection.nulls.push(at);
  else if (typeof value === "boolean") addLeaf(collection, at, BOOLEAN, Number(value), null);
  else if (typeof value === "number") addLeaf(collection, at, NUMBER, value + 0, null);
  else if (typeof value === "bigint")
    addLeaf(collection, at, NUMBER, finite(Number(value)), value.toString());
  else if (typeof value === "string")
    addLeaf(collection, at, TEXT, readTextNumber(value), value.toWellFormed());
  else {
    noteContainer(collection, path, Array.isArray(value));
    if (!isJsonObject(value)) return;
    for (const name in value) visit(collection, placeBelow(place, name), value[name] ?? null, trial, late);
  }
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
    entry = newPath(catalog.newKey("path", place.projectKey, path), place.projectKey, path);
    catalog.scorePaths.set(id, entry);
    touchedPaths.add(entry);
  }
  place.entry = entry;
  return entry;
}

function newPath(key: Key, projectKey: number, path: string): ScorePathEntry {
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

function addLeaf(
  { leaves, touchedPaths }: Collection,
  { path, trial, late }: PlacedValue,
  kind: number,
  number: number | null,
  text: string | null,
): void {
  if (noteLeaf(path, number)) touchedPaths.add(path);
  let here = leaves.get(path);
  if (here === undefined)
    leaves.set(path, (here = { trials: [], kinds: [], numbers: [], texts: [], late: [] }));
  here.trials.push(trial);
  here.kinds.push(kind);
  here.numbers.push(number);
  here.texts.push(text);
  here.late.push(late);
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
