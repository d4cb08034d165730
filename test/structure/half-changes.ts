/** Half of a change, made in `file`, and the files in which the compiler then asks for the other half. */
export interface HalfChange {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly noticed: readonly string[];
  /** What the compiler says there. */
  readonly says: string;
  /** Files that it asks something else of. */
  readonly also?: readonly string[];
}

/** A line behind one that is there. */
function added(file: string, find: string, line: string): Pick<HalfChange, "file" | "find" | "replace"> {
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
      "export interface Comparison extends ComparedRows, Told<Sliced>, CountedTrials {",
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
];
