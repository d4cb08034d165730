import { callTrees, type Relation, type Sources } from "./call-trees.ts";
import { FUNCTIONS } from "./functions.ts";

/** The loads that a statement sees: all up to one, those of the commits up to a number, and others. */
export interface Visible {
  readonly upTo: bigint;
  readonly commit: bigint;
  readonly loads: readonly bigint[];
}

/** What statements are about, with keys as they are stored. */
export interface Subject {
  /** The name of the database. */
  readonly schema: string;
  /** Null where statements are about all projects. */
  readonly projectKey: bigint | null;
  /** With the small keys that stand for them; empty where statements are about all evaluations of the project. */
  readonly evaluations: ReadonlyMap<bigint, number>;
  /** In the order of the small keys that stand for them. */
  readonly paths: readonly bigint[];
  /** Whether versions of trials of these evaluations have ended. */
  readonly hasEnded: boolean;
  readonly visible: Visible;
  /** Over which cluster tables are spread, and the database of their parts; null where they are on one server. */
  readonly spread: Spread | null;
}

interface Spread {
  readonly cluster: string;
  readonly parts: string;
}

/** The small key that stands for the project in statements. */
export const PROJECT = 1;

/**
 * What a statement needs before it, as items of a WITH clause: the functions that it uses and ClickHouse lacks, and the
 * relations that it reads, of one project and of visible loads, with small keys for evaluations and paths.
 */
export function preamble(statement: string, subject: Subject): string[] {
  const used: string[] = [];
  // Each may use those before it.
  const names = wordsOf(statement);
  const need = (item: string) => {
    used.unshift(item);
    for (const word of wordsOf(item)) names.add(word);
  };
  for (const { name, text, wide } of relations(subject).toReversed()) {
    if (!names.has(name)) continue;
    need(`${name} AS (${wide?.columns.some((column) => names.has(column)) === true ? wide.text : text})`);
  }
  for (const text of FUNCTIONS.toReversed()) if (names.has(text.slice(text.lastIndexOf(" ") + 1))) need(text);
  return used;
}

/** A statement with these items at the beginning of its WITH clause. */
export function withTables(text: string, items: readonly string[]): string {
  if (items.length === 0) return text;
  const own = items.join(",\n");
  return text.startsWith("WITH ") ? `WITH ${own},\n${text.slice(5)}` : `WITH ${own}\n${text}`;
}

export function wordsOf(text: string): Set<string> {
  return new Set(text.match(/\w+/g));
}

function relations(subject: Subject): readonly Relation[] {
  const { schema, projectKey, evaluations, paths, spread } = subject;
  const seen = visibleBy(schema, subject.visible);
  const keys = [...evaluations.keys()].join();
  const reading: Sources = {
    table: (name) => `${schema}.${name}`,
    project: (column) => (projectKey === null ? column : String(PROJECT)),
    own: (alias) =>
      projectKey === null ? seen(alias) : `${alias}.project_key = ${projectKey} AND ${seen(alias)}`,
    among: (alias) => (keys === "" ? "" : ` AND ${alias}.evaluation_key IN (${keys})`),
    isSpread: spread !== null,
    isIn: spread === null ? "IN" : "GLOBAL IN",
    hasEnded: subject.hasEnded,
    evaluation: small(evaluations),
    path: small(new Map(paths.map((key, i) => [key, i]))),
  };
  const local =
    spread === null ? reading : { ...reading, table: (name: string) => `${spread.parts}.${name}` };
  const ofRows = [...facts(local), ...stored(local)].map((one) => scattered(one, spread));
  return [...merged(reading), ...ofRows, calls(reading, keys !== ""), ...callTrees(reading)];
}

/**
 * A relation whose records of one row are on one shard: each shard makes its own, with the names that columns have
 * there.
 */
function scattered({ name, text, wide }: Relation, spread: Spread | null): Relation {
  const onEach = (own: string) =>
    spread === null ? own : `SELECT * FROM cluster('${spread.cluster}', view(${own}))`;
  return {
    name,
    text: onEach(text),
    ...(wide === undefined ? {} : { wide: { ...wide, text: onEach(wide.text) } }),
  };
}

