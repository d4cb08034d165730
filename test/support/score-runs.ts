import { onTestFinished } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { root, trial } from "./records.ts";

/** A run whose i-th row has the i-th value under `score`, or a list of trials. */
export function run(
  id: string,
  values: readonly unknown[],
  rowOf = (i: number): unknown => ({ i }),
): object[] {
  return [
    root(id),
    ...values.flatMap((value, i) =>
      (Array.isArray(value) ? value : [value]).map((one: unknown, k) =>
        trial(`${id}-${i}-${k}`, rowOf(i), { score: one }, { parent_id: id }),
      ),
    ),
  ];
}

/** An engine that has the calls, until the test ends. */
export async function loaded(calls: readonly object[]): Promise<Engine> {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await engine.ingestCalls(calls);
  return engine;
}

export const booleans = (digits: string): boolean[] => Array.from(digits, (digit) => digit === "1");
export const numbers = (digits: string): number[] => Array.from(digits, Number);
