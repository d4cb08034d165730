import { compilePage, compileRowCount, compileRowDetails, type PageRow } from "../../compile/query.ts";
import { compileFailedTrials, compileTrialErrors } from "../../compile/rows/trials.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowsPlan } from "../../plan/plan.ts";
import type { TrialRecord } from "../../plan/results.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import {
  type RowDetails,
  type Unresolved,
  type VirtualScores,
  writeRow,
  writeVirtualScores,
} from "../../respond/query/rows.ts";
import { costWarnings, readTrialCosts, type WithoutCost } from "./costs.ts";
import { readTrials, type KeptTrials } from "../base/kept-trials.ts";
import { textStarts, wholeParts } from "../../texts/whole-texts.ts";
import { START_BYTES, startsWanted, type ValueCut } from "../../respond/query/cut-values.ts";
import { compileVirtualScores } from "../../compile/scores/score-records.ts";

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

/** Writes the rows of a page; resolves to warnings about them. */
export async function writeRowPage(
  session: Session,
  kept: KeptTrials | null,
  request: EvalRequest,
  plan: Plan,
  { rows: page }: RowPage,
  write: Write,
): Promise<string[]> {
  const unresolved = { count: 0, example: "" };
  const without: WithoutCost = new Map();
  const rowsAPiece = rowsAtATime(plan);
  let ahead: VirtualAhead = { scores: new Map(), end: 0 };
  let count = rowsAPiece;
  for (let start = 0; start < page.length;) {
    const rows = page.slice(start, start + count);
    if (start + rows.length > ahead.end)
      ahead = await readVirtualAhead(session, plan, page, start, rows.length);
    const found = await readPart(session, kept, request, plan, rows, ahead.scores, without);
    let characters = 0;
    let texts: string[] = [];
    let held = 0;
    for (const [i, { key, digest }] of rows.entries()) {
      await session.turns.take();
      const row = { ...NO_VALUE, ...found.values.get(key), digest };
      const text = writeRow(request, plan, row, found.trials.get(key) ?? [], found.details, unresolved);
      texts.push(start + i === 0 ? text : `,${text}`);
      held += text.length;
      characters += text.length;
      if (texts.length < rowsAPiece && held < CHARACTERS_A_PIECE && i + 1 < rows.length) continue;
      for await (const part of wholeParts(session, texts.join(""))) await write(part);
      texts = [];
      held = 0;
    }
    start += rows.length;
    count = nextCount(rows.length, characters, rowsAPiece);
  }
  // With a summary, that tells of all trials.
  return [...(plan.summary === null ? costWarnings(without) : []), ...unresolvedWarnings(unresolved)];
}

function unresolvedWarnings({ count, example }: Unresolved): string[] {
  if (count === 0) return [];
  return [
    `${count} row${count === 1 ? "" : "s"} of the page could not be resolved: no dataset row is stored for example for digest ${JSON.stringify(example)}`,
  ];
}

/** How many trials are written as one piece, and read first. Keeps the event loop free. */
const TRIALS_A_PIECE = 500;

/** Few long texts are written as one piece. */
const CHARACTERS_A_PIECE = 1024 * 1024;

/** How much text is read at once. Keeps memory bounded for any page. */
const CHARACTERS_AT_A_TIME = 4 * 1024 * 1024;

/** How many times more rows may be read than the time before, whose texts may have been shorter. */
const MOST_GROWTH = 4;

/** Virtual scores cost a scan of their dimensions, so they are read for at least this many pieces at once. */
const VIRTUAL_PIECES_AHEAD = 20;

function keysOf(rows: readonly PageRow[]): Key[] {
  return rows.map(({ key }) => key);
}

function rowsAtATime({ evaluationKeys }: Plan): number {
  return Math.max(1, Math.floor(TRIALS_A_PIECE / evaluationKeys.length));
}

/**
 * How many rows to read after `rows` that took so many characters. A statement costs nearly the same for few rows as
 * for many: it goes through the keys of all trials, and unpacks the texts beside those that it reads.
 */
