import {
  compilePage,
  compileRowCount,
  compileRowDetails,
  compileTrials,
  type PageRow,
} from "../../compile/query.ts";
import { compileFailedTrials, compileTrialErrors } from "../../compile/rows/trial-errors.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowsPlan } from "../../plan/plan.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import type { TrialRecord } from "../../plan/results.ts";
import { writeRow, type RowDetails, type VirtualScores } from "../../respond/query/rows.ts";
import { readVirtualScores } from "./virtual-scores.ts";

/** Receives a piece of an answer. */
export type Write = (piece: string) => void | Promise<void>;

export interface RowPage {
  readonly rows: readonly PageRow[];
  /** Number of rows on all pages. */
  readonly total: number;
}

export async function readRowPage(session: Session, plan: Plan, rows: RowsPlan): Promise<RowPage> {
  const page = await session.all(compilePage(plan, rows));
  const [counted = { total: 0 }] = page.length > 0 ? page : await session.all(compileRowCount(plan, rows));
  return { rows: page, total: counted.total };
}

/** The part of a page that is written as its first piece. */
export function firstPiece({ rows, total }: RowPage, plan: Plan): RowPage {
  return { rows: rows.slice(0, rowsAtATime(plan)), total };
}

export async function writeRowPage(
  session: Session,
  request: EvalRequest,
  plan: Plan,
  { rows: page }: RowPage,
  write: Write,
  warnings: string[],
): Promise<void> {
  const unresolved = { count: 0, example: "" };
  const atATime = rowsAtATime(plan);
  const ahead = VIRTUAL_SCORES_AHEAD * atATime;
  let virtual: VirtualScores = new Map();
  for (let i = 0; i < page.length; i += atATime) {
    const part = page.slice(i, i + atATime);
    if (i % ahead === 0) virtual = await readVirtualScores(session, plan, keysOf(page.slice(i, i + ahead)));
    const trials = await readTrials(session, plan, part);
    const errors = request.includeTrialErrors ? await readTrialErrors(session, plan, keysOf(part)) : null;
    const values = request.rawRows === "none" ? NO_VALUES : await readRowValues(session, part);
    const texts: string[] = [];
    for (const { key, digest } of part) {
      await session.turns.take();
      const { val, inlineExample } = values.get(key) ?? NO_VALUE;
      const row = { digest, val, inlineExample };
      texts.push(writeRow(request, plan, row, trials.get(key) ?? [], virtual, errors, unresolved));
    }
    await write(`${i === 0 ? "" : ","}${texts.join(",")}`);
  }
  if (unresolved.count > 0) {
    warnings.push(
      `${unresolved.count} row${unresolved.count === 1 ? "" : "s"} of the page could not be resolved: no dataset row is stored for example for digest ${JSON.stringify(unresolved.example)}`,
    );
  }
}

/** Keeps memory bounded for any page, and the event loop free. */
const TRIALS_AT_A_TIME = 500;

/** Virtual scores cost a scan of their dimensions, so they are read for this many pieces at once. */
const VIRTUAL_SCORES_AHEAD = 20;

function keysOf(rows: readonly PageRow[]): Key[] {
  return rows.map(({ key }) => key);
}

function rowsAtATime(plan: Plan): number {
  return Math.max(1, Math.floor(TRIALS_AT_A_TIME / plan.evaluationKeys.length));
}

async function readTrials(
  session: Session,
  plan: Plan,
  rows: readonly PageRow[],
): Promise<Map<Key, TrialRecord[]>> {
  const keys = keysOf(rows);
  const trials = new Map<Key, TrialRecord[]>(keys.map((key) => [key, []]));
  for (const trial of await session.all(compileTrials(plan, keys))) trials.get(trial.rowKey)?.push(trial);
  return trials;
}

/** The exceptions of the failed trials of some rows, by trial key. */
async function readTrialErrors(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const failed = await session.all(compileFailedTrials(plan, rowKeys));
  if (failed.length === 0) return new Map();
  const errors = await session.all(compileTrialErrors(plan, failed));
  return new Map(errors.map(({ trialKey, error }) => [trialKey, error]));
}

type RowValues = Omit<RowDetails, "digest">;
const NO_VALUE: RowValues = { val: null, inlineExample: null };
const NO_VALUES: ReadonlyMap<Key, RowValues> = new Map();

async function readRowValues(
  session: Session,
  rows: readonly PageRow[],
): Promise<ReadonlyMap<Key, RowValues>> {
  const found = await session.all(compileRowDetails(keysOf(rows)));
  return new Map(found.map((row) => [row.key, row]));
}
