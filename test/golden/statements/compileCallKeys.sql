SELECT c.call_key FROM calls AS c JOIN (
    SELECT md5_number_lower(concat(1, ':', id)) AS hash FROM (VALUES ($1), ($2)) AS v(id)) AS w
    ON c.id_hash = w.hash WHERE NOT c.hidden;
-- $1 VARCHAR "e"
-- $2 VARCHAR "f"
