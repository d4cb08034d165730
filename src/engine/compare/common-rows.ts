import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";
import { keysOnOneSide } from "./edited-rows.ts";
import type { ComparisonContext } from "./side-facts.ts";

/** One candidate that shares rows is enough: of the others the answer says that they share none. */
export async function checkCommonRows(
  session: Session,
  { comparing, catalog, plan, pairs }: Pick<ComparisonContext, "comparing" | "catalog" | "plan" | "pairs">,
): Promise<void> {
  const presences = comparing.candidates.map((id) => pairs.presence(catalog.evaluations.get(id)?.key ?? 0));
  if (comparing.lenient || presences.some(({ both }) => both >= 2)) return;
  for (const [i, id] of comparing.candidates.entries()) {
    const { both = 0, onlyBaseline = 0, onlyCandidate = 0 } = presences[i] ?? {};
    const edited = comparing.leavesOutEdited ? (presences[i]?.edited.count ?? 0) : 0;
    const rows = both === 0 ? "no row" : "one row only";
    const tasks = both === 0 ? taskDifference(comparing.baseline, id, catalog) : [];
    const keyed = both === 0 ? await keysOnOneSide(session, plan, catalog, [comparing.baseline, id]) : [];
    const kept = [
      ...(comparing.request.filters.length > 0 ? ["that the filters keep"] : []),
      ...(edited > 0 ? ["that was not edited"] : []),
    ].join(" and ");
    throw meaningless(
      comparing.places[i] ?? [],
      [
        `${JSON.stringify(id)} shares ${rows} with the baseline${kept === "" ? "" : ` ${kept}`} (${onlyBaseline} are in the baseline only, ${onlyCandidate} in the candidate only); a comparison needs two`,
        ...keyed,
        ...tasks,
        ...catalog.fieldWarnings,
      ].join("; "),
    );
  }
}

/** Why two tables share no row, where it is their tasks: these belong to the rows. */
function taskDifference(baseline: string, candidate: string, { evaluations }: QueryCatalog): string[] {
  const [one, other] = [baseline, candidate].map((id) => tableTask(evaluations.get(id)?.evaluationRef ?? ""));
  if (one == null || other == null || one === other) return [];
  return [
    `the baseline has ${taskName(one)} and the candidate ${taskName(other)}, which are part of the rows of a table: import both with the same --task`,
  ];
}

function taskName(task: string): string {
  return task === "" ? "no task" : `the task ${JSON.stringify(task)}`;
}

/** The task of an imported table, empty where it has none; null for anything else. */
function tableTask(evaluationRef: string): string | null {
  const [, format, task = ""] = /^(table)(?::(.*))?$/s.exec(evaluationRef) ?? [];
  return format === undefined ? null : task;
}
