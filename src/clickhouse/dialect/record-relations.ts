type Relation = readonly [name: string, text: string];

/**
 * What was stored first: blocks are numbered when they become visible, so whoever reads knows of all that are before
 * one.
 */
const ORDER = "(x._block_number, x._block_offset)";
/** The same as a number: a block has fewer records than 2^24. */
const PLACE = "toInt64(x._block_number * 16777216 + x._block_offset)";

/** The parameter with the id of the project that statements are about. */
export const OWN_PROJECT = "own_project";
const OWN = ` WHERE x.project_id = {${OWN_PROJECT}:String}`;

/**
 * The relations of records beside evaluations that a statement names, over the tables of a database; `isOwn`: feedback
 * and prices of one project.
 */
export function recordRelations(statement: string, schema: string, isOwn: boolean): Relation[] {
  return Object.entries(RELATIONS).flatMap(([name, text]): Relation[] =>
    new RegExp(String.raw`\b${name}\b`).test(statement) ? [[name, text(`${schema}.`, isOwn)]] : [],
  );
}

/** The tables of records beside evaluations that a statement reads. */
export function recordTables(statement: string, schema: string): string[] {
  const named = statement.matchAll(new RegExp(String.raw`\b${schema}\.(\w+)`, "g"));
  return [...new Set(Array.from(named, ([, table = ""]) => table))].filter((table) =>
    Object.hasOwn(RELATIONS, table),
  );
}

/** The first record of each identity. */
function firsts(table: string, identity: readonly string[], others: readonly string[], own = "") {
  const values = others.map((name) => `tupleElement(argMin(tuple(x.${name}), ${ORDER}), 1) AS ${name}`);
  const keys = identity.map((name) => `x.${name}`);
  const named = identity.map((name) => `x.${name} AS ${name}`);
  return (schema: string, isOwn: boolean) =>
    `SELECT ${[...named, ...values].join(", ")} FROM ${schema}${table} AS x${isOwn ? own : ""} GROUP BY ${keys.join(", ")}`;
}

function all(table: string, columns: string) {
  return (schema: string) => `SELECT ${columns} FROM ${schema}${table} AS x`;
}

const JOB = ["id", "model_id", "created_at", "project_id", "user_id", "request"];
const VERSION = "x.project_id AS project_id, x.object_id AS object_id, x.digest AS digest";
const TOLD = ["created_at", "kind", "base_object_class", "leaf_object_class", "user_id", "val"];

const FEEDBACK = firsts(
  "feedback",
  ["project_id", "id"],
  ["created_at", "svc_user_id", "svc_ref", "feedback_type", "content", "content_doc"],
  OWN,
);

const PRICE = ["prompt", "completion", "cache_read", "cache_creation", "prompt_unit", "completion_unit"];

const RELATIONS: Readonly<Record<string, (schema: string, isOwn: boolean) => string>> = {
  feedback: (schema, isOwn) =>
    `SELECT * REPLACE (coalesce(content_doc, content) AS content_doc) FROM (${FEEDBACK(schema, isOwn)})`,
  model_prices: firsts(
    "model_prices",
    ["project_id", "id"],
    ["model", "provider", "effective_date", ...PRICE, "created_at", "created_by"],
    OWN,
  ),
  training_jobs: (schema) => `SELECT ${JOB.map((name) => `x.${name} AS ${name}`).join(", ")}
    FROM ${schema}training_jobs AS x WHERE NOT x.keyed OR x.id IN (SELECT argMin(x.job_id, ${ORDER})
      FROM ${schema}training_idempotency AS x GROUP BY x.key_id, x.idempotency_key)`,
  training_idempotency: firsts(
    "training_idempotency",
    ["key_id", "idempotency_key"],
    ["job_id", "request_hash"],
  ),
  training_models: firsts("training_models", ["entity", "project", "name"], ["id", "base_model"]),
  trajectories: all("trajectories", "*"),
  usage: all("usage", "*"),
  checkpoints: all("checkpoints", "*"),
  training_events: all("training_events", `*, ${PLACE} AS number`),
  object_versions: (schema) => `SELECT * EXCEPT (first_place), toInt32(row_number() OVER
      (PARTITION BY project_id, object_id ORDER BY first_place) - 1) AS version_index
    FROM (SELECT ${VERSION}, min(${PLACE}) AS first_place, max(${PLACE}) AS latest_number,
        ${TOLD.map((name) => `tupleElement(argMin(tuple(x.${name}), ${ORDER}), 1) AS ${name}`).join(", ")}
      FROM ${schema}object_versions AS x GROUP BY x.project_id, x.object_id, x.digest)`,
  row_tables: (
    schema,
  ) => `SELECT x.project_id AS project_id, x.digest AS digest, min(x.created_at) AS created_at,
      JSONExtract(any(x.row_digests), 'Array(String)') AS row_digests
    FROM ${schema}row_tables AS x GROUP BY x.project_id, x.digest`,
  row_spellings: firsts("row_spellings", ["project_id", "digest"], ["val"]),
  stored_files: firsts("stored_files", ["project_id", "digest"], ["created_at", "bytes"]),
};
