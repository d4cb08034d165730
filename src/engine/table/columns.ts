import type { RecordBatch } from "apache-arrow";
import { encodeBatch } from "../../arrow/encode/batch.ts";
import { encodeSchema } from "../../arrow/encode/types.ts";
import {
  compileResultOutputs,
  compileResultRows,
  compileResultScores,
  compileResultSize,
  compileResultTexts,
  compileResultTrials,
} from "../../compile/table/result-columns.ts";
import type { Session } from "../../store/session.ts";
import { statement, type Sql } from "../../store/sql.ts";
import type { QueryContext } from "../base/context.ts";
import { checkOptions } from "../../flow/check-options.ts";
import { generatePieces } from "../../flow/pieces.ts";
import type { TablePart } from "../../plan/trial-table.ts";
import {
  partsOf as partsOfTable,
  planTrialTable,
  TABLE_RULES,
  type PlannedTable,
  type TableOptions,
} from "./table.ts";

/** What a result has, told before its records. */
export interface ColumnsHead {
  /** Says which part this is. */
  readonly kind: "head";
  /** Rows before paging. */
  readonly total_rows: number;
  /** Rows of the page. */
  readonly row_count: number;
  /** Trials of these rows. */
  readonly trial_count: number;
  /** The requested evaluations that have trials; records name them by their position here. */
  readonly evaluation_call_ids: readonly string[];
  /** The places of scores in the project; records name them by `id`. */
  readonly dimensions: readonly {
    /** What `dimension` of a record says. */
    readonly id: number;
    /** Member names below `scores`, the scorer key first. */
    readonly path: readonly string[];
  }[];
}

/** A part of a result, see `queryColumns`. */
export type ColumnsPart =
  | ColumnsHead
  | {
      /** What a record of the batch is. */
      readonly kind: "rows" | "trials" | "scores" | "texts" | "outputs";
      /** Some of the records. */
      readonly batch: RecordBatch;
    };

/** Yields a result as narrow tables of one state of the database, made as they are read. */
export async function* readColumns(
  source: QueryContext,
  projectId: string,
  input: unknown,
  options: TableOptions,
): AsyncGenerator<ColumnsPart, void, undefined> {
  checkOptions(options, TABLE_RULES);
  yield* generatePieces<ColumnsPart>(
    (write, signal) =>
      source.store.read(async (session) => {
        const planned = await planTrialTable(session, source, projectId, input);
        for (const warning of planned.warnings) options.onWarning?.(warning);
        for await (const part of partsOf(session, planned)) await write(part);
      }, signal),
    source.store.closing,
    options.signal,
  );
}

async function* partsOf(
  session: Session,
  { plan, paths, withErrors, withOutputs }: PlannedTable,
): AsyncGenerator<ColumnsPart, void, undefined> {
  const { evaluationKeys, evaluationIds } = plan;
  const [size] = evaluationKeys.length === 0 ? [] : await session.all(compileResultSize(plan));
  const { total, rows, trials } = size ?? { total: 0, rows: 0, trials: 0 };
  yield {
    kind: "head",
    total_rows: total,
    row_count: rows,
    trial_count: trials,
    evaluation_call_ids: evaluationIds,
    dimensions: paths.map(({ key, path }) => ({ id: key, path })),
  };
  if (rows === 0) return;
  for (const part of await partsOfTable(session, plan, ["rows"]))
    yield* batchesOf(session, "rows", compileResultRows(part));
  yield* batchesOf(session, "trials", compileResultTrials(plan, withErrors));
  yield* batchesOf(session, "scores", compileResultScores(plan));
  yield* batchesOf(session, "texts", compileResultTexts(plan));
  for (const part of withOutputs ? await partsOfTable(session, plan, ["outputs"]) : [])
    for (const [from, to] of portions(rows, trials, part.part))
      yield* batchesOf(session, "outputs", compileResultOutputs(part, from, to));
}

async function* batchesOf(
  session: Session,
  kind: Exclude<ColumnsPart["kind"], "head">,
  sql: Sql,
): AsyncGenerator<ColumnsPart, void, undefined> {
  const { fields, batches } = await session.vectors(statement(sql, session.dialect));
  const schema = encodeSchema(fields);
  for await (const batch of batches) yield { kind, batch: encodeBatch(schema, batch) };
}

const FEWEST_TRIALS = 1024;
const MOST_TRIALS = 65_536;

/**
 * Rows whose outputs one statement reads: few at first, since a reader may want no more and the next ones are read
 * meanwhile; later half as many as were read before, since each statement reads all keys.
 */
function* portions(
  rows: number,
  trials: number,
  part: TablePart | null,
): Generator<readonly [number, number]> {
  const perRow = Math.max(1, trials / rows);
  const end = Math.min(rows, part?.to ?? rows);
  for (let from = part?.from ?? 0, to = 0; from < end; from = to) {
    const wanted = Math.min(MOST_TRIALS, Math.max(FEWEST_TRIALS, (from * perRow) / 2));
    to = Math.min(end, from + Math.ceil(wanted / perRow));
    yield [from, to];
  }
}
