import { csvHead, isCsv, jsonTail, type LineFormat } from "../../compile/table/text-lines.ts";
import {
  compileCopiedLines,
  compileTableColumns,
  compileTableLines,
  textColumns,
} from "../../compile/table/trial-table.ts";
import type { TrialTablePlan } from "../../plan/trial-table.ts";
import type { Session } from "../../store/session.ts";
import { sql, statement, type Sql } from "../../store/sql.ts";
import type { QueryContext } from "../base/context.ts";
import { checkOptions, RULE, type OptionRules } from "../../flow/check-options.ts";
import { partsOf, planTrialTable, TABLE_RULES, tableBatches, type TableOptions } from "../table/table.ts";
import { planExport } from "./plan-export.ts";
import { checkTarget, WRITE_RULES, writeTable, type WriteOptions } from "./write-table.ts";

/** Options of `exportResults`. */
export interface ExportOptions extends WriteOptions, TableOptions {
  /** Whether records have `details`, what the output of the trial tells beside its scores. Default true. */
  readonly details?: boolean | undefined;
  /** Whether records have the columns of `queryTable` alone. Default false. */
  readonly bare?: boolean | undefined;
}

export const RESULT_EXPORT_RULES: OptionRules = {
  ...WRITE_RULES,
  ...TABLE_RULES,
  details: RULE.flag,
  bare: RULE.flag,
};

function linesOf(parts: readonly TrialTablePlan[], format: LineFormat): readonly Sql[] {
  return parts.map((part) => compileTableLines(part, format));
}

/** Writes the table of a request to a file or a stream; resolves to the number of trials. */
export async function exportResults(
  source: QueryContext,
  projectId: string,
  input: unknown,
  options: ExportOptions,
): Promise<{ readonly trials: number }> {
  checkOptions(options, RESULT_EXPORT_RULES);
  checkTarget(options);
  return source.store.read(async (session) => {
    const table = await planTrialTable(session, source, projectId, input);
    for (const warning of table.warnings) options.onWarning?.(warning);
    const plan =
      options.bare === true ? table.plan : await planExport(session, table, options.details !== false);
    const write = async (
      own: Session,
      columns: readonly Sql[],
      lines: (format: LineFormat) => readonly Sql[],
    ): Promise<{ readonly trials: number }> => {
      const texts = {
        columns: () => columns.map((one) => statement(one, own.dialect)),
        lines: (format: LineFormat) => ({
          head: isCsv(format) ? csvHead(textColumns(plan), format) : "",
          queries: lines(format).map((one) => statement(one, own.dialect)),
          tail: (records: number) => (isCsv(format) ? "" : jsonTail(format, records)),
        }),
        batches: () => tableBatches(session, plan),
      };
      return { trials: await writeTable(own, texts, options) };
    };
    const parts = await partsOf(session, plan);
    if (source.copied === null || options.format === "arrow")
      return write(session, parts.map(compileTableColumns), (format) => linesOf(parts, format));
    return source.copied(
      await session.vectors(statement(compileTableColumns(plan), session.dialect)),
      (own, copy) =>
        write(own, [sql`SELECT * FROM ${copy}`], (format) => [compileCopiedLines(plan, copy, format)]),
      options.signal,
    );
  }, options.signal);
}
