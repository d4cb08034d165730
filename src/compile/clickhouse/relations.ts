import { FUNCTIONS } from "./functions.ts";

/** The loads that a statement sees: all up to one, those of the commits up to a number, and others. */
export interface Visible {
  readonly upTo: bigint;
  readonly commit: bigint;
  readonly loads: readonly bigint[];
}

/** What statements are about: keys as they are stored, in the order of the small keys that stand for them. */
export interface Subject {
  /** The name of the database. */
  readonly schema: string;
  /** Null where statements are about all projects. */
  readonly projectKey: bigint | null;
  /** Empty where statements are about all evaluations of the project. */
  readonly evaluations: readonly bigint[];
  readonly paths: readonly bigint[];
  readonly visible: Visible;
}

/** The small key that stands for the project in statements. */
export const PROJECT = 1;

/**
 * What a statement needs before it, as items of a WITH clause: the functions that ClickHouse lacks, and the relations that it
 * reads, of one project and of visible loads, with small keys for evaluations and paths.
 */
export function preamble(subject: Subject): string {
  return [...FUNCTIONS, ...relations(subject).map(([name, text]) => `${name} AS (${text})`)].join(",\n");
}

type Relation = readonly [name: string, text: string];

/** What is common to the relations of a subject. */
interface Reading {
  /** A table with its database. */
  readonly table: (name: string) => string;
  /** The key that stands for the project, in place of the stored one. */
  readonly project: (column: string) => string;
  /** The condition on the records of the project in visible loads; of the evaluations alone with `among`. */
  readonly own: (alias: string) => string;
  readonly among: (alias: string) => string;
  readonly evaluation: (column: string) => string;
  readonly path: (column: string) => string;
}

function relations(subject: Subject): readonly Relation[] {
  const { schema, projectKey, evaluations, paths } = subject;
  const seen = visibleBy(schema, subject.visible);
  const reading: Reading = {
    table: (name) => `${schema}.${name}`,
    project: (column) => (projectKey === null ? column : String(PROJECT)),
    own: (alias) =>
      projectKey === null ? seen(alias) : `${alias}.project_key = ${projectKey} AND ${seen(alias)}`,
    among: (alias) =>
      evaluations.length === 0 ? "" : ` AND ${alias}.evaluation_key IN (${evaluations.join()})`,
    evaluation: (column) => small(column, evaluations),
    path: (column) => small(column, paths),
  };
  return [...merged(reading), ...facts(reading), ...stored(reading)];
}

/** Relations of which each load has said something. */
function merged({ table, project, own, among, evaluation, path }: Reading): Relation[] {
  return [
    [
      "projects",
      `SELECT DISTINCT ${project("x.project_key")} AS project_key, x.project_id AS project_id FROM ${table("projects")} AS x WHERE ${own("x")}`,
    ],
    [
      "evaluations",
      `SELECT ${evaluation("k")} AS evaluation_key, ${project("p")} AS project_key, r.1 AS id, r.2 AS has_root, r.3 AS hidden, r.4 AS evaluation_ref,
      r.5 AS model_ref, r.6 AS display_name, r.7 AS trace_id, r.8 AS started_at, r.9 AS ended_at, r.10 AS exception
      FROM (SELECT x.evaluation_key AS k, any(x.project_key) AS p, argMax(tuple(x.id, x.has_root, x.hidden, x.evaluation_ref, x.model_ref, x.display_name, x.trace_id,
        x.started_at, x.ended_at, x.exception), x.load) AS r
        FROM ${table("evaluations")} AS x WHERE ${own("x")}${among("x")} GROUP BY x.evaluation_key)`,
    ],
    [
      "score_paths",
      `SELECT ${path("k")} AS path_key, ${project("p")} AS project_key, path, leaf, container, list, max_exponent, min_exponent, low_bit
      FROM (SELECT x.path_key AS k, any(x.project_key) AS p, any(x.path) AS path, max(x.leaf) AS leaf, max(x.container) AS container, max(x.list) AS list,
        max(x.max_exponent) AS max_exponent, min(x.min_exponent) AS min_exponent, min(x.low_bit) AS low_bit
        FROM ${table("score_paths")} AS x WHERE ${own("x")} GROUP BY x.path_key)`,
    ],
  ];
}

