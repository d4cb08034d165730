import { checkProjectId } from "../../flow/check-options.ts";
import { checkArgument } from "../../model/arguments.ts";
import { storedQuestionWire, type StoredQuestion } from "../../request/stored-question.ts";
import type { Store } from "../../store/session.ts";
import { readEvaluation, readTrial } from "../catalog/logged-trials.ts";
import { RunReader } from "./stored-runs.ts";

/** Answers with plain data what is asked of what is stored of a project. */
export async function answerStored(store: Store, projectId: string, input: unknown): Promise<unknown> {
  checkProjectId(projectId);
  const question: StoredQuestion = checkArgument(input, storedQuestionWire);
  const runs = new RunReader(store, projectId);
  switch (question.ask) {
    case "roots":
      return await runs.roots(question.task, question.model);
    case "calls": {
      const { records, hidden } = await runs.calls(question.ids);
      return { records: [...records], hidden: [...hidden] };
    }
    case "trial_count":
      return await runs.trialCount(question.root);
    case "call_ids":
      return await all(runs.callIds(question.root));
    case "has_rows":
      return await runs.hasRows();
    case "row_values":
      return [...(await runs.rowValues(question.digests))];
    case "shared_rows":
      return [...(await runs.sharedRows(question.digests, question.root))];
    case "evaluation":
      return await evaluationOf(store, projectId, question.id);
    case "trial":
      return await readTrial(store, projectId, question.id, question.scorer, question.call);
  }
}

async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const part of parts) list.push(part);
  return list;
}

async function evaluationOf(store: Store, projectId: string, id: string) {
  const trials: object[] = [];
  const root = await readEvaluation(store, projectId, id, (part) => {
    trials.push(...part);
    return Promise.resolve();
  });
  return root === null ? null : { root, trials };
}
