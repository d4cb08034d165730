import { expect } from "vitest";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import type { TreeCall } from "./oracle.ts";
import { expectedSteps } from "./oracle.ts";
import { inOrder, openSteps } from "./compared-steps.ts";
import { numbersFrom, randomTrees, shuffled } from "./random-trees.ts";

/** What loads see of calls, one load after the other; all of it together says what the calls are. */
type Arrival = (calls: readonly TreeCall[], random: () => number) => readonly object[][];

const END = new Set(["ended_at", "output", "exception", "summary"]);

function part(call: TreeCall, isEnd: boolean): object {
  const of = Object.entries(call).filter(([name]) => END.has(name) === isEnd);
  return isEnd
    ? { id: call.id, project_id: call.project_id, ...Object.fromEntries(of) }
    : Object.fromEntries(of);
}

function inBatches(records: readonly object[], random: () => number): object[][] {
  const batches: object[][] = [];
  for (let at = 0; at < records.length;) {
    const size = 1 + Math.floor(random() * 60);
    batches.push(records.slice(at, at + size));
    at += size;
  }
  return batches;
}

export const ARRIVALS: Readonly<Record<string, Arrival>> = {
  "all at once": (calls) => [[...calls]],
  "shuffled, in batches": (calls, random) => inBatches(shuffled(calls, random), random),
  "each record twice": (calls, random) => inBatches(shuffled([...calls, ...calls], random), random),
  "ends before starts": (calls, random) => {
    const ends = calls.filter(({ ended_at }) => ended_at !== undefined).map((call) => part(call, true));
    const starts = calls.map((call) => (call.ended_at === undefined ? call : part(call, false)));
    return [...inBatches(shuffled(ends, random), random), ...inBatches(shuffled(starts, random), random)];
  },
  "with other parents first": (calls, random) => {
    const first = calls.map((call) =>
      call.parent_id === undefined || random() < 0.7
        ? call
        : { ...call, parent_id: calls[Math.floor(random() * calls.length)]?.id ?? "x" },
    );
    return [...inBatches(shuffled(first, random), random), ...inBatches(shuffled(calls, random), random)];
  },
};

/** Loads random trees in every order, and compares what is found with what the oracle says; returns how many steps. */
export async function compareSteps(
  seed: number,
  trials: number,
  arrivals: readonly string[] = Object.keys(ARRIVALS),
  options: EngineOptions = {},
): Promise<number> {
  let compared = 0;
  for (const name of arrivals) {
    const random = numbersFrom(seed ^ 0x9e3779b9);
    const calls = randomTrees(seed, trials);
    const isSplit = name === "ends before starts";
    const known = isSplit
      ? calls.map((call) => (call.ended_at === undefined ? withoutOutput(call) : call))
      : calls;
    const deleted = name === "with other parents first" ? [] : known.filter(() => random() < 0.01);
    const engine = await openSteps(options);
    try {
      for (const batch of ARRIVALS[name]?.(known, random) ?? [])
        await engine.ingestCalls(batch as TreeCall[]);
      if (deleted.length > 0)
        await engine.ingestCalls(
          deleted.map(({ id, project_id }) => ({
            id,
            project_id,
            deleted_at: "2026-03-02T00:00:00Z",
          })) as never[],
        );
      const gone = new Set(deleted.map(({ id }) => id));
      const expected = inOrder(
        expectedSteps(known.map((call) => (gone.has(call.id) ? { ...call, deleted_at: "x" } : call))),
      );
      expect(await engine.fromWalk(), `seed ${seed}, ${name}: the walk`).toEqual(expected);
      // Statements of users run on DuckDB alone.
      if (options.clickhouse === undefined)
        expect(await engine.fromView(), `seed ${seed}, ${name}: the view`).toEqual(expected);
      compared += expected.length;
    } finally {
      await engine.close();
    }
  }
  return compared;
}

function withoutOutput({
  output: _output,
  exception: _exception,
  summary: _summary,
  ...call
}: TreeCall): TreeCall {
  return call;
}
