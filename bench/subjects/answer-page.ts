import type { AnswerRow } from "../answer.ts";
import type { Question } from "../question.ts";
import { answerRows } from "./answer-rows.ts";
import { groupBy, joinChildren, type ChildFacts, type TrialFacts } from "./trial-record.ts";

/** What a database gives for the rows of one page. */
export interface PageCalls {
  readonly digests: readonly string[];
  readonly trials: readonly TrialFacts[];
  readonly children: readonly ChildFacts[];
  /** Values of the stored dataset rows by digest, when they are wanted. */
  readonly datasetRows: ReadonlyMap<string, unknown>;
}

export function answerPage(calls: PageCalls, question: Question): AnswerRow[] {
  const children = groupBy(calls.children, (child) => child.parentId);
  const trials = calls.trials.map((trial) => joinChildren(trial, children.get(trial.id) ?? []));
  const wanted = question.page?.rawDataRows === true;
  return answerRows(
    calls.digests,
    groupBy(trials, (trial) => trial.digest),
    question.evaluationIds,
    (first) => (wanted ? (calls.datasetRows.get(first.digest) ?? first.example) : null),
  );
}
