import { findEvaluation } from "../request/find-evaluation.ts";
import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import { meaningless } from "../request/meaningless.ts";
import type { Question } from "./answers.ts";

/** How many evaluations a page can have. */
const MOST_EVALUATIONS = 200;

/** The evaluations that a question names; all where it names none. Throws `RequestError` on a name that stands for none, and on too many. */
export function chosen(
  list: readonly EvaluationEntry[],
  { evaluations: ids }: Question,
): readonly EvaluationEntry[] {
  const known = new Map(list.map((one) => [one.id, one]));
  const found =
    ids == null
      ? list
      : [...new Set(ids)].map((id, i) => {
          const one = known.get(idOf(id, list, ["evaluations", i]));
          if (one !== undefined) return one;
          throw meaningless(["evaluations", i], `evaluation ${JSON.stringify(id)} is not in this project`);
        });
  if (found.length <= MOST_EVALUATIONS) return found;
  throw meaningless(
    ["evaluations"],
    `a page shows at most ${MOST_EVALUATIONS} evaluations, not ${found.length}; name those to show`,
  );
}

/** The id that a name stands for. Throws `RequestError`. */
export function idOf(text: string, list: readonly EvaluationEntry[], place: (string | number)[]): string {
  const found = findEvaluation(text, list);
  if ("id" in found) return found.id;
  throw meaningless(place, found.fault);
}
