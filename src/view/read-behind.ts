import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { HistoryAnswer } from "../respond/history/history.ts";
import type { ItemsAnswer } from "../respond/items/items.ts";
import type { AnswerSource } from "./answer-source.ts";
import { costsOf, scopeOf, type Answers, type Question } from "./model/answers.ts";
import { memberAtFault } from "./latest-runs.ts";
import { headlineOf } from "./model/scores.ts";

const MOST_HISTORIES = 8;

/** The runs of each name of a candidate of which the project has two or more. */
export async function readHistories(
  source: AnswerSource,
  all: readonly EvaluationEntry[],
  answers: Pick<Answers, "evaluations" | "baseline" | "summary" | "whole">,
  question: Question,
): Promise<HistoryAnswer[]> {
  const { evaluations, baseline } = answers;
  const score = headlineOf({ ...answers, question })?.key;
  const candidates = evaluations.filter(({ id }) => id !== baseline);
  const names = [...new Set(candidates.flatMap(({ display_name: name }) => name ?? []))];
  const run = names.filter((name) => all.filter((one) => one.display_name === name).length > 1);
  const histories: HistoryAnswer[] = [];
  for (const name of run.slice(0, MOST_HISTORIES)) {
    const history = await readHistory(source, name, { ...question, score });
    if (history !== null) histories.push(history);
  }
  return histories;
}

/** Null where the runs could not be told. */
async function readHistory(
  source: AnswerSource,
  name: string,
  question: Question,
): Promise<HistoryAnswer | null> {
  const { scorers, score, lower_is_better, higher_is_better } = question;
  const { confidence, adjust, margin, cluster_by } = question;
  const sides = { scorers, score, lower_is_better, higher_is_better };
  const terms = { confidence, adjust, margin, cluster_by, ...costsOf(question) };
  try {
    return await source.history({ ...scopeOf(question), ...sides, ...terms, name });
  } catch (error) {
    // The runs may lack a score that others have.
    if (HISTORY_LACKS.has(String(memberAtFault(error)))) return null;
    throw error;
  }
}

const HISTORY_LACKS = new Set(["scorers", "score", "lower_is_better", "higher_is_better"]);

/** Items that a page shows. */
const MOST_ITEMS = 20;
const LEAST_TOLD_APART = 3;

/** What rows tell of the evaluations in the headline score. */
export async function readItems(
  source: AnswerSource,
  answers: Pick<Answers, "evaluations" | "summary" | "whole">,
  question: Question,
): Promise<ItemsAnswer | null> {
  const scorer = headlineOf({ ...answers, question })?.key;
  const evaluations = answers.evaluations.map(({ id }) => id);
  if (scorer === undefined || evaluations.length < LEAST_TOLD_APART) return null;
  const { count_errors_as: _errors, count_nulls_as: _nulls, ...scope } = scopeOf(question);
  const { confidence } = question;
  try {
    return await source.items({ ...scope, evaluations, scorer, confidence, limit: MOST_ITEMS });
  } catch (error) {
    // The headline may be costs, and the rows too many.
    if (ITEMS_LACK.has(String(memberAtFault(error)))) return null;
    throw error;
  }
}

const ITEMS_LACK = new Set(["scorer", "evaluations"]);
