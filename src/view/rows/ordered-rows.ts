import type { RowDetail, RowLine, RowSource } from "./row-source.ts";

/** The same rows with the evaluations in another order: those at these places of the source. */
export function orderedRows(source: RowSource, places: readonly number[]): RowSource {
  const line = (one: RowLine): RowLine => ({
    ...one,
    values: places.map((place) => one.values[place]),
    outputs: one.outputs.length === 0 ? [] : places.map((place) => one.outputs[place]),
  });
  const row = (one: RowDetail): RowDetail => ({
    ...one,
    trials: places.map((place) => one.trials[place] ?? []),
  });
  return {
    find: async (query, signal) => {
      const list = await source.find(query, signal);
      const at = (place: number) => {
        const found = list.at(place);
        return found === undefined ? undefined : line(found);
      };
      return { ...list, at };
    },
    all: async function* (query, signal) {
      for await (const some of source.all(query, signal)) yield some.map(row);
    },
    detail: async (digest, signal) => {
      const found = await source.detail(digest, signal);
      return found === null ? null : row(found);
    },
  };
}
