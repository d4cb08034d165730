SELECT coalesce(sum(trials) <> sum(evaluations), false) FROM (
    SELECT count(*) AS trials, bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) AS evaluations
    FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key);
