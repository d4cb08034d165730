-- How many trials each load has, kept by the server with each part.
ALTER TABLE trials {cluster}
  ADD PROJECTION IF NOT EXISTS counts (SELECT project_key, evaluation_key, load, count() GROUP BY project_key, evaluation_key, load)
