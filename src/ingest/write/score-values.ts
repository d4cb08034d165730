import { lengthened } from "../../bytes/growing.ts";
import type { Key } from "../../model/digest.ts";
import type { ScorePathEntry } from "../keys/catalog.ts";

/** The keys of a trial. */
export interface TrialKeys {
  readonly evaluation: Key;
  readonly row: Key;
  readonly trial: Key;
}

/**
 * The values of one dimension in typed arrays, of which the first `length` entries are in use: as JavaScript values
 * they would be objects that live until they are written. A value that has no number has NaN.
 */
export interface DimensionValues {
  length: number;
  /** Where the trials are among those of {@link ScoreValues}. */
  trials: Int32Array<ArrayBuffer>;
  kinds: Uint8Array<ArrayBuffer>;
  late: Uint8Array<ArrayBuffer>;
  numbers: Float64Array<ArrayBuffer>;
  readonly texts: (string | null)[];
}

/** Score values of trials, by dimension. */
export interface ScoreValues {
  /** Those that have values. */
  readonly trials: TrialKeys[];
  readonly dimensions: Map<ScorePathEntry, DimensionValues>;
}

export function noScoreValues(): ScoreValues {
  return { trials: [], dimensions: new Map() };
}

/** Whose score a value is, and whether a score call of its own brought it. */
export interface ScoreOrigin {
  readonly trial: TrialKeys;
  readonly late: boolean;
}

export interface ScoreValue {
  readonly kind: number;
  readonly number: number | null;
  readonly text: string | null;
}

/** Adds a value; those of a trial come one after the other. */
export function addScoreValue(
  { trials, dimensions }: ScoreValues,
  path: ScorePathEntry,
  { trial, late }: ScoreOrigin,
  { kind, number, text }: ScoreValue,
): void {
  if (trials.at(-1) !== trial) trials.push(trial);
  let values = dimensions.get(path);
  if (values === undefined) dimensions.set(path, (values = noValues()));
  const at = values.length++;
  if (at === values.kinds.length) grow(values);
  values.trials[at] = trials.length - 1;
  values.kinds[at] = kind;
  values.late[at] = late ? 1 : 0;
  values.numbers[at] = number ?? Number.NaN;
  values.texts.push(text);
}

/** Forgets all values. Arrays stay where they were a quarter full. */
export function clearScoreValues({ trials, dimensions }: ScoreValues): void {
  trials.length = 0;
  for (const [path, values] of dimensions) {
    if (values.length * 4 < values.kinds.length) dimensions.delete(path);
    values.length = 0;
    values.texts.length = 0;
  }
}

/** Forgets the values of trials. */
export function removeScoreValues({ trials, dimensions }: ScoreValues, removed: ReadonlySet<Key>): void {
  const kept: TrialKeys[] = [];
  // Where each trial will be; -1 for one that is removed.
  const places = trials.map((one) => (removed.has(one.trial) ? -1 : kept.push(one) - 1));
  if (kept.length === trials.length) return;
  trials.length = 0;
  for (const one of kept) trials.push(one);
  for (const [path, values] of dimensions) {
    keepPlaced(values, places);
    if (values.length === 0) dimensions.delete(path);
  }
}

function keepPlaced(values: DimensionValues, places: readonly number[]): void {
  const { length } = values;
  values.length = 0;
  for (let from = 0; from < length; from++) {
    const place = places[values.trials[from] ?? -1] ?? -1;
    if (place === -1) continue;
    const to = values.length++;
    values.trials[to] = place;
    values.kinds[to] = values.kinds[from] ?? 0;
    values.late[to] = values.late[from] ?? 0;
    values.numbers[to] = values.numbers[from] ?? Number.NaN;
    values.texts[to] = values.texts[from] ?? null;
  }
  values.texts.length = values.length;
}

/** There may be as many dimensions as values. */
const FIRST = 8;

function noValues(): DimensionValues {
  return {
    length: 0,
    trials: new Int32Array(FIRST),
    kinds: new Uint8Array(FIRST),
    late: new Uint8Array(FIRST),
    numbers: new Float64Array(FIRST),
    texts: [],
  };
}

function grow(values: DimensionValues): void {
  values.trials = lengthened(values.trials);
  values.kinds = lengthened(values.kinds);
  values.late = lengthened(values.late);
  values.numbers = lengthened(values.numbers);
}
