SELECT EXISTS (FROM rows WHERE project_key = $1 AND respelled)
    OR EXISTS (FROM rows WHERE project_key = $2 AND referenced AND inline_example IS NOT NULL), (SELECT count(*) FROM trials) > 100000, EXISTS (FROM pieces), EXISTS (FROM trials WHERE content_key IS NOT NULL);
-- $1 INTEGER 1
-- $2 INTEGER 1
