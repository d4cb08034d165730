import { compileEditedRows, compileKeyedEvaluations, NAMED_ROWS } from "../../compile/compare/edited-rows.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import { grouped } from "../../model/grouped.ts";
import { at, type Json } from "../../model/json.ts";
import { countOf } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Session } from "../../store/session.ts";
import { callReader } from "../catalog/stored-calls.ts";

/** Rows of one key that two evaluations hold differently; `names`: the keys of the first. */
export interface EditedRows {
  readonly count: number;
  readonly names: readonly string[];
}

export const NO_EDITED_ROWS: EditedRows = { count: 0, names: [] };

/** The edited rows of the candidates of a plan, by their keys, those that are left out too. */
export async function readEditedRows(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
): Promise<ReadonlyMap<number, EditedRows>> {
  if (plan.latestFirst.length === 0) return new Map();
  const found = await session.all(compileEditedRows(plan, narrowing.whole ?? narrowing));
  if (found.length === 0) return new Map();
  const ids = found.map(({ trialId }) => trialId);
  const calls = await callReader(session, plan.projectKey).find(plan.projectId, ids);
  const names = new Map(calls.map(({ id, record }) => [id, rowKeyOf(record)]));
  return new Map(
    Array.from(
      grouped(found, ({ evaluationKey }) => evaluationKey),
      ([key, rows]) => [
        key,
        { count: rows[0]?.count ?? 0, names: rows.flatMap(({ trialId }) => names.get(trialId) ?? []) },
      ],
    ),
  );
}

/** Those of several tasks together. */
export function allEdited(tasks: readonly EditedRows[]): EditedRows {
  const names = tasks.flatMap((task) => task.names);
  return { count: tasks.reduce((sum, { count }) => sum + count, 0), names: names.slice(0, NAMED_ROWS) };
}

function rowKeyOf(record: string): string {
  return String(at(JSON.parse(record) as Json, "attributes", "row_key"));
}

export function editedText(count: number, shared: number): string {
  return `${count} of ${countOf(shared, "shared row")} ${count === 1 ? "was" : "were"} edited`;
}

/** The sentence on the edited rows of a pair that shares so many rows; none where there are none. */
export function editedWarnings({ count, names }: EditedRows, shared: number, areLeftOut: boolean): string[] {
  if (count === 0) return [];
  const rows = editedText(count, shared);
  const listed = listOf(
    names.map((name) => nameText(name)),
    count - names.length,
  );
  if (areLeftOut) return [`${rows} and ${count === 1 ? "is" : "are"} left out: ${listed}`];
  return [`${rows}: ${listed}. --edited-rows leave-out compares without ${count === 1 ? "it" : "them"}.`];
}

/** `q1`, `q1 and q2`, `q1, q2 and 3 more`. */
function listOf(names: readonly string[], more: number): string {
  const all = more === 0 ? names : [...names, `${more} more`];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** Why two evaluations share no row, where only one of them has keys of rows. */
export async function keysOnOneSide(
  session: Session,
  plan: Plan,
  { evaluations }: QueryCatalog,
  [baseline, candidate]: readonly [string, string],
): Promise<string[]> {
  if (plan.latestFirst.length === 0) return [];
  const found = await session.all(compileKeyedEvaluations(plan));
  const has = (id: string) => found.some(({ key }) => key === evaluations.get(id)?.key);
  if (has(baseline) === has(candidate)) return [];
  const named = JSON.stringify(candidate);
  const [keys, none] = has(candidate) ? [named, "the baseline"] : ["the baseline", named];
  return [`${keys} has row keys, ${none} has none: no row is shared`];
}
