import type { AnswerSummary, ScorerStat } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { scorerStat, summaryEvaluation, type LeafSums } from "../score-stats.ts";
import { compareText, groupBy, type TrialRecord } from "../trial-record.ts";
import type { Objects } from "./objects.ts";
import type { Groups } from "./select-rows.ts";

type OpenSums = { -readonly [Member in keyof LeafSums]: LeafSums[Member] };

export function summarise(objects: Objects, groups: Groups, question: Question): AnswerSummary {
  const trials = groupBy([...groups.values()].flat(), (trial) => trial.evaluationId);
  return {
    row_count: groups.size,
    evaluations: question.evaluationIds.map((id) => {
      const own = trials.get(id) ?? [];
      return summaryEvaluation(id, objects.roots.get(id) ?? {}, own.length, scorerStats(own));
    }),
  };
}

function scorerStats(trials: readonly TrialRecord[]): ScorerStat[] {
  const sums = new Map<string, OpenSums>();
  for (const trial of trials)
    for (const [key, value] of Object.entries(trial.scores)) addLeaves(sums, key, [], value);
  return [...sums.values()]
    .sort((a, b) => compareText(a.key, b.key) || compareText(a.path ?? "", b.path ?? ""))
    .map(scorerStat);
}

function addLeaves(sums: Map<string, OpenSums>, key: string, path: readonly string[], value: unknown): void {
  if (typeof value === "object") {
    if (value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) addLeaves(sums, key, [...path, name], member);
    return;
  }
  const address = JSON.stringify([key, ...path]);
  let entry = sums.get(address);
  if (entry === undefined) {
    const joined = path.length === 0 ? null : path.join(".");
    entry = { key, path: joined, leaves: 0, numbers: 0, sum: 0, known: 0, passed: 0 };
    sums.set(address, entry);
  }
  entry.leaves += 1;
  if (typeof value === "number") {
    entry.numbers += 1;
    entry.sum += value;
  } else if (typeof value === "boolean") {
    entry.known += 1;
    entry.passed += Number(value);
  }
}
