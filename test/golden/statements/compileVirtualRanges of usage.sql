SELECT path_key, kind, max(abs(number)) FILTER (number <> 0), min(abs(number)) FILTER (number <> 0) FROM (SELECT -9 AS path_key, evaluation_key, row_key, trial_key, 0::UTINYINT AS kind,
      false AS late, "total_tokens" AS number, NULL::VARCHAR AS text
    FROM trials WHERE "total_tokens" IS NOT NULL AND evaluation_key IN (1, 2)) GROUP BY path_key, kind;
