import { COUNTINGS, type Lacking } from "../model/counting.ts";
import { fieldText } from "../model/field-path.ts";
import { didYouMean } from "../model/nearest.ts";
import { bitRange } from "../model/numbers.ts";
import { BOOLEAN, NUMBER, TEXT } from "../model/score-kind.ts";
import type { CountedDimension, Counting } from "../request/eval-request.ts";
import { meaningless } from "../request/meaningless.ts";
import type { CountedGroup, CountingPlan, Exponents } from "./plan.ts";
import { seriesKey } from "../model/series-key.ts";
import type { CatalogPath, QueryCatalog, SeriesKind } from "./query-catalog.ts";
import { nameText } from "../model/name-text.ts";

type Known = Pick<QueryCatalog, "scorePaths" | "seriesKinds">;

/**
 * What trials without a value count as, grouped by the evaluations in which this is a number, or true or false. Throws
 * `RequestError` on a name that is no score, and on another number than 0 and 1 where values are true and false.
 */
export function planCounting(
  wanted: Counting,
  { scorePaths, seriesKinds }: Known,
  evaluationKeys: readonly number[],
): CountingPlan {
  const groups = new Map<
    string,
    CountedGroup & { readonly dimensions: CountedGroup["dimensions"][number][] }
  >();
  const kindOf = kindFinder(seriesKinds);
  const { of } = wanted;
  const ancestorsOf = ancestorFinder(scorePaths);
  for (const { key, path, number, loc } of placesOf(wanted, scorePaths)) {
    for (const kind of [NUMBER, BOOLEAN]) {
      const own = evaluationKeys.filter((one) => kindOf(one, key) === kind);
      if (own.length === 0) continue;
      if (kind === BOOLEAN && number !== 0 && number !== 1) throw noTruth(path, of, number, loc);
      const name = JSON.stringify([kind, own]);
      const group = groups.get(name) ?? { evaluationKeys: own, kind, dimensions: [] };
      group.dimensions.push({ pathKey: key, ancestors: ancestorsOf(path), number });
      groups.set(name, group);
    }
  }
  return { of, groups: [...groups.values()] };
}

function placesOf({ of, as }: Counting, paths: readonly CatalogPath[]) {
  const { member } = COUNTINGS[of];
  const leaves = paths.filter(({ leaf }) => leaf);
  if ("all" in as) return leaves.map(({ key, path }) => ({ key, path, number: as.all, loc: [member] }));
  return as.dimensions.map((one) => {
    const found = leafOf(one, leaves);
    const loc = [member, one.name];
    if (found === undefined) throw meaningless(loc, unknownScore(one, leaves));
    return { key: found.key, path: found.path, number: one.number, loc };
  });
}

function leafOf({ path }: CountedDimension, leaves: readonly CatalogPath[]): CatalogPath | undefined {
  const wanted = JSON.stringify(path);
  return leaves.find((one) => JSON.stringify(one.path) === wanted);
}

const MOST_NAMED = 20;

function unknownScore({ name, path }: CountedDimension, leaves: readonly CatalogPath[]): string {
  const below = leaves.filter((one) => path.every((part, i) => one.path[i] === part));
  const names = (below.length > 0 ? below : leaves).map((one) => fieldText(one.path)).toSorted();
  const listed =
    names
      .slice(0, MOST_NAMED)
      .map((one) => nameText(one))
      .join(", ") + (names.length > MOST_NAMED ? ", …" : "");
  if (below.length > 0) return `${JSON.stringify(name)} is no score itself; below it are ${listed}`;
  const near = didYouMean(name, names);
  return `no trial has a score ${JSON.stringify(name)}${near || (listed === "" ? "" : `; there are ${listed}`)}`;
}

/**
 * What a counted trial is in a series: a number where its evaluation has numbers there, else true or false. An
 * evaluation without any value is as the others are. {@link TEXT}: nothing counts.
 */
function kindFinder(found: readonly SeriesKind[]): (evaluationKey: number, pathKey: number) => number {
  const kinds = new Map<string, number>();
  for (const { evaluationKey, pathKey, kind } of found)
    for (const place of [`${pathKey}`, seriesKey({ evaluationKey, pathKey })])
      kinds.set(place, Math.min(kind, kinds.get(place) ?? kind));
  return (evaluationKey, pathKey) =>
    kinds.get(seriesKey({ evaluationKey, pathKey })) ?? kinds.get(`${pathKey}`) ?? TEXT;
}

function noTruth(path: readonly string[], of: Lacking, number: number, loc: readonly string[]): Error {
  const rule = `the values of ${JSON.stringify(fieldText(path))} are true and false, so ${COUNTINGS[of].who} count there as 0 or 1, not as ${number}`;
  return meaningless(loc, loc.length > 1 ? rule : `${rule}; name the scores in which they count as that`);
}

/** Warnings about scores that a request names, and in which nothing can be counted. */
export function countWarnings({ of, as }: Counting, { scorePaths, seriesKinds }: Known): string[] {
  if ("all" in as) return [];
  return as.dimensions
    .filter((one) => {
      const key = leafOf(one, scorePaths)?.key;
      return !seriesKinds.some(({ pathKey, kind }) => pathKey === key && kind <= BOOLEAN);
    })
    .map(
      ({ name }) =>
        `${COUNTINGS[of].member} names ${JSON.stringify(name)}, of which these evaluations have no number, true or false: nothing is counted there`,
    );
}

/** The exponents of a dimension in which trials without a value count, too. */
export function exponentsWith(
  exponents: Exponents | null,
  pathKey: number,
  countings: readonly CountingPlan[],
): Exponents | null {
  return countings.reduce((all, one) => withNumber(all, countedAs(one, pathKey) ?? 0), exponents);
}

/** Finds the path keys above a path, the outermost first. */
export function ancestorFinder(
  paths: readonly Pick<CatalogPath, "key" | "path">[],
): (path: readonly string[]) => number[] {
  const keyOf = new Map(paths.map(({ key, path }) => [JSON.stringify(path), key]));
  return (path) => path.slice(1).flatMap((_, i) => keyOf.get(JSON.stringify(path.slice(0, i + 1))) ?? []);
}

/** What trials count as in a dimension; null where they count nowhere. */
export function countedAs({ groups }: CountingPlan, pathKey: number): number | null {
  const dimensions = groups.flatMap((group) => group.dimensions);
  return dimensions.find((one) => one.pathKey === pathKey)?.number ?? null;
}

function withNumber(exponents: Exponents | null, number: number): Exponents | null {
  if (number === 0) return exponents;
  const { high, low } = bitRange(number);
  if (exponents === null) return { max: high, min: high, lowBit: low };
  return {
    max: Math.max(exponents.max, high),
    min: Math.min(exponents.min, high),
    lowBit: Math.min(exponents.lowBit, low),
  };
}
