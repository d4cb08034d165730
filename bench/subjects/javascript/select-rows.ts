import { searchedInput, searchedOutput, sortedScore, type Question, type RowFilter } from "../../question.ts";
import { asObject, compareText, groupBy, type TrialRecord } from "../trial-record.ts";
import type { Objects } from "./objects.ts";

export type Groups = Map<string, TrialRecord[]>;

/** The trials of each row that the question keeps. */
export function selectRows(objects: Objects, question: Question): Groups {
  const trials = question.evaluationIds.flatMap((id) => objects.trials.get(id) ?? []);
  const { filter, evaluationIds } = question;
  const groups = groupBy(trials, (trial) => trial.digest);
  for (const [digest, group] of groups) {
    const kept =
      (filter === null || group.some((trial) => meets(objects, filter, trial))) &&
      (!question.intersection ||
        new Set(group.map((trial) => trial.evaluationId)).size === evaluationIds.length);
    if (!kept) groups.delete(digest);
  }
  return groups;
}

/** The digests of the rows in the order of the page. */
export function orderRows(groups: Groups, question: Question): string[] {
  const order = question.page?.order ?? "digest";
  if (order === "digest") return [...groups.keys()].sort();
  const keyOf = order === "mean score" ? meanScore : scoreDifference;
  const keyed = [...groups].map(([digest, group]) => ({ digest, key: keyOf(group) }));
  keyed.sort((a, b) => compareKeys(a.key, b.key) || compareText(a.digest, b.digest));
  return keyed.map((entry) => entry.digest);
}

function compareKeys(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return b - a;
}

function meets(objects: Objects, filter: RowFilter, trial: TrialRecord): boolean {
  if (filter.kind === "score above") return (readScore(trial) ?? -Infinity) > filter.value;
  const value =
    filter.kind === "inputs contain"
      ? asObject(objects.rows.get(trial.digest) ?? trial.example)[searchedInput]
      : asObject(trial.output)[searchedOutput];
  return typeof value === "string" && value.includes(filter.text);
}

function readScore(trial: TrialRecord): number | null {
  let value: unknown = trial.scores;
  for (const key of sortedScore) value = asObject(value)[key];
  return typeof value === "number" ? value : null;
}

function meanScore(group: readonly TrialRecord[]): number | null {
  let sum = 0;
  let count = 0;
  for (const trial of group) {
    const score = readScore(trial);
    if (score === null) continue;
    sum += score;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

function scoreDifference(group: readonly TrialRecord[]): number | null {
  const means: number[] = [];
  for (const trials of groupBy(group, (trial) => trial.evaluationId).values()) {
    const mean = meanScore(trials);
    if (mean !== null) means.push(mean);
  }
  return means.length < 2 ? null : Math.max(...means) - Math.min(...means);
}
