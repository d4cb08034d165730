import type { TableMapping } from "../../translate/table-mapping.ts";
import type { ColumnFacts } from "./column-types.ts";
import { flagOf } from "./guess-names.ts";
import type { TableRoles } from "./roles.ts";

/** What is known of a table besides the roles of its columns. */
interface TableSummary {
  readonly name: string;
  /** The tool whose table it is; null where that is not known. */
  readonly profile: string | null;
  readonly columns: readonly string[];
  readonly facts: readonly ColumnFacts[];
  readonly models: number;
  readonly hasRepeats: boolean;
  /** Columns without a role that are the same in all records of a row. */
  readonly ofRow: readonly string[];
}

const COLUMN_ROLES = [
  ...(["row", "input", "expected", "output", "modelColumns"] as const),
  ...(["model", "evaluation", "task", "trial", "error", "started", "latency", "tokens", "cost"] as const),
];
const GIVEN = ["match", "decimal", "records"] as const;
const NAMES = ["modelName", "evaluationName", "taskName", "scoreName"] as const;

/** The mapping that would give the same roles. */
export function mappingOf(roles: TableRoles, given: TableMapping): TableMapping {
  const { metric, value, scores } = roles;
  const all: Partial<Record<keyof TableMapping, string | readonly string[] | null | undefined>> = {
    ...Object.fromEntries(COLUMN_ROLES.map((role) => [role, roles[role]])),
    ...Object.fromEntries(GIVEN.map((name) => [name, given[name]])),
    score: scores,
    ...(metric === null ? {} : { metric, value }),
    ...Object.fromEntries(NAMES.map((name) => [name, given[name]])),
  };
  return Object.fromEntries(Object.entries(all).filter(([, said]) => (said?.length ?? 0) > 0));
}

/** The roles as a sentence, and as flags. */
export function describeRoles(roles: TableRoles, mapping: TableMapping, summary: TableSummary): string {
  const { columns, facts, models, hasRepeats, ofRow } = summary;
  const typed = roles.scores.map((name) => `${name} (${facts[columns.indexOf(name)]?.type ?? "text"})`);
  const parts = [
    ["row", (roles.row.length > 0 ? roles.row : roles.input).join(", ")],
    [
      "model",
      roles.model === null
        ? (mapping.modelName ?? "unknown")
        : `${roles.model} (${counted(models, "model")})`,
    ],
    ["evaluation", roles.evaluation],
    ["task", roles.task],
    ["input", roles.row.length > 0 ? roles.input.join(", ") : null],
    ["expected", roles.expected.join(", ")],
    ["scores", typed.join(", ")],
    ["scores", roles.metric === null ? null : `one a record, ${roles.value} named by ${roles.metric}`],
    [
      "score",
      roles.modelColumns.length === 0
        ? null
        : `${mapping.scoreName ?? "score"} of ${roles.modelColumns.join(", ")}`,
    ],
    ["match", roles.match === null ? null : `${roles.match.output} equals ${roles.match.expected} (boolean)`],
    ["output", roles.output.join(", ")],
    ["trial", roles.trial ?? (hasRepeats ? "repeats of a row" : null)],
    ...(["error", "started", "latency", "tokens", "cost"] as const).map((role) => [role, roles[role]]),
  ].filter(([, value]) => value !== null && value !== "");
  const others = roles.metadata.filter((name) => !ofRow.includes(name));
  return [
    `${summary.name}: ${summary.profile === null ? "" : `a table of ${summary.profile}; `}${parts.map(([role, value]) => `${role} = ${value}`).join(", ")}`,
    ...(ofRow.length === 0 ? [] : [`to the row: ${ofRow.join(", ")}`]),
    ...(others.length === 0 ? [] : [`not guessed: ${others.join(", ")}`]),
    `as flags: ${flagsOf(mapping)}`,
  ].join("; ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function flagsOf(mapping: TableMapping): string {
  return Object.entries(mapping)
    .flatMap(([role, value]: [string, string | readonly string[]]) => {
      const flag = flagOf(role as keyof TableMapping);
      if (role === "modelColumns") return [`${flag} ${quoted([value].flat().join(","))}`];
      return [value].flat().map((name) => `${flag} ${quoted(name)}`);
    })
    .join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
