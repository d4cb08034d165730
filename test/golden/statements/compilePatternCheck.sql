SELECT regexp_matches('', $1, 'i');
-- $1 VARCHAR "^a"
