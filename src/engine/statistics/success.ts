import {
  compileSpending,
  compileStopReasons,
  compileSuccessRows,
  compileTruths,
  SQUARE,
} from "../../compile/statistics/success.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import { fieldText } from "../../model/field-path.ts";
import { grouped } from "../../model/grouped.ts";
import { nameText } from "../../model/name-text.ts";
import { compareDimensions } from "../../model/text-order.ts";
import { agreementSide, leafOf, type PlannedSide } from "../../plan/agreement-plan.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
import type { Plan } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import { meaningless } from "../../request/meaningless.ts";
import { stopReasons, type StopReasons } from "../../respond/summary/stop-reasons.ts";
import type { SuccessFigures } from "../../respond/summary/per-success.ts";
import type { Session } from "../../store/session.ts";
import { usedLeaves } from "./row-statistics.ts";

/** The dimension that says whether a trial passed. */
export interface Success extends PlannedSide {
  /** As a request names it. */
  readonly name: string;
}

/**
 * The dimension that a request names as a success, else the first by name whose values in its evaluations are true and
 * false, or 0 and 1, alone; null without any. Throws `RequestError` on one of other values.
 */
export async function findSuccess(
  session: Session,
  plan: Plan,
  scorePaths: readonly CatalogPath[],
  asked: readonly string[] | null,
): Promise<Success | null> {
  const paths = scorePaths.filter((path) => path.leaf && traitsOf(path).isScore);
  const named = asked === null ? null : agreementSide(["success"], leafOf(asked, scorePaths), scorePaths);
  const keys = named === null ? paths.map(({ key }) => key) : [named.pathKey];
  const truths = keys.length === 0 ? [] : await session.all(compileTruths(plan, keys));
  const found = new Set(truths.map(({ pathKey }) => pathKey));
  if (named !== null) {
    const name = fieldText(named.path);
    if (found.has(named.pathKey)) return { ...named, name };
    throw meaningless(
      ["success"],
      `${nameText(name)} has other values than true and false, or 0 and 1, in these evaluations, or none`,
    );
  }
  const [first] = paths
    .filter(({ key }) => found.has(key))
    .toSorted((a, b) => compareDimensions(a.path, b.path));
  if (first === undefined) return null;
  const { key, path, exponents } = first;
  return { pathKey: key, path, exponents, name: fieldText(path) };
}

/** Reads what the trials of some rows took for a success. */
export async function readSpending(
  session: Session,
  plan: Plan,
  success: Success,
  narrowed: Narrowing,
): Promise<SuccessFigures> {
  const leaves = usedLeaves(plan);
  const passes = await session.all(compileSuccessRows(plan, success, narrowed));
  const spent = await session.all(compileSpending(plan, success, leaves, narrowed));
  const nameOf = new Map(leaves.map(({ key, path: [name = ""] }) => [key, name]));
  const ofEvaluation = grouped(spent, ({ evaluationKey }) => evaluationKey);
  return {
    success: success.name,
    means: new Map(
      [...grouped(passes, ({ evaluationKey }) => evaluationKey)].map(([key, own]) => {
        const total = own.reduce((sum, { trials, passed, rows }) => sum + (rows * passed) / trials, 0);
        return [key, total / own.reduce((sum, { rows }) => sum + rows, 0)];
      }),
    ),
    spent: new Map(
      [...ofEvaluation].map(([key, own]) => [
        key,
        Object.fromEntries(
          own.map(({ pathKey, squares, ...one }) => [
            nameOf.get(pathKey) ?? "",
            { ...one, apart: squares / SQUARE },
          ]),
        ),
      ]),
    ),
  };
}

/** Reads why the trials of each evaluation stopped, by its key. */
export async function readStopReasons(
  session: Session,
  plan: Plan,
  success: Success | null,
  narrowed: Narrowing,
): Promise<ReadonlyMap<number, StopReasons>> {
  const found = await session.all(compileStopReasons(plan, success, narrowed));
  const ofEvaluation = grouped(found, ({ evaluationKey }) => evaluationKey);
  return new Map([...ofEvaluation].map(([key, own]) => [key, stopReasons(own, success !== null)]));
}
