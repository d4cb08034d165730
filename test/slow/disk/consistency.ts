import type { ReadTexts } from "./contents.ts";

/** What no record of a table may share with another. */
const KEYS: readonly (readonly [table: string, key: string])[] = [
  ["projects", "project_key"],
  ["projects", "project_id"],
  ["calls", "call_key"],
  ["calls", "project_key, id"],
  ["evaluations", "evaluation_key"],
  ["evaluations", "project_key, id"],
  ["rows", "row_key"],
  ["rows", "project_key, digest"],
  ["trials", "trial_key"],
  ["score_paths", "path_key"],
  ["score_paths", "project_key, path"],
  ["scores", "trial_key, path_key"],
  ["null_scores", "trial_key, path_key, late"],
  ["errored_trials", "trial_key"],
  ["feedback", "project_id, id"],
  ["training_jobs", "id"],
  ["training_idempotency", "key_id, idempotency_key"],
  ["trajectories", "job_id, group_index, trajectory_index"],
  ["training_models", "id"],
  ["training_models", "entity, project, name"],
  ["checkpoints", "model_id, id"],
  ["training_events", "job_id, id"],
  ["training_events", "job_id, number"],
  ["hash_layers", "kind, layer"],
  ["usage", "request_id"],
];

/** Where a key leads. */
const REFERENCES: readonly (readonly [table: string, key: string, to: string, toKey: string])[] = [
  ["calls", "project_key", "projects", "project_key"],
  ["evaluations", "project_key", "projects", "project_key"],
  ["rows", "project_key", "projects", "project_key"],
  ["score_paths", "project_key", "projects", "project_key"],
  ["trials", "trial_key", "calls", "call_key"],
  ["trials", "evaluation_key", "evaluations", "evaluation_key"],
  ["trials", "row_key", "rows", "row_key"],
  ...["scores", "null_scores", "errored_trials"].map(
    (table) => [table, "trial_key", "trials", "trial_key"] as const,
  ),
  ["scores", "path_key", "score_paths", "path_key"],
  ["null_scores", "path_key", "score_paths", "path_key"],
  ["training_idempotency", "job_id", "training_jobs", "id"],
  ["trajectories", "job_id", "training_jobs", "id"],
];

/** Records that a rule forbids. */
const FORBIDDEN: readonly (readonly [what: string, query: string])[] = [
  ...["scores", "null_scores", "errored_trials"].map(
    (table) =>
      [
        `${table}: another evaluation or row than their trial's`,
        `SELECT x.trial_key FROM ${table} AS x JOIN trials AS t USING (trial_key)
          WHERE t.evaluation_key <> x.evaluation_key OR t.row_key <> x.row_key`,
      ] as const,
  ),
  [
    "trials: another id than their call's",
    "SELECT t.id FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key WHERE c.id <> t.id",
  ],
  [
    "calls: hidden ones that are trials",
    "SELECT c.id FROM calls AS c JOIN trials AS t ON c.call_key = t.trial_key WHERE c.hidden",
  ],
  [
    "calls: a hash that is not their id's",
    "SELECT id FROM calls WHERE id_hash <> md5_number_lower(concat(project_key, ':', id))",
  ],
  ["calls: a record of another id", "SELECT id FROM calls WHERE record ->> 'id' <> id"],
  ["conventions: not one record", "SELECT count(*) FROM conventions HAVING count(*) <> 1"],
  ["evalcube_format: not one record", "SELECT count(*) FROM evalcube_format HAVING count(*) <> 1"],
  ["hash_coverage: not at most one record", "SELECT count(*) FROM hash_coverage HAVING count(*) > 1"],
  [
    "hash_coverage: beyond the calls, or not the layers that are stored",
    `SELECT to_key FROM hash_coverage WHERE to_key > (SELECT coalesce(max(call_key), 0) FROM calls)
      OR layers <> (SELECT count(*) FROM hash_layers)`,
  ],
];

const QUERIES: readonly (readonly [what: string, query: string])[] = [
  ...KEYS.map(
    ([table, key]) =>
      [
        `${table}: several records of one (${key})`,
        `SELECT to_json(row(${key}, count(*))) FROM ${table} GROUP BY ${key} HAVING count(*) > 1`,
      ] as const,
  ),
  ...REFERENCES.map(
    ([table, key, to, toKey]) =>
      [
        `${table}: ${key} that leads to no record of ${to}`,
        `SELECT x.${key} FROM ${table} AS x WHERE NOT EXISTS (FROM ${to} AS y WHERE y.${toKey} = x.${key})`,
      ] as const,
  ),
  ...FORBIDDEN,
];

/** One statement: planning many takes longer than reading small tables. */
const QUERY = QUERIES.map(
  ([, query], i) =>
    `SELECT '${i}', count(*)::VARCHAR, any_value(x)::VARCHAR FROM (${query}) AS q(x) HAVING count(*) > 0`,
).join(" UNION ALL ");

/** What is wrong within the tables of a database, whatever was written to it; empty when nothing is. */
export async function inconsistencies(readTexts: ReadTexts): Promise<string[]> {
  const found = await readTexts(QUERY);
  return found.map(
    ([i, count, example]) => `${QUERIES[Number(i)]?.[0]}: ${count}, such as ${example?.slice(0, 100)}`,
  );
}
