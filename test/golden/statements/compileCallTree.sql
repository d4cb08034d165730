WITH level_0 AS MATERIALIZED (SELECT md5_number_lower(concat(1, ':', t.id)) AS hash FROM trials AS t WHERE t.evaluation_key IN (1, 2)),
    level_1 AS MATERIALIZED (SELECT c.call_key AS call_key, c.hash AS hash, c.parent_hash AS parent_hash,
  c.started_at AS started_at, c.ended_at AS ended_at, c.id AS id, c.parent_id AS parent_id FROM (SELECT *, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
      WHERE c.project_key = 1 AND c.parent_hash IN (SELECT hash FROM level_0)
        AND c.hash NOT IN (SELECT hash FROM level_0)), level_2 AS MATERIALIZED (SELECT c.call_key AS call_key, c.hash AS hash, c.parent_hash AS parent_hash,
  c.started_at AS started_at, c.ended_at AS ended_at, c.id AS id, c.parent_id AS parent_id FROM (SELECT *, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
      WHERE c.project_key = 1 AND c.parent_hash IN (SELECT hash FROM level_1)
        AND c.hash NOT IN (SELECT hash FROM level_0)) SELECT n.hash AS "hash", CAST(coalesce(s.operation, 0) + CASE WHEN s.by_usage THEN 4 ELSE 0 END + CASE WHEN s.is_score THEN 8 ELSE 0 END
      + CASE WHEN s.error_unknown THEN 16 ELSE 0 END + CASE WHEN s.error_type IS NOT NULL THEN 32 ELSE 0 END
      + coalesce(s.untimed, 0) * 64 AS DOUBLE) AS "state", coalesce(CAST(n.ended_at - n.started_at AS DOUBLE) / 1e6, -1e0) AS "seconds", s.name AS "name" FROM (SELECT *, 1 AS level FROM level_1 UNION ALL SELECT *, 2 AS level FROM level_2) AS n LEFT JOIN call_steps AS s ON s.call_key = n.call_key;