function nextCount(rows: number, characters: number, least: number): number {
  const fitting = Math.floor((rows * CHARACTERS_AT_A_TIME) / Math.max(1, characters));
  return Math.max(least, Math.min(fitting, rows * MOST_GROWTH));
}

interface VirtualAhead {
  readonly scores: VirtualScores;
  /** The place on the page up to which they are read. */
  readonly end: number;
}

async function readVirtualAhead(
  session: Session,
  plan: Plan,
  page: readonly PageRow[],
  start: number,
  count: number,
): Promise<VirtualAhead> {
  const end = start + Math.max(count, VIRTUAL_PIECES_AHEAD * rowsAtATime(plan));
  return { scores: await readVirtualScores(session, plan, keysOf(page.slice(start, end))), end };
}

const NO_COSTS: ReadonlyMap<Key, number> = new Map();

async function readPart(
  session: Session,
  kept: KeptTrials | null,
  request: EvalRequest,
  plan: Plan,
  rows: readonly PageRow[],
  virtual: VirtualScores,
  without: WithoutCost,
) {
  const keys = keysOf(rows);
  const trials = await readTrials(session, kept, plan, keys);
  const raw = request.rawRows !== "none";
  const all = [...trials.values()].flat();
  const contents = raw ? await readContents(session, all) : NO_VALUES;
  const values = raw ? await readRowValues(session, keys) : NO_VALUES;
  return {
    trials,
    details: {
      cut: await readCut(session, request, all, [...contents.values(), ...values.values()]),
      contents,
      virtual,
      errors: request.includeTrialErrors ? await readTrialErrors(session, plan, keys) : null,
      costs:
        plan.prices === null ? NO_COSTS : await readTrialCosts(session, plan, plan.prices, keys, without),
    },
    values,
  };
}

/** How values are cut, and the starts of those that are. */
async function readCut(
  session: Session,
  { longValues, includeOutputs }: EvalRequest,
  trials: readonly TrialRecord[],
  rows: readonly RowDetails[],
): Promise<ValueCut> {
  const cut = { longValues, mark: session.mark ?? null };
  const texts = [
    ...(includeOutputs === true ? trials.map(({ output }) => output) : []),
    ...trials.map(({ example }) => example),
    ...rows.flatMap(({ val, inlineExample }) => [val, inlineExample]),
  ];
  return { ...cut, starts: await textStarts(session, startsWanted(cut, texts), START_BYTES) };
}

/** What rows with keys hold whose trials refer to it. */
async function readContents(session: Session, trials: readonly TrialRecord[]): Promise<RowValues> {
  const referring = trials.filter(({ referencePrefix }) => referencePrefix !== null);
  const keys = new Set(referring.flatMap(({ contentKey }) => contentKey ?? []));
  return keys.size === 0 ? NO_VALUES : readRowValues(session, [...keys]);
}

/** The exceptions of the failed trials of some rows, by trial key. */
export async function readTrialErrors(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const failed = await session.all(compileFailedTrials(plan, rowKeys));
  if (failed.length === 0) return new Map();
  const keys = failed.map(({ trialKey }) => trialKey);
  const errors = await session.all(compileTrialErrors(plan, keys));
  return new Map(errors.map(({ trialKey, error }) => [trialKey, error]));
}

type RowValues = ReadonlyMap<Key, RowDetails>;
const NO_VALUE = { val: null, inlineExample: null };
const NO_VALUES: RowValues = new Map();

async function readRowValues(session: Session, keys: readonly Key[]): Promise<RowValues> {
  const found = await session.all(compileRowDetails(keys));
  return new Map(found.map((row) => [row.key, row]));
}

/**
 * Reads the virtual scores of the trials of some rows, by trial key, each as a JSON object to be added to the stored
 * scores.
 */
async function readVirtualScores(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const virtualLeaves = plan.virtualLeaves.filter(({ kind }) => kind !== "difficulty");
  if (virtualLeaves.length === 0) return new Map();
  const scores = compileVirtualScores({ ...plan, virtualLeaves }, rowKeys);
  return writeVirtualScores(virtualLeaves, await session.all(scores));
}
