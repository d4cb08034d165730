SELECT n.hash AS "hash", CAST(n.level AS DOUBLE) AS "level" FROM (SELECT c.call_key AS call_key, c.hash AS hash, c.parent_hash AS parent_hash,
  c.started_at AS started_at, c.ended_at AS ended_at, c.id AS id, c.parent_id AS parent_id, 0 AS level FROM (SELECT *, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
      WHERE c.project_key = 1 AND c.parent_hash IS NOT NULL) AS n LEFT JOIN call_steps AS s ON s.call_key = n.call_key;
