import type { Shown, View } from "./view.ts";

/*
 * Each call knows the one above it. A round makes each know twice as many, so that few rounds lead to the trial from
 * the bottom of the longest chain; calls in a circle are given up after as many rounds as a chain of all calls needs.
 */

/** The calls that began, with what is above each: (…, owner: its trial, where that is right above). */
const told = (shown: Shown) => `told AS MATERIALIZED (
    SELECT
      c.call_key, c.id_hash AS hash, c.parent_hash, c.started_at, c.ended_at, c.id, c.parent_id,
      s.action, s.place, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost, s.name, s.model, s.finish_reason,
      s.error_type, s.untimed, coalesce(s.by_usage, false) AS by_usage, coalesce(s.is_score, false) AS is_score,
      CASE WHEN s.operation > 0 AND e.hash IS NULL THEN s.operation END AS operation
    FROM main.calls AS c
    LEFT JOIN main.call_steps AS s ON s.call_key = c.call_key
    LEFT JOIN (
      SELECT DISTINCT md5_number_lower(concat(project_key, ':', id)) AS hash FROM main.evaluations
      WHERE evaluation_key IN (SELECT evaluation_key FROM main.trials)
    ) AS e ON e.hash = c.id_hash
    WHERE ${shown("c.project_key")} AND NOT c.hidden AND c.started_at IS NOT NULL
      AND c.call_key NOT IN (SELECT trial_key FROM main.trials)
  ),
  owner AS MATERIALIZED (
    SELECT t.trial_key, c.id_hash AS hash, t.predict_call_id, t.scorer_call_ids
    FROM main.trials AS t JOIN main.calls AS c ON c.call_key = t.trial_key
    WHERE ${shown("c.project_key")}
  )`;

/** (hash, up, calls, …): the nearest calls above that name an operation or are told by usage, and how far away. */
const WAY = `way AS (
    SELECT
      c.hash, CASE WHEN o.trial_key IS NULL THEN c.parent_hash END AS up, o.trial_key, 1 AS calls, 0 AS round,
      NULL::UBIGINT AS named, NULL::INTEGER AS named_at, NULL::UBIGINT AS used, NULL::INTEGER AS used_at,
      c.operation IS NOT NULL AND NOT c.by_usage AS names, c.operation IS NOT NULL AND c.by_usage AS uses,
      c.is_score OR coalesce(list_contains(json_extract_string(o.scorer_call_ids, '$.*'), c.id), false) AS is_score
    FROM told AS c LEFT JOIN owner AS o ON o.hash = c.parent_hash
    WHERE c.parent_hash IS NOT NULL
    UNION ALL
    SELECT
      x.hash, u.up, coalesce(x.trial_key, u.trial_key), x.calls + coalesce(u.calls, 0), x.round + 1,
      coalesce(x.named, CASE WHEN u.names THEN u.hash END, u.named),
      coalesce(x.named_at, CASE WHEN u.names THEN x.calls END, x.calls + u.named_at),
      coalesce(x.used, CASE WHEN u.uses THEN u.hash END, u.used),
      coalesce(x.used_at, CASE WHEN u.uses THEN x.calls END, x.calls + u.used_at),
      x.names, x.uses, x.is_score OR coalesce(u.is_score, false)
    FROM way AS x LEFT JOIN way AS u ON u.hash = x.up
    WHERE (x.up IS NULL OR u.hash IS NOT NULL)
      AND x.round < 2 + (SELECT log2(1 + count(*)) FROM told)
      AND (SELECT count(w.up) FROM way AS w) > 0
  )`;

