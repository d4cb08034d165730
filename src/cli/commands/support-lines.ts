import { support } from "../../demo/support.ts";
import type { Engine } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { errorLines } from "../../view/words/errors.ts";
import { historySentence } from "../../view/words/history.ts";
import { plainText } from "../../view/words/sentence.ts";
import { comparedSides, conclusionLines } from "../../view/words/comparison-words.ts";

const SCORE = { scorers: ["correct"] } as const;

/** The comparison of the last run of the demo's assistant with the one before, and its history; null where it has not run twice. */
export async function askSupport(engine: Engine, signal: AbortSignal) {
  const { project, name } = support;
  const runs = await engine.listEvaluations(project, { signal });
  const [baseline, candidate] = runs.slice(-2).map(({ id }) => id);
  if (baseline === undefined || candidate === undefined) return null;
  const candidates: readonly [string] = [candidate];
  const request = { ...SCORE, baseline, candidates, by: "inputs.topic" } as const;
  const comparison = await engine.compareEvaluations(project, request, { signal });
  const history = await engine.history(project, { ...SCORE, name }, { signal });
  return { request, comparison, history };
}

/** What the last run of the demo's assistant changed, in lines: by how much it is worse, where, since when, and what failed. */
export async function supportLines(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const asked = await askSupport(engine, signal);
  if (asked === null) return [];
  const { request, comparison, history } = asked;
  const [candidate] = request.candidates;
  const names = evaluationLabels(await engine.listEvaluations(support.project, { signal }));
  return [
    ...conclusionLines({ answer: comparison, request, sides: comparedSides(comparison), names }),
    plainText(historySentence(history, SCORE)),
    ...(await failedLines(engine, candidate, names.get(candidate) ?? candidate)),
  ];
}

async function failedLines(engine: Engine, id: string, label: string): Promise<string[]> {
  const { summary } = await engine.queryEvalResults(support.project, {
    evaluation_call_ids: [id],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    include_errors: true,
  });
  const [told] = summary.evaluations;
  return told === undefined ? [] : errorLines(label, told.scorer_stats[0]?.error_count ?? 0, told);
}
