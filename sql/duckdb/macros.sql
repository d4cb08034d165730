-- Readings of a JSON value (semantics of comparison: number, text, truth). Null in, null out.

-- A finite double or null.
CREATE OR REPLACE TEMP MACRO finite(x) AS CASE WHEN isfinite(x) THEN x END;

-- The number that a text spells, else null: no blanks, no inf, no hexadecimal, no separators.
CREATE OR REPLACE TEMP MACRO text_number(s) AS
  CASE WHEN regexp_full_match(s, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?')
    THEN finite(TRY_CAST(s AS DOUBLE)) END;

-- ECMAScript's spelling of a double, from that of JSON, which has ".0" after a whole number, "-0.0" and no plus sign. A
-- cast to VARCHAR writes other numbers for 2^81, 2^91 and 2^807.
CREATE OR REPLACE TEMP MACRO number_text(x) AS
  regexp_replace(regexp_replace(CAST(to_json(x + 0) AS VARCHAR), '\.0$', ''), 'e([0-9])', 'e+\1');

CREATE OR REPLACE TEMP MACRO json_number(j) AS
  CASE json_type(j)
    WHEN 'VARCHAR' THEN text_number(j ->> '$')
    WHEN 'BOOLEAN' THEN CAST(j = 'true' AS DOUBLE)
    WHEN 'OBJECT' THEN NULL
    WHEN 'ARRAY' THEN NULL
    WHEN 'NULL' THEN NULL
    ELSE finite(TRY_CAST(CAST(j AS VARCHAR) AS DOUBLE))
  END;

CREATE OR REPLACE TEMP MACRO json_text(j) AS
  CASE json_type(j)
    WHEN 'VARCHAR' THEN j ->> '$'
    WHEN 'NULL' THEN NULL
    WHEN 'DOUBLE' THEN
      CASE WHEN regexp_full_match(CAST(j AS VARCHAR), '-?[0-9]+') THEN CAST(j AS VARCHAR)
        ELSE number_text(TRY_CAST(CAST(j AS VARCHAR) AS DOUBLE)) END
    ELSE CAST(j AS VARCHAR)
  END;

-- The value as a truth: true/false, the numbers 1 and 0, the texts "true" and "false"; else null.
CREATE OR REPLACE TEMP MACRO json_boolean(j) AS
  CASE json_type(j)
    WHEN 'BOOLEAN' THEN j = 'true'
    WHEN 'VARCHAR' THEN CASE j ->> '$' WHEN 'true' THEN true WHEN 'false' THEN false END
    WHEN 'OBJECT' THEN NULL
    WHEN 'ARRAY' THEN NULL
    WHEN 'NULL' THEN NULL
    ELSE CASE TRY_CAST(CAST(j AS VARCHAR) AS DOUBLE) WHEN 1 THEN true WHEN 0 THEN false END
  END;

-- The value as a condition by itself.
CREATE OR REPLACE TEMP MACRO json_condition(j) AS
  CASE json_type(j)
    WHEN 'BOOLEAN' THEN j = 'true'
    WHEN 'VARCHAR' THEN (j ->> '$') <> ''
    WHEN 'OBJECT' THEN NULL
    WHEN 'ARRAY' THEN NULL
    WHEN 'NULL' THEN NULL
    ELSE TRY_CAST(CAST(j AS VARCHAR) AS DOUBLE) <> 0
  END;

-- A value inside the model output of a trial: the member `output` of the call's output, else `model_output`. The member
-- output nearly always comes first in the stored text, so that nothing has to be looked for where a value is missing.
CREATE OR REPLACE TEMP MACRO model_output(output, pointer) AS
  coalesce(
    json_extract(output, '/output' || pointer),
    CASE WHEN NOT starts_with(output, '{"output":') AND NOT json_exists(output, '/output')
      THEN json_extract(output, '/model_output' || pointer) END);

-- The double nearest to a HUGEINT, of two the even one; a cast of DuckDB rounds twice, but not that of a BIGINT or of digits.
CREATE OR REPLACE TEMP MACRO nearest_double(n) AS
  coalesce(CAST(TRY_CAST(n AS BIGINT) AS DOUBLE), CAST(CAST(n AS VARCHAR) AS DOUBLE));
