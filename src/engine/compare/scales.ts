import {
  countablePoints,
  bitsOf,
  fixedPoints,
  isCountable,
  isExact,
  needsMagnitudes,
  type FixedPoint,
} from "../../compile/sums/fixed-point.ts";
import { grouped } from "../../model/grouped.ts";
import type { PairedDimension } from "../../compile/compare/row-pairs.ts";
import type { ValuePlace } from "../../compile/statistics/row-values.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Magnitude, Plan, ScorePath } from "../../plan/plan.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import { readMagnitudes } from "../statistics/measured-samples.ts";
import { NUMBER } from "../../model/score-kind.ts";
import { isUnit } from "../statistics/value-reader.ts";

/** What pairs are chosen from. */
interface PairSource {
  readonly plan: Plan;
  readonly narrowing: Narrowing;
  readonly trialsPerRow: ReadonlyMap<number, number>;
}

/** Chooses the values of the baseline and of candidates that are paired in each dimension. */
export async function pairDimensions(
  session: Session,
  source: PairSource,
  dimensions: readonly Dimension[],
): Promise<PairedDimension[]> {
  const { plan, trialsPerRow } = source;
  const [baseline = 0] = plan.evaluationKeys;
  const readable = dimensions.flatMap(({ path, kinds, rates }) =>
    kinds.size === 0 ? [] : [{ path, rates, places: bothSides(path, kinds, plan) }],
  );
  const most = Math.max(1, ...trialsPerRow.values());
  const magnitudes = await measured(session, source, readable, (path) => isRounded(path, most));
  const isSingle = (place: ValuePlace) => (trialsPerRow.get(place.evaluationKey) ?? 1) <= 1;
  const against = (path: ScorePath, own: ValuePlace, others: readonly ValuePlace[]) => {
    const few = isSingle(own) && (isUnit(path) || isCountable(path));
    return [
      ...countedDimensions(path, own, few ? others.filter(isSingle) : []),
      ...measuredDimensions(path, own, few ? others.filter((one) => !isSingle(one)) : others, {
        trialsPerRow,
        magnitudes: isRounded(path, most) ? magnitudes : [],
      }),
    ];
  };
  return readable.flatMap(({ path, rates, places: all }) => {
    const own = all.find(({ evaluationKey }) => evaluationKey === baseline);
    if (own === undefined) return [];
    const isRate = ({ evaluationKey }: ValuePlace) => rates.has(baseline) && rates.has(evaluationKey);
    const others = all.filter((one) => one !== own);
    // Rates have the words of true and false, whatever numbers the dimension has elsewhere.
    return [
      ...against({ ...path, exponents: UNIT }, own, others.filter(isRate)),
      ...against(
        path,
        own,
        others.filter((one) => !isRate(one)),
      ),
    ];
  });
}

/**
 * Whether words would be rounded by the shift of the whole project. Then each pair has the shift of its own largest
 * number, so that no other evaluation changes a digit of what is said of it.
 */
function isRounded(path: ScorePath, most: number): boolean {
  if (isUnit(path)) return false;
  return most > 1 || needsMagnitudes(path) || !fixedPoints([path], [], 2).every(isExact);
}

const UNIT = { max: 0, min: 0, lowBit: 0 };

/** Pairs every two evaluations that have values in a dimension. */
export async function pairEveryTwo(
  session: Session,
  source: PairSource,
  dimensions: readonly Dimension[],
): Promise<PairedDimension[]> {
  const { plan, trialsPerRow } = source;
  const readable = dimensions.flatMap(({ path: own, kinds, rates }) => {
    const path = [...kinds.keys()].every((key) => rates.has(key)) ? { ...own, exponents: UNIT } : own;
    const places = plan.evaluationKeys.flatMap((evaluationKey): ValuePlace[] => {
      const kind = kinds.get(evaluationKey);
      return kind === undefined ? [] : [{ evaluationKey, pathKey: path.key, kind }];
    });
    return places.length < 2 ? [] : [{ path, places }];
  });
  const magnitudes = await measured(session, source, readable, needsMagnitudes);
  const terms = 2 * Math.max(1, ...trialsPerRow.values());
  return readable.flatMap(({ path, places }): PairedDimension[] => {
    const single = places.every(({ evaluationKey }) => (trialsPerRow.get(evaluationKey) ?? 1) <= 1);
    const [few] = single && (isUnit(path) || isCountable(path)) ? countablePoints([path]) : [];
    const [shared] = few === undefined && !needsMagnitudes(path) ? fixedPoints([path], [], terms) : [];
    const point = few ?? shared;
    if (point === undefined)
      return places.flatMap((one, i) =>
        measuredDimensions(path, one, places.slice(i + 1), { magnitudes, trialsPerRow }),
      );
    const small = few !== undefined;
    return [{ pathKey: path.key, baseline: null, candidates: places, small, point, own: null }];
  });
}