/** Relations of which each load has said something. */
function merged({ table, project, own, among, evaluation, path }: Sources): Relation[] {
  return [
    {
      name: "projects",
      text: `SELECT DISTINCT ${project("x.project_key")} AS project_key, x.project_id AS project_id FROM ${table("projects")} AS x WHERE ${own("x")}`,
    },
    {
      name: "evaluations",
      text: `SELECT ${evaluation("k")} AS evaluation_key, ${project("p")} AS project_key, r.1 AS id, r.2 AS has_root, r.3 AS hidden, r.4 AS evaluation_ref,
      r.5 AS model_ref, r.6 AS dataset_ref, r.7 AS display_name, r.8 AS trace_id, r.9 AS started_at, r.10 AS ended_at, r.11 AS exception,
      r.12 AS code_commit, r.13 AS code_branch, r.14 AS import_file, r.15 AS attributes, r.15 AS attributes_doc
      FROM (SELECT x.evaluation_key AS k, any(x.project_key) AS p, argMax(tuple(x.id, x.has_root, x.hidden, x.evaluation_ref, x.model_ref, x.dataset_ref, x.display_name, x.trace_id,
        x.started_at, x.ended_at, x.exception, x.code_commit, x.code_branch, x.import_file, x.attributes), x.load) AS r
        FROM ${table("evaluations")} AS x WHERE ${own("x")}${among("x")} GROUP BY x.evaluation_key)`,
    },
    {
      name: "score_paths",
      text: `SELECT ${path("k")} AS path_key, ${project("p")} AS project_key, path, leaf, container, list, max_exponent, min_exponent, low_bit
      FROM (SELECT x.path_key AS k, any(x.project_key) AS p, any(x.path) AS path, max(x.leaf) AS leaf, max(x.container) AS container, max(x.list) AS list,
        max(x.max_exponent) AS max_exponent, min(x.min_exponent) AS min_exponent, min(x.low_bit) AS low_bit
        FROM ${table("score_paths")} AS x WHERE ${own("x")} GROUP BY x.path_key)`,
    },
  ];
}

/** Relations with records for each version of a trial. */
function facts({ table, own, among, hasEnded, evaluation, path }: Sources): Relation[] {
  const notGone = ` AND (x.evaluation_key, x.trial_key, x.load) NOT IN (SELECT g.evaluation_key, g.trial_key, g.born
      FROM ${table("gone")} AS g WHERE ${own("g")}${among("g")})`;
  const alive = (name: string) =>
    `${table(name)} AS x WHERE ${own("x")}${among("x")}${hasEnded ? notGone : ""}`;
  const place = `${evaluation("x.evaluation_key")} AS evaluation_key, x.row_key AS row_key, x.trial_key AS trial_key`;
  const series = `${place}, ${path("x.path_key")} AS path_key`;
  const start = ["started_at", "first_load", "first_position", "content_key"]
    .map((name) => `x.${name} AS ${name}`)
    .join(", ");
  return [
    // Above `trials`, which need not have the columns that it names.
    {
      name: "trial_tokens",
      text: `SELECT ${place}, x.total_tokens AS tokens, x.own_total_tokens AS own_tokens FROM ${alive("trial_texts")}`,
    },
    {
      name: "trials",
      text: `SELECT ${place}, ${start} FROM ${alive("trials")}`,
      wide: {
        columns: [...TEXTS, ...DOCUMENTS.map(documentOf)],
        text: `SELECT ${place}, ${start}, ${TEXT_COLUMNS} FROM ${alive("trial_texts")}`,
      },
    },
    {
      name: "scores",
      text: `SELECT ${series}, x.kind % 4 AS kind, x.late AS late, if(x.kind >= 4, NULL, x.number) AS number,
      if(x.kind % 4 = 2 OR x.text <> '', x.text, NULL) AS text FROM ${alive("scores")}`,
    },
    { name: "null_scores", text: `SELECT ${series}, x.late AS late FROM ${alive("null_scores")}` },
    { name: "errored_trials", text: `SELECT ${place}, x.own AS own FROM ${alive("errored_trials")}` },
  ];
}

function stored({ table, project, own }: Sources): Relation[] {
  return [
    {
      name: "rows",
      text: `SELECT x.row_key AS row_key, ${project("any(x.project_key)")} AS project_key, any(x.digest) AS digest, any(x.digest) AS digest_hash
      FROM ${table("row_digests")} AS x WHERE ${own("x")} GROUP BY x.row_key`,
      wide: {
        columns: ["val", "val_doc", "inline_example", "inline_example_doc", "referenced", "respelled"],
        text: `SELECT k AS row_key, ${project("p")} AS project_key, digest, digest AS digest_hash, v.1 AS val, v.2 AS val_doc, e.1 AS inline_example, e.2 AS inline_example_doc, referenced, respelled
      FROM (SELECT x.row_key AS k, any(x.project_key) AS p, any(x.digest) AS digest,
        argMax(tuple(x.value, coalesce(x.value_doc, x.value)), (x.value IS NOT NULL, x.load, x.position)) AS v,
        argMin(tuple(x.inline_example, coalesce(x.inline_doc, x.inline_example)), (x.inline_example IS NULL, x.load, x.position)) AS e,
        max(x.referenced) AS referenced, max(x.respelled) AS respelled
        FROM ${table("rows")} AS x WHERE ${own("x")} GROUP BY x.row_key)`,
      },
    },
  ];
}

