import type { EvaluationEntry } from "../../index.ts";
import { countOf } from "../../model/messages.ts";
import { evaluationLabels } from "../../model/labels.ts";
import type { Runs } from "./find-runs.ts";
import { nameOf } from "./read-suites.ts";

/** An evaluation as people and programs are told of it. */
export interface NamedEvaluation {
  readonly id: string;
  readonly label: string;
}

/** Which evaluations a command judged, and which of the same commit it did not. */
export interface JudgedNames {
  /** By start. */
  readonly judged: readonly NamedEvaluation[];
  /** Evaluations of names that were neither judged nor compared with, by start. */
  readonly notJudged: readonly (NamedEvaluation & { readonly isOfRun: boolean })[];
}

/** `compared` are the ids of the baseline. */
export function judgedNames({ candidates, leftOut, all }: Runs, compared: readonly string[]): JudgedNames {
  const names = new Set(candidates.map(nameOf));
  const commits = new Set(candidates.map(({ commit }) => commit).filter((one) => one !== null));
  const others = all.filter(
    (one) => commits.has(one.commit ?? "") && !names.has(nameOf(one)) && !compared.includes(one.id),
  );
  return {
    judged: labelled(candidates),
    notJudged: labelled(others).map((one) => ({
      ...one,
      isOfRun: leftOut.some(({ id }) => id === one.id),
    })),
  };
}

function labelled(list: readonly EvaluationEntry[]): NamedEvaluation[] {
  const labels = evaluationLabels(list);
  return list.map(({ id }) => ({ id, label: labels.get(id) ?? id }));
}

/** One sentence of what was judged, and one for each reason why something was not. */
export function judgedTexts({ judged, notJudged }: JudgedNames): string[] {
  const where = { "of the same run": true, "of the same commit in another run": false };
  return [
    ...(judged.length === 0 ? [] : [`Judged: ${countOf(judged.length, "evaluation")}: ${listed(judged)}.`]),
    ...Object.entries(where).flatMap(([text, isOfRun]) => {
      const list = notJudged.filter((one) => one.isOfRun === isOfRun);
      return list.length === 0
        ? []
        : [`Not judged: ${listed(list.slice(0, MOST_NAMED), list.length)}, ${text}.`];
    }),
  ];
}

const MOST_NAMED = 10;

function listed(list: readonly NamedEvaluation[], all = list.length): string {
  const more = all - list.length;
  return `${list.map(({ label }) => label).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