/** What the numbers of dimensions are scaled by. */
interface Measuring {
  /** One for each evaluation where pairs have shifts of their own; else empty. */
  readonly magnitudes: readonly Magnitude[];
  readonly trialsPerRow: ReadonlyMap<number, number>;
}

/** The largest numbers of those dimensions that ask for them. */
function measured(
  session: Session,
  { plan, narrowing, trialsPerRow }: PairSource,
  readable: readonly { readonly path: ScorePath; readonly places: readonly ValuePlace[] }[],
  isAsked: (path: ScorePath) => boolean,
): Promise<readonly Magnitude[]> {
  const most = Math.max(1, ...trialsPerRow.values());
  const places = readable.flatMap((one) => one.places);
  const paths = readable.flatMap(({ path }) => (isAsked(path) ? [path] : []));
  return readMagnitudes(session, plan, { places, wholeKinds: false, trialsPerRow: most, narrowing }, paths);
}

/**
 * The series of a dimension. A side without values has an empty one: rows on which it lacks a value are counted as
 * well.
 */
function bothSides(path: ScorePath, kinds: ReadonlyMap<number, number>, plan: Plan): ValuePlace[] {
  const [baseline = 0, ...candidates] = plan.evaluationKeys;
  const side = (keys: readonly number[]) => {
    const valued = keys.filter((key) => kinds.has(key));
    return (valued.length > 0 ? valued : keys.slice(0, 1)).map((evaluationKey) => ({
      evaluationKey,
      pathKey: path.key,
      kind: kinds.get(evaluationKey) ?? NUMBER,
    }));
  };
  return [...side([baseline]), ...side(candidates)];
}

/** Pairs dimensions with few distinct words, which are exact and small. */
function countedDimensions(
  path: ScorePath,
  own: ValuePlace,
  others: readonly ValuePlace[],
): PairedDimension[] {
  const [point] = countablePoints([path]);
  if (others.length === 0 || point === undefined) return [];
  return [{ pathKey: path.key, baseline: own, candidates: others, small: true, point, own: null }];
}

/**
 * Pairs all other values. Those of one shift are paired together; where magnitudes differ much, each side has a shift
 * of its own.
 */
function measuredDimensions(
  path: ScorePath,
  own: ValuePlace,
  others: readonly ValuePlace[],
  { magnitudes, trialsPerRow }: Measuring,
): PairedDimension[] {
  const trialsOf = (place: ValuePlace) => trialsPerRow.get(place.evaluationKey) ?? 1;
  const pointOf = (one: ValuePlace, bits: number): FixedPoint => {
    const sized = magnitudes.find(
      ({ pathKey, evaluationKey }) => pathKey === path.key && evaluationKey === one.evaluationKey,
    );
    const all = magnitudes.length === 0 ? (path.exponents?.max ?? 0) : bits;
    const shift = bits - (sized?.exponent ?? all);
    return { evaluationKey: null, pathKey: path.key, shift, exponents: path.exponents };
  };
  const paired = others.map((other) => {
    // A difference of two rows has one bit more than its terms.
    const bits = bitsOf(2 * Math.max(1, trialsOf(own), trialsOf(other)));
    const [baseline, candidate] = [pointOf(own, bits), pointOf(other, bits)];
    const apart = Math.abs(baseline.shift - candidate.shift) > SHARED_BITS;
    const point = baseline.shift < candidate.shift ? baseline : candidate;
    return { other, point, own: apart ? { baseline, candidate } : null };
  });
  const places = grouped(paired, (one) =>
    one.own === null ? `${one.point.shift}` : `of ${one.other.evaluationKey}`,
  );
  return [...places.values()].flatMap((some) => {
    const candidates = some.map(({ other }) => other);
    return some.slice(0, 1).map(({ point, own: sides }) => ({
      pathKey: path.key,
      baseline: own,
      candidates,
      small: false,
      point,
      own: sides,
    }));
  });
}

/** Shifts may differ by this much: the smaller numbers then lose less than 2^-42. */
const SHARED_BITS = 18;

/** The pairing that words of a statement are of. */
export function placeOf(
  places: readonly PairedDimension[],
  at: { readonly baselineKey: number; readonly evaluationKey: number; readonly pathKey: number },
): PairedDimension | undefined {
  return places.find(
    ({ pathKey, baseline, candidates }) =>
      pathKey === at.pathKey &&
      (baseline === null || baseline.evaluationKey === at.baselineKey) &&
      candidates.some(({ evaluationKey }) => evaluationKey === at.evaluationKey),
  );
}
