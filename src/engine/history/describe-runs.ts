import type { ListedEvaluation } from "../../compile/catalog/evaluations.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { referenceLabel } from "../../model/references.ts";
import type { CutRun, HistoryEntry } from "../../respond/history/history.ts";
import type { LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import { datasetRefOf } from "../catalog/list-evaluations.ts";
import { editedText } from "../compare/edited-rows.ts";
import { labelledOf } from "./choose-runs.ts";
import type { ComparedRuns } from "./compare-shown.ts";

type ToldRun = LeaderboardEntry & Pick<HistoryEntry, "rows_digest" | "user">;

/** The entries, and the runs beside them that they name. */
export function describeRuns(
  runs: readonly ListedEvaluation[],
  shown: readonly ListedEvaluation[],
  told: readonly ToldRun[],
  compared: ComparedRuns,
) {
  const { valued, steps, previous, changes, worse } = compared;
  const others = cutRuns(runs, shown, compared);
  const labels = evaluationLabels([...others, ...shown].map(labelledOf));
  const nameOf = ({ id, commit }: ListedEvaluation): CutRun => {
    const position = valued.indexOf(id) + 1;
    return {
      evaluation_call_id: id,
      label: labels.get(id) ?? id,
      commit,
      position: position === 0 ? null : position,
    };
  };
  const entries = shown.map((one, i): HistoryEntry => {
    const step = steps.get(one.id);
    return {
      ...nameOf(one),
      ...figuresOf(one, told[i]),
      against_previous: previous.get(one.id) ?? null,
      reference: valued[step?.reference ?? -1] ?? null,
      against_reference: step?.comparison ?? null,
      worse_since: worse.get(one.id) ?? null,
      changes: changes.get(one.id) ?? null,
    };
  });
  const anew = entries.flatMap(({ evaluation_call_id: id, label }) => {
    const why = steps.get(id)?.anew ?? null;
    return why === null ? [] : [`starts anew at ${label}: ${why}`];
  });
  const edited = entries.flatMap(({ label, row_count: rows, against_previous: against }) => {
    if (against === null || against.n_edited === 0) return [];
    return [`${label}: ${editedText(against.n_edited, rows - against.n_only_candidate)}`];
  });
  return { entries, cut: others.map(nameOf), anew: [...anew, ...edited] };
}

/** The runs that shown ones name, and that are not among them. */
function cutRuns(
  runs: readonly ListedEvaluation[],
  shown: readonly ListedEvaluation[],
  { valued, steps, previous, worse }: ComparedRuns,
): ListedEvaluation[] {
  const named = new Set(
    shown.flatMap(({ id }) => {
      const { evaluation_call_id: since, last_good: good } = worse.get(id) ?? {};
      return [valued[steps.get(id)?.reference ?? -1], previous.get(id)?.baseline, since, good];
    }),
  );
  const own = new Set(shown.map(({ id }) => id));
  return runs.filter(({ id }) => named.has(id) && !own.has(id));
}

/** What an entry has whatever it is compared with. */
function figuresOf(one: ListedEvaluation, entry: ToldRun | undefined) {
  const reference = datasetRefOf(one);
  return {
    started_at: labelledOf(one).started_at,
    model: entry?.model ?? null,
    dataset: reference === null ? null : referenceLabel(reference),
    branch: one.branch,
    user: entry?.user ?? null,
    row_count: entry?.row_count ?? 0,
    rows_digest: entry?.rows_digest ?? null,
    trial_count: entry?.trial_count ?? 0,
    error_count: entry?.error_count ?? 0,
    scores: entry?.scores ?? [],
  };
}
