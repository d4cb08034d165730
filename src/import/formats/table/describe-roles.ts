import { nameList } from "../../../model/messages.ts";
import type { TableView } from "./cells.ts";
import type { TableRoles } from "./find-roles.ts";
import { isColumnRole, MEMBERS, roleOf, ROLES, type ColumnRole } from "./roles.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";

/** The mapping that would give the same roles. */
export function mappingOf(roles: TableRoles, given: TableMapping): TableMapping {
  const said = MEMBERS.filter((member) => member !== "metadata").map((member) => {
    if (!isColumnRole(member)) return [member, given[member]] as const;
    const [only, ...others] = roles[member];
    return [member, others.length > 0 || roleOf(member).isList === true ? roles[member] : only] as const;
  });
  return Object.fromEntries(said.filter(([, value]) => (value?.length ?? 0) > 0));
}

/** What is known of the records of a table. */
interface Records {
  readonly models: number;
  readonly hasRepeats: boolean;
  /** The evaluations that columns make, where that is a guess from their values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** The roles as a sentence, and as flags. */
export function describeRoles(view: TableView, profile: string | undefined, records: Records): string {
  const { roles, mapping } = view;
  const parts = partsOf(view, records).filter(([, value]) => value !== "");
  return [
    `${profile === undefined ? "" : `a table of ${profile}; `}${parts.map(([role, value]) => `${role} = ${value}`).join(", ")}`,
    ...(roles.field.length === 0 ? [] : [`to the row: ${roles.field.join(", ")}`]),
    ...(roles.metadata.length === 0 ? [] : [`to the trial: ${roles.metadata.join(", ")}`]),
    `as flags: ${flagsOf(mapping)}`,
  ].join("; ");
}

function partsOf({ columns, facts, roles, mapping }: TableView, { models, hasRepeats, values }: Records) {
  const named = (role: ColumnRole) => roles[role].join(", ");
  const of = (role: ColumnRole) => [role, named(role)] as const;
  const where = (role: ColumnRole, text: string) => (roles[role].length === 0 ? "" : text);
  const isById = roles.row.length > 0;
  const typed = roles.score.map((name) => `${name} (${facts[columns.indexOf(name)]?.type ?? "text"})`);
  const { match } = roles;
  return [
    ["row", named(isById ? "row" : "input")],
    [
      "model",
      where("model", `${named("model")} (${models} model${models === 1 ? "" : "s"})`) ||
        (mapping.modelName ?? "unknown"),
    ],
    ["evaluation", roles.evaluation.map((column) => withValues(column, values.get(column))).join(", ")],
    of("task"),
    ["input", isById ? named("input") : ""],
    of("expected"),
    ["scores", typed.join(", ")],
    ["scores", where("metric", `one a record, ${named("value")} named by ${named("metric")}`)],
    ["score", where("modelColumns", `${mapping.scoreName ?? "score"} of ${named("modelColumns")}`)],
    ["match", match === null ? "" : `${match.output} equals ${match.expected} (boolean)`],
    of("output"),
    ["trial", named("trial") || (hasRepeats ? "repeats of a row" : "")],
    of("rater"),
    ...(["error", "started", "latency", "tokens", "cost"] as const).map(of),
  ] as const;
}

function withValues(column: string, values: readonly string[] | undefined): string {
  return values === undefined ? column : `${column} (${nameList(values)})`;
}

function flagsOf(mapping: TableMapping): string {
  return MEMBERS.flatMap((member) => {
    const { flag } = ROLES[member];
    const value = mapping[member] ?? [];
    const values = typeof value === "string" ? [value] : value;
    const given = member === "modelColumns" && values.length > 0 ? [values.join(",")] : values;
    return given.map((name) => `${flag} ${quoted(name)}`);
  }).join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
