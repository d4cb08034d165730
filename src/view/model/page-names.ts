import type { Answers } from "./answers.ts";
import { evaluationNames, type PageName } from "../../words/names.ts";

type Named = Pick<Answers, "evaluations" | "also">;

/** What the evaluations of a page are called, in their order, told apart from all others that it names. */
export function pageNames({ evaluations, also }: Named): PageName[] {
  return evaluationNames([...evaluations, ...also]).slice(0, evaluations.length);
}

/** The same of all that it names, by id. */
export function namesById({ evaluations, also }: Named): ReadonlyMap<string, PageName> {
  return new Map(evaluationNames([...evaluations, ...also]).map((name) => [name.id, name]));
}
