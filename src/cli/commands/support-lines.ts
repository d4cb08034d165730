import { support } from "../../demo/support.ts";
import type { Engine } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { counted } from "../../view/words/figures.ts";
import { comparedSides, conclusionLines } from "../tables/comparison-words.ts";

/** What the last run of the demo's assistant changed, in lines: who is worse, by how much, and what failed. */
export async function supportLines(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const { project } = support;
  const runs = (await engine.listEvaluations(project, { signal })).slice(-2);
  const [baseline, candidate] = runs.map(({ id }) => id);
  if (baseline === undefined || candidate === undefined) return [];
  const request = { baseline, candidates: [candidate], scorers: ["correct"], by: "inputs.topic" } as const;
  const answer = await engine.compareEvaluations(project, request, { signal });
  return [
    ...conclusionLines({ answer, request, sides: comparedSides(answer), names: evaluationLabels(runs) }),
    ...(await errorLines(engine, candidate)),
  ];
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
