WITH clusters AS MATERIALIZED (SELECT row_key, CASE WHEN json_type(value) <> 'NULL' THEN value::VARCHAR END AS cluster
    FROM (SELECT row_key, json_extract(document, $1) AS value FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1))) SELECT row_key, cluster FROM clusters;
-- $1 VARCHAR "/q"
