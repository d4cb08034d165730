import type { StatementParameters } from "../../src/index.ts";

/** A statement that needs no view, and its parameters. */
export type PlainStatement = readonly [statement: string, params?: StatementParameters];

/** Members of DuckDB's own syntax trees, as a text of the statement. */
const PARAMETER_NODE = `"class":"PARAMETER","type":"VALUE_PARAMETER","identifier":"1"`;
const DOUBLE_NODE = `{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"DOUBLE"},"is_null":false,"value":1e9}}`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function named(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** What could be taken for something else than a text where trees or statements are searched as texts. */
const MISLEADING: readonly string[] = [
  "it's",
  "''",
  '"',
  "$1",
  "?",
  ":name $name @name",
  "-- no comment",
  "/* no comment */",
  "; DROP TABLE calls",
  ") SELECT * FROM projects --",
  "1) AS x, (SELECT max(project_id) FROM projects",
  "WITH RECURSIVE ",
  "WITH trials AS (SELECT 1) SELECT 1",
  "1e3",
  "Infinity",
  PARAMETER_NODE,
  DOUBLE_NODE,
  `","identifier":"1`,
  `\\","value":{"type":{"id":"DOUBLE"}`,
  "\\",
  "\\'",
  "\\u0027",
  "\u0001\t\n\r",
  "\u2028\u2029\ufeff",
  "e\u0301 é ß ſ K",
  "😀👩‍👩‍👧‍👦\u202e",
  "x".repeat(3000),
];

const misleading: readonly PlainStatement[] = MISLEADING.flatMap((text): PlainStatement[] => [
  [`SELECT ${quoted(text)} AS a, len(${quoted(text)}) AS b, 1e0 AS c`],
  [`SELECT ? AS a, ${quoted(text)} AS b, ? = ${quoted(text)} AS c`, ["x", text]],
  [`SELECT 1e3 AS ${named(text)}, 2 AS b`],
  [`WITH ${named(`t${text}`)} AS (SELECT 1e-7 AS x) SELECT x FROM ${named(`t${text}`)}`],
]);

const NUMBERS: readonly string[] = [
  "0",
  "-0",
  "0.0",
  "-0.0",
  "0e0",
  "-0e0",
  "-0.0::DOUBLE",
  "0.1",
  ".5",
  "5.",
  "5. // 2",
  "-12345678901234567890123456789012345678.",
  "1e3",
  "1E+3",
  "1e-3",
  "-1e3",
  "1e22",
  "1e23",
  "0.1e0 + 0.2e0",
  "0.1 + 0.2",
  "1e-320",
  "-1e-320",
  "5e-324",
  "1e-400",
  "2.2250738585072014e-308",
  "1.7976931348623157e308",
  "1e308 * 10",
  "-1e308 * 10e0",
  "1e0 / 0",
  "'nan'::DOUBLE",
  "'-inf'::DOUBLE",
  "9007199254740993",
  "9007199254740993e0",
  "123456789012345680000e0",
  "1_000_000",
  "2147483648",
  "-2147483648",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "18446744073709551615",
  "18446744073709551616",
  "170141183460469231731687303715884105727",
  "-170141183460469231731687303715884105727",
  "170141183460469231731687303715884105728",
  "340282366920938463463374607431768211455",
  "340282366920938463463374607431768211455::UHUGEINT",
  "1.2345678901234567890123456789012345678",
  "12345678901234567890123456789012345678",
  "99999999999999999999999999999999999999",
  "1234567890123456789012345678901234567.8",
  "-0.00000000000000000000000000000000000001",
  "0.12345678901234567890123456789012345678",
  "12345678901234567890123456789012345678.9",
  "0.1::FLOAT",
  "3.4028235e38::FLOAT",
  "1e-45::FLOAT",
  "1e3::INTEGER",
  "1e3::VARCHAR",
  "CAST(1e3 AS DECIMAL(10, 2))",
  "TRY_CAST(1e300 AS INTEGER)",
  "1.50",
  "1.50::VARCHAR",
  "-1.5e0",
  "- -1e0",
  "[1e0, -0e0, 1e-7]",
  "[1e0, 2, 3.5]",
  "{'x': 1e-7, 'y': [1e1]}",
  "MAP {'a': 1e0}",
  "[1, 2, 3][1:2]",
  "[1, 2, 3][:2]",
  "list_transform([1, 2], lambda x: x * 1e-1)",
  "CASE WHEN 1e0 > 0.5 THEN 1e1 ELSE 2e1 END",
  "2e0 IN (1e0, 2)",
  "1e0 BETWEEN 0.5e0 AND 2",
  "NULL",
  "INTERVAL 1 DAY",
  "INTERVAL '1.5 hours'",
  "DATE '2026-01-01'",
  "TIMESTAMP '2026-01-01 00:00:00.000001'",
  "TIME '12:00:00.5'",
  "'00000000-0000-0000-0000-000000000001'::UUID",
  "'\\xAA'::BLOB",
  "true",
];

const numbers: readonly PlainStatement[] = NUMBERS.map((number) => [`SELECT ${number} AS a, 'x' AS b`]);

const parameters: readonly PlainStatement[] = [
  ["SELECT ? AS a, ? AS b", [1, "two"]],
  ["SELECT $2 AS a, $1 AS b, $2 AS c", ["one", "two"]],
  ["SELECT $b AS x, $a AS y, $b || $a AS z", { a: "1", b: "2" }],
  ["SELECT $type AS x, $class AS y, $identifier AS z", { type: "1", class: "2", identifier: "3" }],
  ['SELECT $a AS x, \'$a\' AS y, "$a" AS z FROM (SELECT 5 AS "$a")', { a: "b" }],
  [
    "SELECT $constructor AS x, $__proto__ AS y",
    Object.fromEntries([
      ["constructor", "c"],
      ["__proto__", "p"],
    ]),
  ],
  ["SELECT $a1 AS x, $a10 AS y, $a2 AS z", { a1: "1", a2: "2", a10: "10" }],
  ["SELECT $\u00e9 AS x", { "\u00e9": "accent" }],
  ["SELECT $10 AS a, $1 AS b, $2 AS c, $3 || $4 || $5 || $6 || $7 || $8 || $9 AS d", "abcdefghij".split("")],
  ["SELECT i FROM range(9) AS t(i) ORDER BY i LIMIT ? OFFSET ?", [2, 3]],
  ["SELECT i FROM range(9) AS t(i) WHERE i IN (?, ?) ORDER BY i", [2, 3]],
  ["WITH a AS (SELECT ? AS x), b AS (SELECT ? AS y) SELECT x, y, ? AS z FROM a, b", ["a", "b", "c"]],
  ["SELECT (SELECT $2::VARCHAR) AS a, (SELECT $1::VARCHAR) AS b", ["one", "two"]],
  ["SELECT CASE WHEN $1 THEN $2 ELSE $3 END AS a", [true, "yes", "no"]],
  ["SELECT list_transform([1, 2], lambda x: x + $1) AS a", [0.5]],
  ["SELECT $1 + 1e0 AS a, $1 AS b", [-0]],
  ["SELECT $1 AS a, $2 AS b, $3 AS c", [5e-324, 2n ** 63n - 1n, -(2n ** 63n)]],
  ["SELECT [$1, $2] AS a, {'k': $1} AS b", ["x", null]],
  [
    "SELECT sum(i) FILTER (WHERE i > $1) AS a, max(i) OVER (ORDER BY sum(i)) AS b FROM range(5) AS t(i) GROUP BY i ORDER BY i",
    [2],
  ],
  ["SELECT * FROM (VALUES (?, 1e0), (?, 2)) AS v(a, b)", ["x", "y"]],
];

const tableExpressions: readonly PlainStatement[] = [
  ["WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT sum(i) AS s FROM r"],
  [
    "WITH RECURSIVE r AS (SELECT 1e0 AS i UNION SELECT i * 0.5e0 FROM r WHERE i > 0.1e0) SELECT i FROM r ORDER BY i",
  ],
  [
    "WITH RECURSIVE a AS (SELECT 1 AS x), r AS (SELECT x FROM a UNION ALL SELECT x + 1 FROM r WHERE x < 3), b AS (SELECT count(*) AS n FROM r) SELECT n FROM b",
  ],
  [
    "WITH RECURSIVE r(i) AS (SELECT $1::INTEGER UNION ALL SELECT i + 1 FROM r WHERE i < $2) SELECT max(i) AS m FROM r",
    [1, 4],
  ],
  ["WITH RECURSIVE notRecursive AS (SELECT 1 AS x) SELECT x FROM notrecursive"],
  [
    "WITH RECURSIVE r(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, v + 1 FROM r WHERE v < 4) SELECT k, v FROM r",
  ],
  [
    "SELECT * FROM (WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT max(i) AS m FROM r)",
  ],
  ["SELECT (WITH a AS (SELECT 7 AS x) SELECT x FROM a) AS y"],
  [
    "(WITH a AS (SELECT 1 AS x) SELECT x FROM a) UNION ALL (WITH a AS (SELECT 2 AS x) SELECT x FROM a) ORDER BY x",
  ],
  ["WITH a AS (SELECT 1 AS x) (SELECT x FROM a) UNION ALL (SELECT x + 1e0 FROM a) ORDER BY x DESC LIMIT 1"],
  [
    "WITH a AS (WITH b AS (WITH c AS (SELECT 1 AS x) SELECT x + 1 AS x FROM c) SELECT x + 1 AS x FROM b) SELECT x FROM a",
  ],
  ["WITH a AS (SELECT 1 AS x) SELECT a.x, b.x AS y FROM (WITH a AS (SELECT 2 AS x) SELECT x FROM a) AS b, a"],
  ["WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a), c AS (SELECT x FROM b) SELECT c.x FROM c, b, a"],
  [
    "WITH a AS MATERIALIZED (SELECT 1 AS x), b AS NOT MATERIALIZED (SELECT 2 AS x) SELECT a.x, b.x AS y FROM a, b",
  ],
  ["WITH a(x, y) AS (SELECT 1, 2) SELECT y, x FROM a"],
  ["WITH unused AS (SELECT 1), a AS (VALUES (1), (2)) SELECT col0 FROM a ORDER BY col0"],
  ['WITH "with" AS (SELECT 1 AS "recursive") SELECT "recursive" FROM "with"'],
  ['WITH "WITH RECURSIVE " AS (SELECT 1 AS x) SELECT x FROM "WITH RECURSIVE "'],
  ['WITH "a AS (SELECT 1), b" AS (SELECT 2 AS x) SELECT x FROM "a AS (SELECT 1), b"'],
  ["WITH PROJECTS AS (SELECT 3 AS x) SELECT x FROM projects"],
  ["WITH a AS (FROM range(3)) FROM a SELECT count(*) AS n"],
  ["FROM range(2) AS trials(i) SELECT trials.i ORDER BY i"],
  ["SELECT scores.n FROM (VALUES (1)) AS scores(n)"],
  ["SELECT 1 AS trials, 2 AS scores"],
  ["SELECT b.i FROM range(3) AS a(i), LATERAL (SELECT a.i * 1e0 AS i) AS b ORDER BY 1"],
  ["FROM (SELECT 1 AS a, 2 AS b) SELECT * REPLACE (1e3 AS a)"],
  ["FROM (SELECT 1 AS a, 2 AS b) SELECT * EXCLUDE (a)"],
  ["FROM (SELECT 1 AS a, 2 AS b) SELECT * RENAME (a AS c)"],
  ["SELECT i FROM range(4) AS t(i) EXCEPT SELECT 1 ORDER BY 1 DESC"],
  ["(SELECT 1 AS x LIMIT 1) INTERSECT (SELECT 1e0)"],
  ["SELECT DISTINCT ON (i % 2) i FROM range(6) AS t(i) ORDER BY i"],
  [
    "SELECT i, row_number() OVER w AS n FROM range(3) AS t(i) WINDOW w AS (ORDER BY i DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY i",
  ],
  ["SELECT count(*) AS n FROM range(9) AS t(i) USING SAMPLE 3 ROWS"],
  ["SELECT count(*) AS n FROM range(9) AS t(i) TABLESAMPLE 100.0%"],
  ["SELECT i % 2 AS k, sum(i) AS s FROM range(5) AS t(i) GROUP BY ROLLUP (k) ORDER BY ALL"],
  ["FROM (FROM (VALUES ('a', 1e0), ('b', 2e0)) AS v(k, n) PIVOT (sum(n) FOR k IN ('a', 'b')))"],
  ["FROM (FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR k IN (a, b))) ORDER BY k"],
  ["SELECT 'a' COLLATE NOCASE = 'A' AS x"],
  ["SELECT 'İ' ILIKE 'i%' AS x, 'a_b' LIKE 'a\\_b' ESCAPE '\\' AS y"],
  ["SELECT $$it's \"$1\" ?$$ AS x, $tag$ $$ $1 $tag$ AS y, e'\\'\\n' AS z"],
  ["SELECT [x * 1e0 FOR x IN [1, 2] IF x > 1] AS a, [1, 2].list_sum() AS b"],
  ["SELECT {'a': {'b': 'c'}}.a.b AS x, {'$1': 2}.\"$1\" AS y"],
  ["SELECT 1 AS a /* ' */ , 2 AS b -- '\n, 3 AS c"],
  ["SELECT 1 AS a;"],
];

/** Answered as DuckDB itself does. */
export const plainStatements: readonly PlainStatement[] = [
  ...misleading,
  ...numbers,
  ...parameters,
  ...tableExpressions,
];

/** Statements that are refused before they run, with a part of what is said of them. */
export const refusedStatements: readonly (readonly [...PlainStatement, said: string])[] = [
  ["SELECT 1e400", [], "a number that is too large"],
  ["SELECT -1e400", [], "a number that is too large"],
  ["SELECT 1e3 AS a FROM (SELECT 1e309)", [], "a number that is too large"],
  ["SELECT 0xFF AS a", [], "syntax error"],
  ["SELECT ?, $a", ["x"], "Mixing named and positional parameters"],
  ["SELECT $10001", ["x"], "a parameter numbered beyond 10,000"],
  ["SELECT $1 FROM projects", ["x"], 'reading "projects"'],
  ["WITH trials AS (SELECT 1) SELECT * FROM trials", [], "the name belongs to a view"],
  ["WITH RECURSIVE Trials AS (SELECT 1) SELECT * FROM trials", [], "the name belongs to a view"],
  ["SELECT * FROM (WITH scores AS (SELECT 1) SELECT * FROM scores)", [], "the name belongs to a view"],
  [
    "SELECT (WITH RECURSIVE calls(i) AS (SELECT 1 UNION ALL SELECT i FROM calls) SELECT 1)",
    [],
    "the name belongs to a view",
  ],
  ["WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", [], 'reading "b"'],
  [
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM s), s AS (SELECT 1) SELECT * FROM r",
    [],
    'reading "s"',
  ],
  ["WITH a AS (WITH projects AS (SELECT 1) SELECT 1) SELECT * FROM projects", [], 'reading "projects"'],
  ['SELECT * FROM "trials "', [], 'reading "trials "'],
  ['SELECT * FROM "main.trials"', [], 'reading "main.trials"'],
  ['SELECT 1 AS "$1") FROM projects --"', [], "syntax error"],
  ["SELECT * FROM main.trials", [], "with a schema"],
  ["SELECT ') FROM projects --' FROM projects", [], 'reading "projects"'],
  ["SELECT 1e3, getenv('HOME')", [], "the function getenv"],
  ["SELECT 1; SELECT 2", [], "more than one statement"],
  ["SELECT 'a'::ENUM('a')", [], "a cast to ENUM is not allowed"],
  ["SELECT CAST(1 AS UNION(n INTEGER))", [], "a cast to UNION is not allowed"],
];
