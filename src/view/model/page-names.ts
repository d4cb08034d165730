import type { Answers } from "./answers.ts";
import { cutEndings, evaluationNames, type PageName } from "../../words/names.ts";

type Named = Pick<Answers, "evaluations" | "also">;

/** What the evaluations of a page are called, in their order, told apart from all others that it names. */
export function pageNames({ evaluations, also }: Named): PageName[] {
  return evaluationNames([...evaluations, ...also]).slice(0, evaluations.length);
}

/** The same of all that it names, by id. */
export function namesById({ evaluations, also }: Named): ReadonlyMap<string, PageName> {
  return new Map(evaluationNames([...evaluations, ...also]).map((name) => [name.id, name]));
}

/** How the page writes names of runs: without the words that end all that it names. */
export function shownNames({ evaluations, also }: Named): ReadonlyMap<string, string> {
  return cutEndings([...evaluations, ...also].map(({ display_name: name }) => name ?? ""));
}
