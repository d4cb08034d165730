import type { Engine, EvalResultsRequest } from "../../index.ts";
import { mean } from "../../stats/estimates/mean.ts";
import { holm } from "../../stats/tests/multiplicity.ts";
import { pairedTest } from "../../stats/tests/paired.ts";
import type { Gate, PairGate, UsageGate } from "./parse-gate.ts";

/** What the trials of a row used on average, of latency and tokens the mean logarithm; null where that is not known. */
type RowUsage = Readonly<Record<UsageGate["name"], number | null>>;

/** By row. */
export type UsageByRow = ReadonlyMap<string, RowUsage>;

/** Rows that are read at once. */
const PAGE = 10_000;

/** Reads what the rows of an evaluation used, by digest. `asked` says which rows, and the prices. */
export async function readRowUsage(
  engine: Engine,
  project: string,
  asked: Partial<EvalResultsRequest>,
  id: string,
  signal: AbortSignal,
): Promise<UsageByRow> {
  const found = new Map<string, RowUsage>();
  const light = { evaluation_call_ids: [id], include_outputs: false, include_costs: true, limit: PAGE };
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await engine.queryEvalResults(project, { ...asked, ...light, offset }, { signal });
    for (const { row_digest: digest, evaluations } of rows) {
      const trials = evaluations.flatMap((one) => one.trials);
      found.set(digest, {
        cost: known(trials.map((one) => one.total_cost)),
        latency: known(trials.map((one) => logarithm(one.model_latency_seconds))),
        tokens: known(trials.map((one) => logarithm(one.total_tokens))),
      });
    }
    if (rows.length < PAGE) return found;
  }
}

/** In single precision, as files keep it. */
function known(values: readonly (number | null)[]): number | null {
  const average = mean(values.filter((value) => value !== null));
  return average === null ? null : Math.fround(average);
}

function logarithm(value: number | null): number | null {
  return value === null || value <= 0 ? null : Math.log(value);
}

interface UsedPair {
  readonly baseline: UsageByRow;
  readonly candidate: UsageByRow;
}

/** Whether a gate asks for a difference that is shown. */
export function needsTest(gate: Gate | PairGate): gate is UsageGate {
  return gate.kind === "usage" && gate.threshold.percent && !gate.point;
}

/**
 * The p value of each such gate for each pair, adjusted (Holm) over all of them: 1 where the candidate does not use
 * more, null where fewer than two rows tell.
 */
export function usageTests(
  gates: readonly (Gate | PairGate)[],
  pairs: readonly UsedPair[],
): (gate: UsageGate, pair: UsedPair) => number | null {
  const tests = gates.filter(needsTest).flatMap((gate) =>
    pairs.map((pair) => {
      const shared = [...pair.candidate].flatMap(([row, own]) => {
        const [now, before] = [own[gate.name], pair.baseline.get(row)?.[gate.name] ?? null];
        return now === null || before === null ? [] : [{ now, before }];
      });
      const sides = [shared.map(({ now }) => now), shared.map(({ before }) => before)] as const;
      const { difference, p_value: p } = pairedTest(...sides);
      return { gate, pair, p, isMore: (difference ?? 0) > 0 };
    }),
  );
  const adjusted = holm(tests.flatMap(({ p }) => p ?? []));
  let next = 0;
  const told = tests.map(({ p, ...one }) => {
    const own = p === null ? null : (adjusted[next++] ?? null);
    return { ...one, p: own === null || one.isMore ? own : 1 };
  });
  return (gate, pair) => told.find((one) => one.gate === gate && one.pair === pair)?.p ?? null;
}
