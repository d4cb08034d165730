INSERT INTO conventions VALUES ($1,
        $2);
-- $1 VARCHAR "[\"a\"]"
-- $2 VARCHAR "[\"b\",\"c\"]"
