import { fieldText } from "../model/field-path.ts";
import { didYouMean } from "../model/nearest.ts";
import { bitRange } from "../model/numbers.ts";
import { BOOLEAN, NUMBER, TEXT } from "../model/score-kind.ts";
import type { CountedDimension, CountErrors } from "../request/eval-request.ts";
import { meaningless } from "../request/meaningless.ts";
import type { CountedErrors, Exponents } from "./plan.ts";
import { seriesKey } from "./results.ts";
import type { CatalogPath, QueryCatalog, SeriesKind } from "./query-catalog.ts";
import { nameText } from "../model/name-text.ts";

type Known = Pick<QueryCatalog, "scorePaths" | "seriesKinds">;

/**
 * What trials in error count as, grouped by the evaluations in which this is a number, or true or false. Throws
 * `RequestError` on a name that is no score, and on another number than 0 and 1 where values are true and false.
 */
export function planCountedErrors(
  wanted: CountErrors,
  { scorePaths, seriesKinds }: Known,
  evaluationKeys: readonly number[],
): CountedErrors[] {
  const groups = new Map<
    string,
    CountedErrors & { readonly dimensions: CountedErrors["dimensions"][number][] }
  >();
  const kindOf = kindFinder(seriesKinds);
  for (const { key, path, number, loc } of placesOf(wanted, scorePaths)) {
    for (const kind of [NUMBER, BOOLEAN]) {
      const own = evaluationKeys.filter((one) => kindOf(one, key) === kind);
      if (own.length === 0) continue;
      if (kind === BOOLEAN && number !== 0 && number !== 1) throw noTruth(path, number, loc);
      const name = JSON.stringify([kind, own]);
      const group = groups.get(name) ?? { evaluationKeys: own, kind, dimensions: [] };
      group.dimensions.push({ pathKey: key, number });
      groups.set(name, group);
    }
  }
  return [...groups.values()];
}

const MEMBER = "count_errors_as";

function placesOf(wanted: CountErrors, paths: readonly CatalogPath[]) {
  const leaves = paths.filter(({ leaf }) => leaf);
  if ("all" in wanted)
    return leaves.map(({ key, path }) => ({ key, path, number: wanted.all, loc: [MEMBER] }));
  return wanted.dimensions.map((one) => {
    const found = leafOf(one, leaves);
    const loc = [MEMBER, one.name];
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
 * What a counted error is in a series: a number where its evaluation has numbers there, else true or false. An evaluation
 * without any value is as the others are. {@link TEXT}: nothing counts.
 */
function kindFinder(found: readonly SeriesKind[]): (evaluationKey: number, pathKey: number) => number {
  const kinds = new Map<string, number>();
  for (const { evaluationKey, pathKey, kind } of found)
    for (const place of [`${pathKey}`, seriesKey({ evaluationKey, pathKey })])
      kinds.set(place, Math.min(kind, kinds.get(place) ?? kind));
  return (evaluationKey, pathKey) =>
    kinds.get(seriesKey({ evaluationKey, pathKey })) ?? kinds.get(`${pathKey}`) ?? TEXT;
}

function noTruth(path: readonly string[], number: number, loc: readonly string[]): Error {
  const rule = `the values of ${JSON.stringify(fieldText(path))} are true and false, so errors count there as 0 or 1, not as ${number}`;
  return meaningless(loc, loc.length > 1 ? rule : `${rule}; name the scores in which they count as that`);
}

/** Warnings about scores that a request names, and in which nothing can be counted. */
export function countWarnings(wanted: CountErrors | null, { scorePaths, seriesKinds }: Known): string[] {
  if (wanted === null || "all" in wanted) return [];
  return wanted.dimensions
    .filter((one) => {
      const key = leafOf(one, scorePaths)?.key;
      return !seriesKinds.some(({ pathKey, kind }) => pathKey === key && kind <= BOOLEAN);
    })
    .map(
      ({ name }) =>
        `${MEMBER} names ${JSON.stringify(name)}, of which these evaluations have no number, true or false: nothing is counted there`,
    );
}

/** The exponents of a dimension in which errors count, too. */
export function exponentsWith(
  exponents: Exponents | null,
  pathKey: number,
  counted: readonly CountedErrors[] | null,
): Exponents | null {
  const own = (counted ?? []).flatMap(({ dimensions }) => dimensions).find((one) => one.pathKey === pathKey);
  if (own === undefined || own.number === 0) return exponents;
  const { high, low } = bitRange(own.number);
  if (exponents === null) return { max: high, min: high, lowBit: low };
  return {
    max: Math.max(exponents.max, high),
    min: Math.min(exponents.min, high),
    lowBit: Math.min(exponents.lowBit, low),
  };
}
