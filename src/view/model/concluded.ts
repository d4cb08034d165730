import type { HistoryAnswer } from "../../respond/history/history.ts";
import type { Answers } from "./answers.ts";
import { conclusion, toldPlainly, type Conclusion } from "../../words/conclusion.ts";
import { historySentence } from "../../words/history.ts";
import { sliceSentence } from "../../words/slices.ts";
import type { Sentence } from "../../words/sentence.ts";
import { namesById } from "./page-names.ts";
import { termsOf, type Shown, type ShownEvaluation } from "./shown.ts";

/**
 * What can be said of the answers in this score: what is concluded, the figures, where they come from, and since when
 * it is so.
 */
export function conclusionOf(shown: Shown, candidate: ShownEvaluation | null): Conclusion {
  const { answers, baseline, evaluations } = shown;
  const terms = { ...termsOf(answers), slicing: undefined };
  const found = conclusion({ ...shown, ...terms, baseline: baseline?.name.id ?? "" });
  const { comparison = null } = candidate ?? {};
  const sliced = comparison === null ? null : sliceSentence(comparison, answers.comparison?.slicing);
  const history = historyOf(answers, candidate?.name.id);
  const said: Sentence[] = [
    ...(sliced === null || evaluations.length > 2 ? [] : [[sliced]]),
    ...(history === null ? [] : [historySentence(history, answers.question)]),
  ];
  return { ...found, sentences: [...found.sentences, ...said.map(toldPlainly)] };
}

/** The runs of the name of an evaluation, called as on the whole page; null where there are less than two. */
export function historyOf(answers: Answers, id: string | undefined): HistoryAnswer | null {
  const called = answers.evaluations.find((one) => one.id === id)?.display_name;
  const found = answers.histories.find(({ name }) => name === called);
  if (found === undefined || found.entries.length < 2) return null;
  const names = namesById(answers);
  const entries = found.entries.map((one) => {
    return { ...one, label: names.get(one.evaluation_call_id)?.text ?? one.label };
  });
  return { ...found, entries };
}