/** Relations with records for each version of a trial. */
function facts({ table, own, among, evaluation, path }: Reading): Relation[] {
  const gone = `(x.evaluation_key, x.trial_key, x.load) NOT IN (SELECT g.evaluation_key, g.trial_key, g.born
      FROM ${table("gone")} AS g WHERE ${own("g")}${among("g")})`;
  const alive = (name: string) => `${table(name)} AS x WHERE ${own("x")}${among("x")} AND ${gone}`;
  const place = `${evaluation("x.evaluation_key")} AS evaluation_key, x.row_key AS row_key, x.trial_key AS trial_key`;
  const series = `${place}, ${path("x.path_key")} AS path_key`;
  return [
    [
      "trials",
      `SELECT n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key, n.started_at AS started_at,
        n.first_load AS first_load, n.first_position AS first_position, ${TEXT_COLUMNS}
      FROM (SELECT ${place}, x.load AS load, x.started_at AS started_at, x.first_load AS first_load, x.first_position AS first_position
        FROM ${alive("trials")}) AS n
      JOIN (SELECT * FROM ${alive("trial_texts")}) AS t ON t.trial_key = n.trial_key AND t.load = n.load`,
    ],
    [
      "scores",
      `SELECT ${series}, x.kind % 4 AS kind, x.late AS late, if(x.kind >= 4, NULL, x.number) AS number,
      if(x.kind % 4 = 2 OR x.text <> '', x.text, NULL) AS text FROM ${alive("scores")}`,
    ],
    ["null_scores", `SELECT ${series}, x.late AS late FROM ${alive("null_scores")}`],
    ["errored_trials", `SELECT ${place}, x.own AS own FROM ${alive("errored_trials")}`],
  ];
}

function stored({ table, project, own }: Reading): Relation[] {
  return [
    [
      "rows",
      `SELECT k AS row_key, ${project("p")} AS project_key, digest, v.1 AS val, v.2 AS val_doc, e.1 AS inline_example, e.2 AS inline_example_doc, referenced, respelled
      FROM (SELECT x.row_key AS k, any(x.project_key) AS p, any(x.digest) AS digest,
        argMax(tuple(x.value, coalesce(x.value_doc, x.value)), (x.value IS NOT NULL, x.load, x.position)) AS v,
        argMin(tuple(x.inline_example, coalesce(x.inline_doc, x.inline_example)), (x.inline_example IS NULL, x.load, x.position)) AS e,
        max(x.referenced) AS referenced, max(x.respelled) AS respelled
        FROM ${table("rows")} AS x WHERE ${own("x")} GROUP BY x.row_key)`,
    ],
    [
      "calls",
      `SELECT k AS call_key, ${project("p")} AS project_key, r.1 AS record, r.2 AS record_doc, false AS hidden,
      json_text(JSONExtractRaw(r.2, 'id')) AS id, id_hash(id) AS id_hash, id_hash(json_text(JSONExtractRaw(r.2, 'parent_id'))) AS parent_hash,
      nullIf(json_text(nullIf(JSONExtractRaw(r.2, 'exception'), '')), '') AS exception
      FROM (SELECT x.call_key AS k, any(x.project_key) AS p,
        argMax(tuple(x.record, coalesce(x.record_doc, x.record)), (x.load, x.position)) AS r
        FROM ${table("fragments")} AS x WHERE ${own("x")} GROUP BY x.call_key)`,
    ],
  ];
}

const TEXTS = [
  "id",
  "output",
  "latency_seconds",
  "total_tokens",
  "own_latency_seconds",
  "own_total_tokens",
  "predict_call_id",
  "scorer_call_ids",
  "late_scores",
  "reference_prefix",
  "example",
];

/** Texts of JSON, each with a column of the same text as ClickHouse reads it. */
const DOCUMENTS = ["output", "late_scores", "example"];

const TEXT_COLUMNS = [
  ...TEXTS.map((name) => `t.${name} AS ${name}`),
  ...DOCUMENTS.map((name) => `coalesce(t.${name}_doc, t.${name}) AS ${name}_doc`),
].join(", ");

function visibleBy(schema: string, { upTo, commit, loads }: Visible): (alias: string) => string {
  const committed = `SELECT arrayJoin(v.loads) FROM ${schema}.loads AS v WHERE v.state = 'visible' AND v.commit <= ${commit}`;
  return (alias) => {
    const listed = loads.length === 0 ? [] : [`${alias}.load IN (${loads.join()})`];
    const later = commit === 0n ? listed : [...listed, `${alias}.load IN (${committed})`];
    return `(${[`${alias}.load <= ${upTo}`, ...later].join(" OR ")})`;
  };
}

/** The small key that stands for a stored one; the stored one where there are none. */
function small(column: string, keys: readonly bigint[]): string {
  if (keys.length === 0) return column;
  const positions = keys.map((_, i) => i).join();
  return `transform(${column}, [${keys.join()}]::Array(UInt64), [${positions}]::Array(Int32), CAST(-1 AS Int32))`;
}
