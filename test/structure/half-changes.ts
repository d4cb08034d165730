/** Half of a change, made in a file of the repository. */
interface Planted {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A half that the compiler notices, in a file below `src`, and the files in which it then asks for the other half. */
export interface HalfChange extends Planted {
  readonly noticed: readonly string[];
  /** What the compiler says there. */
  readonly says: string;
  /** Files that it asks something else of. */
  readonly also?: readonly string[];
}

/** A half that a test notices: the beginning of its name, behind its file. */
export interface TestedHalf extends Planted {
  readonly test: readonly [file: string, name: string];
}

/** A line behind one that is there. */
function added(file: string, find: string, line: string): Pick<Planted, "file" | "find" | "replace"> {
  return { file, find, replace: `${find}\n${line}` };
}

const PLANTED = "  readonly planted?: 1;";
const replies = (name: string) => `http/routes/results/${name}-reply.ts`;

export const HALF_CHANGES: readonly HalfChange[] = [
  {
    name: "an operator that has a wire format alone",
    ...added("request/operators.ts", "  $gte: [Operand, Operand];", "  $planted: [Operand, Operand];"),
    noticed: ["compile/filter/operators.ts", "words/filter-words.ts"],
    says: "planted",
    also: ["request/expression.ts"],
  },
  {
    name: "a member of a comparison without description",
    ...added(
      "respond/compare/comparison.ts",
      "export interface Comparison extends ComparedRows, Told<Sliced>, Told<WithinMargin>, CountedTrials {",
      PLANTED,
    ),
    noticed: [replies("compare")],
    says: "planted",
  },
  {
    name: "a member of an entry of a leaderboard without description",
    ...added("respond/leaderboard/leaderboard.ts", "export interface LeaderboardEntry {", PLANTED),
    noticed: [replies("leaderboard")],
    says: "planted",
  },
  {
    name: "a member of a history without description",
    ...added("respond/history/history.ts", "export interface HistoryAnswer {", PLANTED),
    noticed: [replies("history")],
    says: "planted",
  },
  {
    name: "a member of what evaluations use without description",
    ...added("respond/summary/usage.ts", "export interface EvaluationUsage {", PLANTED),
    noticed: ["respond/summary/usage.ts"],
    says: "planted",
  },
  {
    name: "a member of an evaluation in a list without description",
    ...added("engine/catalog/list-evaluations.ts", "export interface EvaluationEntry {", PLANTED),
    noticed: ["http/routes/results/lists.ts"],
    says: "planted",
  },
  {
    name: "a member of a trial without description",
    ...added("respond/query/response.ts", "export interface Trial {", PLANTED),
    noticed: [replies("query")],
    says: "planted",
  },
  {
    name: "a method of a p value without description",
    ...added("respond/compare/estimate.ts", "export type ComparisonMethod =", '  | "planted"'),
    noticed: [replies("compare")],
    says: "planted",
  },
  {
    name: "a kind of virtual dimension without records and traits",
    ...added(
      "plan/plan.ts",
      '  | { readonly kind: "usage"; readonly measure: UsageMeasure }',
      '  | { readonly kind: "planted" }',
    ),
    noticed: ["compile/scores/score-records.ts", "plan/dimension-traits.ts"],
    says: "planted",
  },
  {
    name: "a verdict without words",
    file: "stats/tests/verdict.ts",
    find: 'export type Verdict = "improved"',
    replace: 'export type Verdict = "planted" | "improved"',
    noticed: ["words/standings.ts"],
    says: "planted",
    also: ["words/claim-figures.ts"],
  },
  {
    name: "a measure of use without values",
    file: "plan/plan.ts",
    find: 'export type UsageMeasure = "latency_seconds"',
    replace: 'export type UsageMeasure = "planted" | "latency_seconds"',
    noticed: ["engine/statistics/row-statistics.ts"],
    says: "UsageSamples",
    also: ["respond/summary/usage.ts", "view/model/cost.ts"],
  },
  {
    name: "a part of a result's columns that the report drops",
    file: "engine/table/columns.ts",
    find: 'readonly kind: "rows" | "trials"',
    replace: 'readonly kind: "planted" | "rows" | "trials"',
    noticed: ["view/file/pack-rows.ts"],
    says: "ending return",
  },
  {
    name: "the name of a format without importer",
    ...added("import/format.ts", "export const FORMAT_NAMES = [", '  "planted",'),
    noticed: ["import/formats/formats.ts"],
    says: "planted",
  },
  {
    name: "a member of a request in which names of evaluations stay texts",
    file: "request/eval-request.ts",
    find: "    moved: moved === null ? null : { ...moved, baselineId: idIn(moved.baselineId) },\n",
    replace: "",
    noticed: ["request/eval-request.ts"],
    says: "EvalRequest<string>",
  },
  {
    name: "the head of a column without its cells",
    ...added(
      "cli/tables/leaderboard-cells.ts",
      "function usageColumns(): LeaderboardColumn[] {\n  return [",
      '    { head: "planted" },',
    ),
    noticed: ["cli/tables/leaderboard-cells.ts"],
    says: "cell",
  },
  {
    name: "a field of a call that is not packed for the thread that loads",
    ...added("ingest/record/call.ts", "export interface Call {", "  readonly planted: string | null;"),
    noticed: ["duckdb/load-thread/read/pack-call.ts", "ingest/record/call.ts"],
    says: "planted",
  },
];

export const TESTED_HALVES: readonly TestedHalf[] = [
  {
    name: "a column of a view that its page lacks",
    ...added(
      "src/duckdb/views/rows.ts",
      '    row_digest: ["VARCHAR", "r.digest", "its digest"],',
      '    planted: ["BIGINT", "1", "planted"],',
    ),
    test: ["test/docs/views.test.ts", "docs/sql.md has the views and columns that are listed"],
  },
  {
    name: "a column of a view whose type is another",
    file: "src/duckdb/views/trials.ts",
    find: 'total_tokens: ["DOUBLE"',
    replace: 'total_tokens: ["BIGINT"',
    test: ["test/sql/sql.test.ts", "the views have the columns and types that are listed: trials"],
  },
  {
    name: "a column of a narrow table that one database has",
    ...added("sql/duckdb/migrations/001-schema.sql", "  own_span_refs VARCHAR,", "  planted VARCHAR,"),
    test: ["test/store/schemas.test.ts", "the two schemas have the same columns of trials"],
  },
  {
    name: "a column of a narrow table that no load writes",
    file: "src/ingest/write/trial-columns.ts",
    find: '    texts("own_span_refs", ({ call }) => call.spanRefs),\n',
    replace: "",
    test: ["test/store/schemas.test.ts", "what loads write is every column of the narrow tables"],
  },
  {
    name: "a column that a copy leaves out",
    file: "src/copy/copy-records.ts",
    find: "others: { model_id: TEXT, step: ",
    replace: "others: { step: ",
    test: ["test/store/schemas.test.ts", "a copy has every column of checkpoints"],
  },
  {
    name: "a statistic that no page explains",
    ...added("src/respond/summary/statistics.ts", "  p90: percentile(90),", "  planted: percentile(90),"),
    test: ["test/docs/statistics.test.ts", "docs/statistics.md explains every statistic over rows"],
  },
  {
    name: "a member of a comparison that no page explains",
    ...added("src/http/routes/results/compare-reply.ts", "const explained = z.object({", "  planted: count,"),
    test: ["test/docs/statistics.test.ts", "a page explains every member of a comparison"],
  },
  {
    name: "an option of a command that no page names",
    ...added(
      "src/cli/commands/sql.ts",
      "      csvSafeOption(),",
      '      new Option("--planted", "planted"),',
    ),
    test: ["test/cli/help.test.ts", "docs/cli.md and the other pages name every option of evalcube sql"],
  },
  {
    name: "a command without a section",
    file: "src/cli/commands/demo.ts",
    find: '.command("demo")',
    replace: '.command("planted")',
    test: ["test/cli/help.test.ts", "docs/cli.md has a section of planted"],
  },
  {
    name: "an option of the library that no page names",
    ...added(
      "src/engine/engine-options.ts",
      "export interface EngineOptions {",
      "  readonly planted?: string | undefined;",
    ),
    test: ["test/docs/reference.test.ts", "names every option of openEngine"],
  },
];
