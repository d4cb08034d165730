export interface Relation {
  readonly name: string;
  readonly text: string;
  /** Another text for statements that name one of these columns, which it alone has. */
  readonly wide?: { readonly columns: readonly string[]; readonly text: string };
}

/** What is common to the relations of a subject. */
export interface Sources {
  /** A table with its database. */
  readonly table: (name: string) => string;
  /** The key that stands for the project, instead of the stored one. */
  readonly project: (column: string) => string;
  /** The condition on the records of the project in visible loads; of the evaluations alone with `among`. */
  readonly own: (alias: string) => string;
  readonly among: (alias: string) => string;
  readonly isSpread: boolean;
  /** `IN` where what it looks in may be on other servers than what it looks for. */
  readonly isIn: string;
  readonly hasEnded: boolean;
  readonly evaluation: (column: string) => string;
  readonly path: (column: string) => string;
}

/** The calls below others that began and are not hidden, and what each tells of a step; they share their records. */
export function callTrees({ table, project, own }: Sources): Relation[] {
  const place = "(x.load, x.position)";
  const latest = (names: readonly string[]) =>
    `SELECT x.call_key AS k, any(x.project_key) AS p, max(x.hidden) AS is_hidden,
      argMax(tuple(${["began", ...names].map((name) => `x.${name}`).join(", ")}), ${place}) AS r
      FROM ${table("call_steps")} AS x WHERE ${own("x")} GROUP BY x.call_key`;
  return [
    {
      name: "call_steps",
      text: `SELECT k AS call_key, ${columns(OF_STEPS)}
      FROM (${latest(OF_STEPS)}) WHERE r.1 AND NOT is_hidden`,
    },
    {
      name: "call_tree",
      text: `SELECT ${project("p")} AS project_key, k AS call_key, k AS hash, r.2 AS parent_hash, ${columns(OF_TREE)}
      FROM (${latest(OF_TREE)}) WHERE r.1 AND NOT is_hidden`,
    },
  ];
}

/** Members of what is latest, behind whether the call began. */
function columns(names: readonly string[]): string {
  return names.map((name, i) => `r.${i + 2} AS ${name}`).join(", ");
}

const OF_TREE = ["parent_key", "started_at", "ended_at", "id", "parent_id"];

const OF_STEPS = [
  "operation",
  "by_usage",
  "is_score",
  "error_unknown",
  "untimed",
  "action",
  "place",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cost",
  "name",
  "model",
  "finish_reason",
  "error_type",
];
