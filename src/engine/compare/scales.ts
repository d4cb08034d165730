import {
  countablePoints,
  fixedPoints,
  isCountable,
  shiftAt,
  type FixedPoint,
} from "../../compile/sums/fixed-point.ts";
import type { PairedDimension } from "../../compile/compare/row-pairs.ts";
import type { ValuePlace } from "../../compile/statistics/row-values.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Magnitude, Plan, ScorePath } from "../../plan/plan.ts";
import type { Dimension } from "./dimensions.ts";
import { readMagnitudes } from "../statistics/measured-samples.ts";
import { NUMBER } from "../../model/score-kind.ts";
import { isUnit } from "../statistics/value-reader.ts";

/** Chooses the values of the baseline and of candidates that are paired in each dimension. */
export async function pairDimensions(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  trialsPerRow: ReadonlyMap<number, number>,
  dimensions: readonly Dimension[],
): Promise<PairedDimension[]> {
  const [baseline = 0] = plan.evaluationKeys;
  const readable = dimensions.flatMap(({ path, kinds }) =>
    kinds.size === 0 ? [] : [{ path, places: bothSides(path, kinds, plan) }],
  );
  const values = readable.flatMap(({ places }) => places);
  const most = Math.max(1, ...trialsPerRow.values());
  const magnitudes = await readMagnitudes(
    session,
    plan,
    { places: values, wholeKinds: false, trialsPerRow: most, narrowing },
    readable.map(({ path }) => path),
  );
  const isSingle = (place: ValuePlace) => (trialsPerRow.get(place.evaluationKey) ?? 1) <= 1;
  return readable.flatMap(({ path, places: all }) => {
    const own = all.find(({ evaluationKey }) => evaluationKey === baseline);
    if (own === undefined) return [];
    const few = isSingle(own) && (isUnit(path) || isCountable(path));
    const others = all.filter((one) => one !== own);
    return [
      ...countedDimensions(path, own, few ? others.filter(isSingle) : []),
      ...measuredDimensions(
        path,
        own,
        few ? others.filter((one) => !isSingle(one)) : others,
        magnitudes,
        most,
      ),
    ];
  });
}

/** The series of a dimension. A side without values has an empty one: rows on which it lacks a value are counted as well. */
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
  return [{ pathKey: path.key, baseline: own, candidates: others, small: true, point }];
}

/** Pairs all other values. Where magnitudes differ much, each candidate is paired alone, with a shift of its own. */
function measuredDimensions(
  path: ScorePath,
  own: ValuePlace,
  others: readonly ValuePlace[],
  magnitudes: readonly Magnitude[],
  most: number,
): PairedDimension[] {
  if (others.length === 0) return [];
  // A difference has one bit more than its terms.
  const points = fixedPoints([path], magnitudes, 2 * most);
  const shared = points.find(({ evaluationKey }) => evaluationKey === null);
  const place = (candidates: readonly ValuePlace[], point: FixedPoint) => ({
    pathKey: path.key,
    baseline: own,
    candidates,
    small: false,
    point,
  });
  if (shared !== undefined) return [place(others, shared)];
  return others.map((other) => {
    const shifts = [own, other].map(({ evaluationKey }) => shiftAt(points, evaluationKey, path.key));
    return place([other], {
      evaluationKey: null,
      pathKey: path.key,
      shift: Math.min(...shifts),
      exponents: path.exponents,
    });
  });
}

/** Returns the shift of a candidate's words in a dimension. */
export function shiftOf(
  places: readonly PairedDimension[],
  at: { readonly evaluationKey: number; readonly pathKey: number },
): number {
  const found = places.find(
    ({ pathKey, candidates }) =>
      pathKey === at.pathKey && candidates.some(({ evaluationKey }) => evaluationKey === at.evaluationKey),
  );
  return found?.point.shift ?? 0;
}
