SELECT count(*) FROM trials WHERE evaluation_key = 1;
