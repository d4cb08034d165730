SELECT c.hash AS "hash", CAST(c.call_key AS BIGINT) AS "key", coalesce(CAST(c.ended_at - c.started_at AS DOUBLE), -1e0) AS "microseconds" FROM (SELECT *, rowid, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
    WHERE c.project_key = 1 AND c.parent_hash IN (SELECT md5_number_lower(concat(1, ':', t.id)) FROM trials AS t WHERE t.evaluation_key IN (1, 2));
