import type { Engine } from "../../../src/index.ts";
import { PROJECT } from "../../support/records.ts";

/** What the engine answers about the project; no random id, no time. */
export async function readAnswers(
  engine: Pick<Engine, "listEvaluations" | "queryEvalResultsJson" | "feedback">,
): Promise<string[]> {
  const evaluations = await engine.listEvaluations(PROJECT);
  const answers = evaluations.map((entry) => JSON.stringify(entry));
  const ids = evaluations.filter(({ trial_count }) => trial_count > 0).map(({ id }) => id);
  if (ids.length > 0) {
    const request = {
      evaluation_call_ids: ids,
      include_summary: true,
      include_feedback: true,
      limit: 10_000,
    };
    answers.push(await engine.queryEvalResultsJson(PROJECT, request));
  }
  const feedback = await engine.feedback.list(PROJECT, { limit: 1000 });
  answers.push(...feedback.data.map((item) => JSON.stringify({ ...item, created_at: null })));
  return answers;
}
