-- Counts and sums of the scores of each load, kept by the server with each part: a summary without conditions reads these in place of the
-- scores. A statement finds them by its text, so `number` is spelled as in the relation `scores` of statements.
ALTER TABLE scores {cluster}
  ADD PROJECTION IF NOT EXISTS sums (SELECT project_key, evaluation_key, path_key, load, kind, count(), sum(if(kind >= 4, NULL, number))
    GROUP BY project_key, evaluation_key, path_key, load, kind)
