import type { ColumnsHead } from "../../engine/table/columns.ts";

/** Where a score stands. */
export interface ScorePlace {
  readonly name: string;
  readonly scorerKey: string;
  readonly path: string | null;
}

/** What of `all` each dimension of a result is, by its id. */
export function placesAt({ dimensions }: ColumnsHead, all: readonly ScorePlace[]): Places {
  return byId(dimensions, all, (path, of) => path.length === of.length && isStartOf(path, of));
}

/** What of `all` stands at each dimension or below it: where a dimension is null, so is everything below. */
export function placesBelow({ dimensions }: ColumnsHead, all: readonly ScorePlace[]): Places {
  return byId(dimensions, all, isStartOf);
}

/** Positions in a list of scores, by the id of a dimension. */
export type Places = ReadonlyMap<number, readonly number[]>;

type Dimensions = ColumnsHead["dimensions"];

function byId(
  dimensions: Dimensions,
  all: readonly ScorePlace[],
  isMeant: (path: readonly string[], of: readonly string[]) => boolean,
): Places {
  const known = new Map<string, (readonly string[])[]>();
  for (const { path } of dimensions) {
    const name = spelled(path[0], path.length === 1 ? null : path.slice(1).join("."));
    known.set(name, [...(known.get(name) ?? []), path]);
  }
  const paths = all.map(({ scorerKey, path }) => known.get(spelled(scorerKey, path)) ?? []);
  return new Map(
    dimensions.map(({ id, path }) => [
      id,
      paths.flatMap((own, place) => (own.some((one) => isMeant(path, one)) ? [place] : [])),
    ]),
  );
}

/** A summary joins the members of a path by dots, so that two paths may be one score. */
function spelled(scorerKey: string | undefined, path: string | null): string {
  return JSON.stringify([scorerKey, path]);
}

function isStartOf(path: readonly string[], of: readonly string[]): boolean {
  return path.length <= of.length && path.every((member, i) => member === of[i]);
}
