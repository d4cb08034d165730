import { afterEach } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { root, trial } from "../support/records.ts";

export type Score = number | boolean | string | null;

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

/** The calls of evaluations e0, e1, …: `trials[e][row]` are the scores of a row's trials; none where it was not asked. */
export function callsOf(trials: readonly (readonly (readonly Score[])[])[]): object[] {
  return trials.flatMap((rows, e) => [
    root(`e${e}`, { ended_at: "2026-01-01T00:00:01Z" }),
    ...rows.flatMap((scores, row) =>
      scores.map((ok, i) => trial(`t${e}-${row}-${i}`, { q: row }, { ok }, { parent_id: `e${e}` })),
    ),
  ]);
}

export async function engineOf(calls: readonly object[], threads = 1): Promise<Engine> {
  const engine = await openEngine({ threads });
  open.push(engine);
  await engine.ingestCalls(calls);
  return engine;
}