/**
 * Calls as all their records make them: the trials of the evaluations and what ever was below these, or without
 * evaluations the roots of all. Who asks for exceptions alone has found the trials that went wrong. No call here is
 * hidden: nothing refers to such a one. Of several records what they make is stored, see `merged_calls`.
 */
function calls({ table, project, own, among, isSpread, isIn }: Sources, hasEvaluations: boolean): Relation {
  const trials = (of: string) => `SELECT t.trial_key FROM ${table(of)} AS t WHERE ${own("t")}${among("t")}`;
  const withChildren = (some: string) =>
    `${some} UNION ALL SELECT b.call_key FROM ${table("call_groups")} AS b WHERE ${own("b")} AND b.group_key ${isIn} (${some})`;
  const roots = `SELECT e.evaluation_key FROM ${table("evaluations")} AS e WHERE ${own("e")}`;
  const documents = (of: string, isMerged: boolean, within: string) =>
    `SELECT x.call_key AS k, x.group_key AS g, x.project_key AS p, coalesce(x.record_doc, x.record) AS document, (${isMerged}, x.load, x.position) AS place
      FROM ${table(of)} AS x WHERE ${own("x")}${within}`;
  const relation = (wanted: string) => {
    const keys = `SELECT g.group_key, g.call_key FROM ${table("call_groups")} AS g WHERE ${own("g")} AND g.call_key ${isIn} (${wanted})`;
    // Over shards the condition stands where each shard has it, else it is written once.
    const [within, after] = isSpread
      ? [` AND (x.group_key, x.call_key) ${isIn} (${keys})`, ""]
      : ["", ` WHERE (g, k) ${isIn} (${keys})`];
    return `SELECT k AS call_key, ${project("any(p)")} AS project_key, argMax(document, place) AS record_doc, record_doc AS record, false AS hidden,
      json_member_string(record_doc, 'id') AS id, id_hash(id) AS id_hash, nullIf(json_member_string(record_doc, 'exception'), '') AS exception,
      json_time(json_member_string(record_doc, 'started_at')) AS started_at
      FROM (${documents("fragments", false, within)} UNION ALL ${documents("merged_calls", true, within)})${after} GROUP BY k`;
  };
  return {
    name: "calls",
    text: relation(withChildren(trials("errored_trials"))),
    wide: {
      columns: ["record_doc"],
      text: relation(hasEvaluations ? withChildren(trials("trials")) : roots),
    },
  };
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
  "span_refs",
  "own_span_refs",
  "stop_reason",
  "reference_prefix",
  "example",
];

/** Texts of JSON, each with a column of the same text as ClickHouse reads it. */
const DOCUMENTS = ["output", "late_scores", "example"];

const documentOf = (name: string) => `${name}_doc`;

const TEXT_COLUMNS = [
  ...TEXTS.map((name) => `x.${name} AS ${name}`),
  ...DOCUMENTS.map((name) => `coalesce(x.${documentOf(name)}, x.${name}) AS ${documentOf(name)}`),
].join(", ");

function visibleBy(schema: string, { upTo, commit, loads }: Visible): (alias: string) => string {
  const committed = `SELECT arrayJoin(v.loads) FROM ${schema}.loads AS v WHERE v.state = 'visible' AND v.commit <= ${commit}`;
  return (alias) => {
    const listed = loads.length === 0 ? [] : [`${alias}.load IN (${loads.join()})`];
    const later = commit === 0n ? listed : [...listed, `${alias}.load IN (${committed})`];
    return `(${[`${alias}.load <= ${upTo}`, ...later].join(" OR ")})`;
  };
}

/** The small key that stands for the stored one of a column; the stored one where there are none. */
function small(keys: ReadonlyMap<bigint, number>): (column: string) => string {
  if (keys.size === 0) return (column) => column;
  const [from, to] = [[...keys.keys()].join(), [...keys.values()].join()];
  return (column) =>
    `transform(${column}, [${from}]::Array(UInt64), [${to}]::Array(Int32), CAST(-1 AS Int32))`;
}