/** The calls of trials, each with its operation and the call above it that names one. */
const PLACED = `placed AS MATERIALIZED (
    SELECT w.*, c.* EXCLUDE (hash, is_score, operation, by_usage), o.predict_call_id,
      CASE WHEN NOT c.by_usage OR (
        c.hash NOT IN (SELECT used FROM way WHERE used IS NOT NULL AND (names OR uses) AND hash IN (
          SELECT hash FROM told WHERE operation = 1))
        AND c.id IS DISTINCT FROM o.predict_call_id) THEN c.operation END AS operation
    FROM way AS w
    JOIN told AS c ON c.hash = w.hash
    JOIN owner AS o ON o.trial_key = w.trial_key
    WHERE w.round = (SELECT max(round) FROM way)
  ),
  named AS MATERIALIZED (
    SELECT p.*,
      CASE WHEN u.operation IS NOT NULL AND coalesce(p.used_at < p.named_at, true) THEN p.used ELSE p.named END AS above
    FROM placed AS p LEFT JOIN placed AS u ON u.hash = p.used
  ),
  step AS (
    SELECT p.*, p.operation = 3 OR p.hash IN (
        SELECT above FROM named WHERE operation = 1 AND NOT is_score AND above IS NOT NULL
      ) AND p.operation = 1 AS is_frame
    FROM named AS p LEFT JOIN named AS a ON a.hash = p.above
    WHERE p.operation IS NOT NULL AND NOT p.is_score
      AND NOT coalesce(p.operation = 2 AND a.operation = 2 AND a.action = p.action, false)
  )`;

/** Steps of the trial up to each: DuckDB counts those of a FILTER anew for each record, but adds up numbers once. */
const counted = (condition: string) => `(sum((${condition})::INTEGER) OVER (
        PARTITION BY trial_key ORDER BY started_at, place NULLS LAST, calls, id ROWS UNBOUNDED PRECEDING))::BIGINT`;

const numbered = (shown: Shown) => `(
    WITH RECURSIVE ${told(shown)},
  ${WAY},
  ${PLACED}
    SELECT *,
      ${counted("NOT is_frame")} AS number,
      ${counted("NOT is_frame AND operation = 1")} AS chats
    FROM step
  ) AS s`;

const ofChat = (column: string) => `CASE WHEN s.operation = 1 AND NOT s.is_frame THEN s.${column} END`;

export const steps: View = {
  record: "a step of a trial: a call that asks a model or runs a tool; or a frame that such calls happen in",
  owner: "e.project_key",
  from: (shown) => `${numbered(shown)}
    JOIN main.trials AS t ON t.trial_key = s.trial_key
    JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key`,
  beside: () => "LEFT JOIN main.rows AS r ON r.row_key = t.row_key",
  where: "NOT e.hidden",
  columns: {
    trial_id: ["VARCHAR", "t.id", "its trial"],
    evaluation_call_id: ["VARCHAR", "e.id", "its evaluation"],
    row_digest: ["VARCHAR", "r.digest", "its row"],
    step: [
      "BIGINT",
      "CASE WHEN NOT s.is_frame THEN s.number END",
      "its number in the trial, from 1; null of a frame",
    ],
    turn: ["BIGINT", "CASE WHEN NOT s.is_frame THEN s.chats END", "how many model calls there were, with it"],
    operation: [
      "VARCHAR",
      "CASE s.operation WHEN 1 THEN 'chat' WHEN 2 THEN 'execute_tool' ELSE 'invoke_agent' END",
      "`chat`, `execute_tool` or `invoke_agent`",
    ],
    name: ["VARCHAR", "s.name", "name of a tool or an agent"],
    model: ["VARCHAR", "s.model", "model of a `chat`"],
    started_at: ["TIMESTAMP WITH TIME ZONE", "CASE WHEN s.untimed = 0 THEN s.started_at END", "start"],
    duration_seconds: [
      "DOUBLE",
      "CASE WHEN s.untimed < 2 AND s.ended_at >= s.started_at THEN (s.ended_at - s.started_at)::DOUBLE / 1000000 END",
      "how long it took",
    ],
    input_tokens: ["BIGINT", ofChat("input_tokens"), "tokens of the request, with cached ones"],
    output_tokens: ["BIGINT", ofChat("output_tokens"), "tokens of the answer"],
    cached_tokens: ["BIGINT", ofChat("cached_tokens"), "those of the request that were cached"],
    cost: ["DOUBLE", ofChat("cost"), "what it says that it cost"],
    finish_reason: ["VARCHAR", "s.finish_reason", "why a model stopped"],
    error_type: ["VARCHAR", "s.error_type", "its error; null where it went well, or that is unknown"],
    action: [
      "VARCHAR",
      "lower(lpad(to_hex(s.action), 16, '0'))",
      "of a tool: equal where name and arguments are",
    ],
    call_id: ["VARCHAR", "s.id", "its call"],
    parent_id: ["VARCHAR", "s.parent_id", "the call above it"],
  },
};
