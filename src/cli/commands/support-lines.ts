import { support } from "../../demo/support.ts";
import type { Engine, EvaluationEntry } from "../../index.ts";
import { counted } from "../../view/words/figures.ts";
import { conclusionLines } from "../tables/comparison-words.ts";

/** What the last run of the demo's assistant changed, in lines: who is worse, by how much, and what failed. */
export async function supportLines(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const { project } = support;
  const runs = (await engine.listEvaluations(project, { signal })).slice(-2);
  const [baseline, candidate] = runs.map(({ id }) => id);
  if (baseline === undefined || candidate === undefined) return [];
  const request = { baseline, candidates: [candidate], scorers: ["correct"] };
  const answer = await engine.compareEvaluations(project, request, { signal });
  return [
    ...conclusionLines({ answer, request, names: labelsOf(runs) }),
    ...(await errorLines(engine, candidate)),
  ];
}

function labelsOf(runs: readonly EvaluationEntry[]): ReadonlyMap<string, string> {
  return new Map(
    runs.map(({ id, display_name: name, started_at: at }) => [id, `${name} (${at?.slice(0, 10)})`]),
  );
}

async function errorLines(engine: Engine, evaluation: string): Promise<string[]> {
  const request = {
    evaluation_call_ids: [evaluation],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  } as const;
  const { summary } = await engine.queryEvalResults(support.project, request);
  const [one] = summary.evaluations;
  const failed = one?.scorer_stats[0]?.error_count ?? 0;
  return one === undefined || failed === 0
    ? []
    : [`${failed} of ${counted(one.trial_count, "trial")} in error`];
}
