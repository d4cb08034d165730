SELECT md5_number_lower(concat(1, ':', t.id)) FROM trials AS t WHERE t.evaluation_key IN (1, 2);
