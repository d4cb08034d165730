/** What a database holds, table by table: each record as a text, in which ids stand for keys, and no random id or time. */
export type Contents = Readonly<Record<string, readonly string[]>>;

/** Runs a statement whose columns are texts. */
export type ReadTexts = (query: string) => Promise<string[][]>;

const OF_TRIAL = "JOIN calls AS c ON c.call_key = x.trial_key JOIN projects AS p USING (project_key)";
const OF_EVALUATION = "JOIN evaluations AS e ON e.evaluation_key = x.evaluation_key";
const OF_ROW = "JOIN rows AS r ON r.row_key = x.row_key";
const OF_PATH = "JOIN score_paths AS s ON s.path_key = x.path_key";

const TABLES: Readonly<Record<string, string>> = {
  calls: `SELECT json_array(p.project_id, x.id, x.hidden, x.id_hash, x.parent_hash) FROM calls AS x JOIN projects AS p USING (project_key)`,
  call_records: `SELECT json_array(p.project_id, x.id, md5(regexp_replace(x.record, '"deleted_at":"[^"]*"', '')))
    FROM calls AS x JOIN projects AS p USING (project_key)`,
  evaluations: `SELECT json_array(p.project_id, x.id, x.has_root, x.hidden, x.evaluation_ref, x.model_ref, x.display_name, x.trace_id,
    x.started_at) FROM evaluations AS x JOIN projects AS p USING (project_key)`,
  rows: `SELECT json_array(p.project_id, x.digest, x.digest_hash, x.referenced, x.respelled, x.val, x.inline_example)
    FROM rows AS x JOIN projects AS p USING (project_key)`,
  trials: `SELECT json_array(p.project_id, c.id, e.id, r.digest, x.id, x.started_at, x.latency_seconds, x.total_tokens, x.predict_call_id,
    x.scorer_call_ids, md5(x.output), x.late_scores, x.reference_prefix, x.example, x.text_bytes)
    FROM trials AS x ${OF_TRIAL} ${OF_EVALUATION} ${OF_ROW}`,
  scores: `SELECT json_array(p.project_id, c.id, e.id, r.digest, s.path, x.kind, x.late, x.number, x.text)
    FROM scores AS x ${OF_TRIAL} ${OF_EVALUATION} ${OF_ROW} ${OF_PATH}`,
  null_scores: `SELECT json_array(p.project_id, c.id, e.id, r.digest, s.path, x.late)
    FROM null_scores AS x ${OF_TRIAL} ${OF_EVALUATION} ${OF_ROW} ${OF_PATH}`,
  errored_trials: `SELECT json_array(p.project_id, c.id, e.id, r.digest, x.own) FROM errored_trials AS x ${OF_TRIAL} ${OF_EVALUATION} ${OF_ROW}`,
  score_paths: `SELECT json_array(p.project_id, x.path, x.leaf, x.container, x.list, x.max_exponent, x.min_exponent, x.low_bit)
    FROM score_paths AS x JOIN projects AS p USING (project_key)`,
  feedback:
    "SELECT json_array(project_id, id, svc_user_id, svc_ref, feedback_type, md5(content)) FROM feedback",
  training_jobs:
    "SELECT json_array(project_id, request ->> 'name', model_id, user_id, md5(request)) FROM training_jobs",
  training_idempotency: `SELECT json_array(x.idempotency_key, x.request_hash, j.request ->> 'name')
    FROM training_idempotency AS x LEFT JOIN training_jobs AS j ON j.id = x.job_id`,
  trajectories: `SELECT json_array(j.request ->> 'name', x.group_index, x.trajectory_index, x.reward, x.metrics)
    FROM trajectories AS x LEFT JOIN training_jobs AS j ON j.id = x.job_id`,
  training_events: `SELECT json_array(j.request ->> 'name', x.number, x.type, x.data)
    FROM training_events AS x LEFT JOIN training_jobs AS j ON j.id = x.job_id`,
  training_models: "SELECT json_array(entity, project, name, base_model) FROM training_models",
  checkpoints: "SELECT json_array(model_id, step, metrics) FROM checkpoints",
  conventions: "SELECT json_array(predict_and_score_ops, attribute_namespaces) FROM conventions",
};

/** One statement: planning many takes longer than reading small tables. */
const QUERY = Object.entries(TABLES)
  .map(([table, select]) => `SELECT '${table}', x.x::VARCHAR FROM (${select}) AS x(x)`)
  .join(" UNION ALL ");

export async function readContents(readTexts: ReadTexts): Promise<Contents> {
  const contents: Record<string, string[]> = {};
  for (const [table = "", line = ""] of await readTexts(QUERY)) (contents[table] ??= []).push(line);
  return Object.fromEntries(Object.keys(TABLES).map((table) => [table, (contents[table] ?? []).toSorted()]));
}

/** What one has and the other has not, in a few words; empty when they are the same. */
export function differences(expected: Contents, found: Contents): string[] {
  return Object.keys(TABLES).flatMap((table) => {
    const missing = without(expected[table] ?? [], found[table] ?? []);
    const surplus = without(found[table] ?? [], expected[table] ?? []);
    const say = (what: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [`${table}: ${lines.length} ${what}, such as ${lines[0]?.slice(0, 200)}`];
    return [...say("missing", missing), ...say("too many", surplus)];
  });
}

/** The items of `all` that `others` has less often. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const item of others) left.set(item, (left.get(item) ?? 0) + 1);
  return all.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}
