import { stat } from "node:fs/promises";
import { formatWrite, type Measured } from "../../store/measured.ts";
import type { FileStore, Session } from "../../store/session.ts";
import { join, sql, type Sql } from "../../store/sql.ts";
import { logSize } from "../file/checkpoints.ts";

/** Tells sizes and age of a file; a database in memory takes no bytes. */
export async function measureFile(
  store: FileStore,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Measured> {
  const isFile = path !== ":memory:";
  const measured = await store.read(readMeasures, signal);
  const bytes = isFile ? (await stat(path)).size : 0;
  return { database: path, bytes, log_bytes: isFile ? await logSize(path) : 0, ...measured };
}

async function readMeasures(session: Session): Promise<Omit<Measured, "database" | "bytes" | "log_bytes">> {
  const [format] = await session.rows(sql`SELECT version FROM evalcube_format`);
  const found = await session.rows(SHARES);
  const shares = found.map(([project, id, weight, calls]) => ({
    project: String(project),
    id: id === null ? null : String(id),
    weight: Number(weight),
    calls: Number(calls),
  }));
  return {
    format: Number(format?.[0]),
    last_write_at: await lastWrite(session),
    projects: shares.flatMap(({ project, id, weight, calls }) =>
      id === null ? [{ id: project, weight, calls }] : [],
    ),
    evaluations: shares.flatMap(({ project, id, weight }) => (id === null ? [] : [{ project, id, weight }])),
  };
}

/** When something was stored last, as far as this file tells. */
export async function lastWrite(session: Session): Promise<string | null> {
  const [found] = await session.rows(sql`SELECT max(written_at) FROM writes`);
  const at = found?.[0] ?? null;
  return formatWrite(at === null ? null : BigInt(at));
}

/** The tables that grow with calls, rows and trials. */
const LARGE = [sql`calls`, sql`pieces`, sql`rows`, sql`trials`, sql`scores`];

/** The blocks of each of these in the file. What only the log has is in none. */
const BLOCKS = join(
  LARGE.map((name) => {
    const ids = sql`unnest(list_prepend(block_id, additional_block_ids))`;
    const used = sql`SELECT ${ids} AS id FROM pragma_storage_info('${name}')`;
    return sql`SELECT '${name}' AS name, count(DISTINCT id) AS blocks FROM (${used}) WHERE id >= 0`;
  }),
  sql` UNION ALL `,
);

/** Bytes of a score value, about. */
const SCORE = sql`32`;

function ofTrials(name: Sql, weight: Sql): Sql {
  return sql`SELECT '${name}', e.project_key, e.evaluation_key, ${weight}, 0
    FROM ${name} AS x JOIN evaluations AS e USING (evaluation_key) GROUP BY ALL`;
}

/** Calls further below an evaluation are of the project alone: a chain of 100,000 would take minutes. */
const DEEPEST = sql`64`;

/**
 * What each project takes, and each of its evaluations with the calls below it. A table's blocks are shared out by the
 * bytes of texts in its records, so that they count as they are compressed; without any block these bytes count.
 */
const SHARES = sql`WITH RECURSIVE below AS (
    SELECT e.evaluation_key, c.call_key, c.id_hash, 0 AS depth FROM evaluations AS e
    JOIN calls AS c ON c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id))
    UNION SELECT b.evaluation_key, c.call_key, c.id_hash, depth + 1
    FROM below AS b JOIN calls AS c ON c.parent_hash = b.id_hash WHERE depth < ${DEEPEST}
  ), owned AS (
    SELECT call_key, max(evaluation_key) AS evaluation_key FROM below GROUP BY call_key
  ), called AS MATERIALIZED (
    SELECT c.project_key, o.evaluation_key, sum(strlen(record)) AS records, sum(text_bytes) AS texts,
      count(*) FILTER (NOT hidden) AS calls
    FROM calls AS c LEFT JOIN owned AS o USING (call_key) GROUP BY ALL
  ), weights(name, project_key, evaluation_key, weight, calls) AS (
    SELECT 'calls', project_key, evaluation_key, records, calls FROM called
    UNION ALL SELECT 'pieces', project_key, evaluation_key, texts, 0 FROM called WHERE texts IS NOT NULL
    UNION ALL SELECT 'pieces', project_key, NULL, sum(text_bytes), 0 FROM rows WHERE text_bytes IS NOT NULL GROUP BY ALL
    UNION ALL SELECT 'rows', project_key, NULL,
      sum(strlen(digest) + coalesce(strlen(val), 0) + coalesce(strlen(inline_example), 0)), 0 FROM rows GROUP BY ALL
    UNION ALL ${ofTrials(sql`trials`, sql`sum(strlen(x.id) + coalesce(strlen(x.output), 0))`)}
    UNION ALL ${ofTrials(sql`scores`, sql`count(*) * ${SCORE}`)}
  ), rates AS (
    SELECT name, CASE WHEN sum(b.blocks) OVER () = 0 THEN 1 ELSE b.blocks / w.total END AS rate
    FROM (SELECT name, sum(weight) AS total FROM weights GROUP BY name) AS w JOIN (${BLOCKS}) AS b USING (name)
  )
  SELECT p.project_id, e.id, sum(w.weight * r.rate)::DOUBLE, sum(w.calls)::DOUBLE
  FROM weights AS w JOIN rates AS r USING (name) JOIN projects AS p USING (project_key)
  LEFT JOIN evaluations AS e USING (evaluation_key)
  GROUP BY GROUPING SETS ((p.project_id), (p.project_id, e.id)) HAVING e.id IS NOT NULL OR grouping(e.id) = 1`;
