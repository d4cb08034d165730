import { NO_OUTPUT } from "../../model/messages.ts";
import { ROW_MARK } from "../../model/references.ts";
import type { ExportedColumns, TrialTablePlan } from "../../plan/trial-table.ts";
import { unsaidPaths } from "../../plan/trial-table.ts";
import { constant, EMPTY, join, sql, text, type Sql } from "../../store/sql.ts";
import { failedTrials, statedErrors } from "../relations/failures.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { joinedTexts, jsonAt, jsonText, relationOf, replaced } from "../relations/spelled.ts";

/** A column of the table of trials. */
export interface TableColumn {
  readonly name: string;
  readonly type: "text" | "integer" | "double" | "boolean";
  /** The value in terms of the relations of `compileTrialTable`. */
  readonly value: Sql;
}

export function tableColumn(name: string, type: TableColumn["type"], value: Sql): TableColumn {
  return { name, type, value };
}

const textColumn = (name: string, value: Sql) => tableColumn(name, "text", value);

/** What an export has beside a table: columns of the evaluation, of the trial, and about its scores. */
interface AddedColumns {
  readonly ofEvaluation: readonly TableColumn[];
  readonly ofTrial: readonly TableColumn[];
  readonly ofScores: readonly TableColumn[];
}

const NOTHING_ADDED: AddedColumns = { ofEvaluation: [], ofTrial: [], ofScores: [] };

export function exportColumns({ exported, scoreColumns }: TrialTablePlan): AddedColumns {
  if (exported === undefined) return NOTHING_ADDED;
  const paths = unsaidPaths(scoreColumns);
  const dataset = replaced(sql`t.reference_prefix`, sql`${text(`${ROW_MARK}$`)}`, sql`''`);
  const details = jsonText(jsonAt(sql`t.output`, "/details"));
  return {
    ofEvaluation: [
      textColumn("evaluation_name", sql`e.display_name`),
      textColumn("evaluation_ref", sql`e.evaluation_ref`),
      textColumn("model", sql`e.model_ref`),
      textColumn("started_at", sql`nullIf(w.began, '')`),
      textColumn("ended_at", sql`nullIf(w.ended, '')`),
      ...(exported.hasFailed ? [textColumn("evaluation_error", sql`e.exception`)] : []),
      ...(exported.hasTraces ? [textColumn("trace_id", sql`coalesce(e.trace_id, '')`)] : []),
    ],
    ofTrial: [
      textColumn("dataset_ref", dataset),
      tableColumn("started_after_seconds", "double", sql`(t.started_at - coalesce(e.started_at, 0)) / 1e6`),
      textColumn("error", sql`x.error`),
      ...(exported.withDetails ? [textColumn("details", details)] : []),
    ],
    ofScores: [
      ...(exported.nulls.length === 0 ? [] : [textColumn("null_scores", sql`z.names`)]),
      ...(Object.keys(paths).length === 0
        ? []
        : [textColumn("score_paths", sql`${text(JSON.stringify(paths))}`)]),
    ],
  };
}

/** The tables of the added columns, and their joins to `t`. */
export function exportRelations(plan: TrialTablePlan): { readonly tables: Sql; readonly joined: Sql } {
  const { exported, evaluationKeys } = plan;
  if (exported === undefined) return { tables: EMPTY, joined: EMPTY };
  const failed = failedTrials(plan, inKeys(sql`evaluation_key`, evaluationKeys));
  const errors = sql`SELECT trial_key, coalesce(stated, ${text(NO_OUTPUT)}) AS error FROM (${statedErrors(plan)})`;
  const nulls =
    exported.nulls.length === 0
      ? EMPTY
      : sql`
    LEFT JOIN (${nullNames(plan, exported.nulls)}) AS z ON z.trial_key = t.trial_key`;
  return {
    tables: sql`, ${timesOf(exported)}, ${failed}`,
    joined: sql`
    JOIN times AS w ON w.evaluation_key = t.evaluation_key
    LEFT JOIN (${errors}) AS x ON x.trial_key = t.trial_key${nulls}`,
  };
}

/** A relation has one record at least. */
const NO_KEY = -1;

const timesRecord = (key: number, began: string, ended: string) => [
  sql`${constant(key)}`,
  sql`${text(began)}`,
  sql`${text(ended)}`,
];

/** The table `times` (evaluation_key, began, ended); empty texts where there is no time. */
function timesOf({ evaluations }: ExportedColumns): Sql {
  const known = evaluations.map(({ key, startedAt, endedAt }) =>
    timesRecord(key, startedAt ?? "", endedAt ?? ""),
  );
  const records = known.length === 0 ? [timesRecord(NO_KEY, "", "")] : known;
  return relationOf(sql`times`, [sql`evaluation_key`, sql`began`, sql`ended`], records);
}

/** (trial_key, names): the dimensions of each trial that are JSON null, as a JSON list of their names. */
function nullNames(plan: TrialTablePlan, nulls: ExportedColumns["nulls"]): Sql {
  const whens = nulls.map(
    ({ pathKey, name }) => sql` WHEN ${constant(pathKey)} THEN ${text(JSON.stringify(name))}`,
  );
  const names = joinedTexts(sql`CASE v.path_key${join(whens, EMPTY)} END`, sql`v.path_key`, sql`','`);
  return sql`SELECT v.trial_key AS trial_key, concat('[', ${names}, ']') AS names FROM null_scores AS v
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)} GROUP BY v.trial_key`;
}
