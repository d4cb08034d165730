import { nextTurn } from "./next-turn.ts";

const SLICE_MS = 5;

/** `map` of every item in order; others have their turn every few milliseconds. Rejects with the reason of the signal. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  let end = performance.now() + SLICE_MS;
  for (const [i, item] of items.entries()) {
    results.push(map(item, i));
    if (performance.now() < end) continue;
    await nextTurn();
    signal?.throwIfAborted();
    end = performance.now() + SLICE_MS;
  }
  return results;
}
