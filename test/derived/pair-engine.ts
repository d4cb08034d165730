import { afterEach } from "vitest";
import { openEngine, type AgreementRequest, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

export type Value = number | boolean | string | null;
export type Pair = readonly [a: Value, b: Value];

/** Engines to close after the test. */
export const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

/** An engine with one trial a pair; `rowOf` says on which row. */
export async function engineOf(
  pairs: readonly Pair[],
  rowOf: (i: number) => unknown = (i) => i,
  threads = 1,
): Promise<Engine> {
  const engine = await openEngine({ threads });
  open.push(engine);
  await engine.ingestCalls([
    root("e"),
    ...pairs.map(([a, b], i) => trial(`t${i}`, { q: rowOf(i) }, { a, judge: { b } })),
  ]);
  return engine;
}

export function ask(engine: Engine, request: Partial<AgreementRequest> = {}) {
  return engine.agreement(PROJECT, { evaluations: ["e"], a: "a", b: "judge.b", ...request });
}
