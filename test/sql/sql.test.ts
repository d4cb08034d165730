import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type Engine, type StatementParameters } from "../../src/index.ts";
import { allowedFunctions } from "../../src/duckdb/sql/cost/function-rules.ts";
import { VIEWS } from "../../src/duckdb/views/views.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  await engine.ingestCalls([
    root("e", { display_name: "first", inputs: { self: "svc:///acme/qa/object/eval:v1", model: "m" } }),
    root("f"),
    trial(
      "e1",
      { q: 1 },
      { acc: 0.25, ok: true, judge: { tone: "calm", deep: { er: 2 } }, nothing: null, list: [1] },
    ),
    trial("e2", { q: 2 }, { acc: 0.75, ok: false }),
    trial("f1", { q: 1 }, { acc: 1, "a.b": 1 }, { parent_id: "f", ended_at: "2026-01-01T00:00:02.5Z" }),
    trial("gone", { q: 3 }, { acc: 9 }),
    call("p", {
      parent_id: "e1",
      op_name: "predict",
      ended_at: "2026-01-01T00:00:01.5Z",
      summary: { usage: { m: { total_tokens: 7 } } },
    }),
    call("s", {
      parent_id: "e2",
      op_name: "late.score",
      attributes: { svc: { score: true } },
      output: "late text",
    }),
  ]);
  await engine.ingestRows([{ project_id: PROJECT, digest: "d1", val: { stored: true } }]);
  await engine.deleteCalls(PROJECT, ["gone"]);
  await engine.feedback.create(
    {
      project_id: PROJECT,
      svc_ref: "svc:///acme/qa/call/e1",
      feedback_type: "remark",
      payload: { text: "hm" },
    },
    { userId: "ann" },
  );
});
afterAll(() => engine.close());

async function rows(statement: string, params?: StatementParameters): Promise<unknown[]> {
  const table = await engine.sql(PROJECT, statement, params);
  return table.toArray().map((row: { toJSON: () => unknown }) => row.toJSON());
}

describe("the views", () => {
  it.each(Object.entries(VIEWS))(
    "have the columns and types that are listed: %s",
    async (name, { columns }) => {
      const described = await rows(
        `SELECT column_name, column_type FROM (DESCRIBE FROM ${name}) WHERE column_name NOT LIKE 'scores.%'`,
      );
      expect(described).toEqual(
        Object.entries(columns).map(([column, [type]]) => ({ column_name: column, column_type: type })),
      );
    },
  );

  it("show evaluations, trials and scores as a query counts them", async () => {
    expect(
      await rows(
        "SELECT evaluation_call_id, display_name, evaluation_ref, model_ref, trial_count::INTEGER AS n FROM evaluations ORDER BY 1",
      ),
    ).toEqual([
      {
        evaluation_call_id: "e",
        display_name: "first",
        evaluation_ref: "svc:///acme/qa/object/eval:v1",
        model_ref: "m",
        n: 2,
      },
      { evaluation_call_id: "f", display_name: null, evaluation_ref: null, model_ref: null, n: 1 },
    ]);
    expect(
      await rows(
        "SELECT trial_id, evaluation_call_id, predict_call_id, model_latency_seconds AS s, total_tokens AS n FROM trials ORDER BY 1",
      ),
    ).toEqual([
      { trial_id: "e1", evaluation_call_id: "e", predict_call_id: "p", s: 1.5, n: 7 },
      { trial_id: "e2", evaluation_call_id: "e", predict_call_id: null, s: null, n: null },
      { trial_id: "f1", evaluation_call_id: "f", predict_call_id: null, s: null, n: null },
    ]);
    expect(
      await rows(
        "SELECT * EXCLUDE (evaluation_call_id, row_digest) FROM scores ORDER BY trial_id, scorer_key, path",
      ),
    ).toEqual([
      {
        trial_id: "e1",
        scorer_key: "acc",
        path: null,
        value_type: "continuous",
        numeric_value: 0.25,
        boolean_value: null,
        text_value: null,
      },
      {
        trial_id: "e1",
        scorer_key: "judge",
        path: "deep.er",
        value_type: "continuous",
        numeric_value: 2,
        boolean_value: null,
        text_value: null,
      },
      {
        trial_id: "e1",
        scorer_key: "judge",
        path: "tone",
        value_type: "text",
        numeric_value: null,
        boolean_value: null,
        text_value: "calm",
      },
      {
        trial_id: "e1",
        scorer_key: "ok",
        path: null,
        value_type: "binary",
        numeric_value: null,
        boolean_value: true,
        text_value: null,
      },
      {
        trial_id: "e2",
        scorer_key: "acc",
        path: null,
        value_type: "continuous",
        numeric_value: 0.75,
        boolean_value: null,
        text_value: null,
      },
      {
        trial_id: "e2",
        scorer_key: "late",
        path: null,
        value_type: "text",
        numeric_value: null,
        boolean_value: null,
        text_value: "late text",
      },
      {
        trial_id: "e2",
        scorer_key: "ok",
        path: null,
        value_type: "binary",
        numeric_value: null,
        boolean_value: false,
        text_value: null,
      },
      {
        trial_id: "f1",
        scorer_key: "a.b",
        path: null,
        value_type: "continuous",
        numeric_value: 1,
        boolean_value: null,
        text_value: null,
      },
      {
        trial_id: "f1",
        scorer_key: "acc",
        path: null,
        value_type: "continuous",
        numeric_value: 1,
        boolean_value: null,
        text_value: null,
      },
    ]);
  });

  it("show calls that are not hidden, rows and feedback", async () => {
    expect(
      await rows("SELECT id, parent_id, ended_at::VARCHAR AS t FROM calls WHERE op_name = 'predict'"),
    ).toEqual([{ id: "p", parent_id: "e1", t: "2026-01-01 00:00:01.5+00" }]);
    expect(await rows("SELECT id FROM calls ORDER BY id")).toEqual(
      ["e", "e1", "e2", "f", "f1", "p", "s"].map((id) => ({ id })),
    );
    expect(await rows("SELECT value->>'stored' AS stored FROM rows WHERE row_digest = 'd1'")).toEqual([
      { stored: "true" },
    ]);
    expect(await rows("SELECT feedback_type, svc_user_id, payload->>'$.text' AS text FROM feedback")).toEqual(
      [{ feedback_type: "remark", svc_user_id: "ann", text: "hm" }],
    );
  });
});

/** The type and the text of each of the columns a to n. */
function types(from: string): string {
  return `SELECT ${"abcdefghijklmn"
    .split("")
    .map((name) => `typeof(${name}) || ' ' || coalesce(${name}::VARCHAR, '-') AS ${name}`)
    .join(", ")} FROM (SELECT ${from})`;
}

describe("a statement", () => {
  it.each<[string, StatementParameters, unknown[]]>([
    [
      "SELECT count(*)::INTEGER AS n FROM trials JOIN scores USING (trial_id) WHERE scorer_key = ?",
      ["acc"],
      [{ n: 3 }],
    ],
    ["SELECT $2 || $1 AS x", ["b", "a"], [{ x: "ab" }]],
    ["SELECT $b || $a AS x", { a: "b", b: "a" }, [{ x: "ab" }]],
    [
      "SELECT $a + 1 AS x, $f AS f, $t AS t, $n AS n",
      { a: 2n ** 40n, f: 0.5, t: true, n: null },
      [{ x: 2n ** 40n + 1n, f: 0.5, t: true, n: null }],
    ],
    [
      "SELECT '$1 ? ''x'' -- $2' AS x, \"trial_id\" FROM \"trials\" ORDER BY ALL LIMIT $1",
      [1],
      [{ x: "$1 ? 'x' -- $2", trial_id: "e1" }],
    ],
    [
      "WITH best AS (SELECT trial_id, max(numeric_value) AS m FROM scores GROUP BY 1) SELECT round(avg(m), 2) AS m FROM best",
      [],
      [{ m: 1.25 }],
    ],
    [
      "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 4) SELECT count(*)::INTEGER AS n FROM r, trials",
      [],
      [{ n: 12 }],
    ],
    [
      "(SELECT trial_id FROM trials) EXCEPT (SELECT 'e1') ORDER BY 1 DESC",
      [],
      [{ trial_id: "f1" }, { trial_id: "e2" }],
    ],
    [
      "SELECT row_number() OVER (ORDER BY trial_id DESC)::INTEGER AS i, trial_id FROM trials QUALIFY i = 2",
      [],
      [{ i: 2, trial_id: "e2" }],
    ],
    ["SELECT list_sum(list_transform(range(4), lambda x: x * x))::INTEGER AS n", [], [{ n: 14 }]],
    [
      "FROM (FROM scores PIVOT (max(numeric_value) FOR scorer_key IN ('acc') GROUP BY trial_id)) ORDER BY trial_id LIMIT 1",
      [],
      [{ trial_id: "e1", acc: 0.25 }],
    ],
    [
      "SELECT t.trial_id, s.n FROM trials AS t, LATERAL (SELECT count(*)::INTEGER AS n FROM scores WHERE trial_id = t.trial_id) AS s ORDER BY 1 LIMIT 1",
      [],
      [{ trial_id: "e1", n: 4 }],
    ],
    [
      "SELECT key FROM trials, json_each(output->'scores') WHERE trial_id = 'e2' ORDER BY key",
      [],
      [{ key: "acc" }, { key: "ok" }],
    ],
    ["SELECT t FROM (VALUES ('é\u{1F600}'), (NULL)) AS v(t)", [], [{ t: "é\u{1F600}" }, { t: null }]],
    ["TABLE evaluations LIMIT 0", [], []],
  ])("answers: %s", async (statement, params, expected) => {
    expect(await rows(statement, params)).toEqual(expected);
  });

  it.each<[string, StatementParameters, string]>([
    ["SELECT ?", [], "needs a value"],
    ["SELECT 1", [1], "no such parameter"],
    ["SELECT $a", { b: 1 }, "no such parameter"],
    ["SELECT $a, ?", { a: 1 }, "Mixing named and positional parameters"],
    ["SELECT ?", [Number.NaN], "must be null"],
    ["SELECT ?", [2n ** 64n], "must be null"],
    ["SELECT ?", ["\0"], "must be null"],
    ["SELECT nonsense FROM trials", [], 'Referenced column "nonsense" not found'],
    ["SELECT 'x'::INTEGER", [], "Could not convert"],
    ["SELECT * FROM trials WHERE", [], "syntax error at end of input"],
    ["SELECT 1 FROM trialz", [], "(at character 15)"],
    ["SELECT 1 FROM trialz", [], 'did you mean "trials"?'],
    ["SELECT getenv('x')", [], "(at character 8)"],
    [`SELECT ${"abs(".repeat(5000)}1${")".repeat(5000)}`, [], "memory exhausted"],
    [`SELECT ${"9".repeat(400)}`, [], "a number that is too large"],
  ])("is refused in clear words: %#", async (statement, params, message) => {
    const failed = engine.sql(PROJECT, statement, params);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.not.toThrow(/project_key|LINE \d/);
  });

  it("keeps the types and values of its constants", async () => {
    const constants =
      "1e3 AS a, 1.50 AS b, 5e-324 AS c, 1e300 * -1e0 AS d, 9007199254740993 AS e, 18446744073709551616 AS f, 'it''s' AS g, [1e0, 2] AS h, {'x': 1e1} AS i, TRUE AS j, NULL AS k, INTERVAL 1 DAY AS l, DATE '2026-01-01' AS m, 'x' || 1e2 AS n";
    const instance = await DuckDBInstance.create(":memory:");
    onTestFinished(() => instance.closeSync());
    const direct = await (await instance.connect()).runAndReadAll(types(constants));
    expect(await rows(types(constants))).toEqual(direct.getRowObjects());
  });

  it.each(hostileTexts.map((text, i): [number, string] => [i, text]))(
    "keeps a hostile text: %i",
    async (_i, text) => {
      const quoted = `'${text.replaceAll("'", "''")}'`;
      const name = `"${text.replaceAll('"', '""')}"`;
      const statement = `WITH ${name} AS (SELECT ${quoted} AS ${name}) SELECT ${name}, $a = ${quoted} AS same FROM ${name} WHERE ${name} = $a`;
      const table = await engine.sql(PROJECT, statement, { a: text });
      expect(table.numRows).toBe(1);
      expect(table.getChildAt(1)?.get(0)).toBe(true);
      expect(`\ufeff${String(table.getChildAt(0)?.get(0))}`.endsWith(text)).toBe(true);
    },
  );

  it("may not fill the memory with its result", async () => {
    const large = engine.sql(PROJECT, "SELECT i FROM range(10000000) AS t(i)", [], {
      maxResultBytes: 2 ** 22,
    });
    await expect(large).rejects.toMatchObject({ code: "result_too_large" });
  });

  it.each([
    "VARCHAR[]",
    "DECIMAL(9, 2)[][]",
    "VARCHAR[2]",
    "VARCHAR[][2]",
    "STRUCT(a VARCHAR[], b INTEGER)[]",
    "MAP(VARCHAR, BIGINT[])",
  ])("without a record keeps its column of type %s", async (type) => {
    const none = await engine.sql(PROJECT, `SELECT NULL::${type} AS v WHERE false`);
    const one = await engine.sql(PROJECT, `SELECT NULL::${type} AS v`);
    const read = tableFromIPC(tableToIPC(none));
    expect(read.numRows).toBe(0);
    expect(String(read.schema)).toBe(String(one.schema));
  });

  it("comes in batches, made as they are read", async () => {
    let count = 0;
    let batches = 0;
    for await (const batch of engine.sqlBatches(
      PROJECT,
      "SELECT i, 'text number ' || i AS t FROM range(200000) AS r(i)",
    )) {
      count += batch.numRows;
      batches++;
    }
    expect(count).toBe(200_000);
    expect(batches).toBeGreaterThan(2);
  });
});

it("knows of every function of DuckDB whether it is allowed", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const found = await connection.runAndReadAll("SELECT DISTINCT function_name FROM duckdb_functions()");
  const names = found.getRows().map(([name]) => String(name));
  const refused = readFileSync(
    new URL("../../sql/duckdb/views/functions-refused.txt", import.meta.url),
    "utf8",
  )
    .replaceAll(/^#.*$/gm, "")
    .split(/\s+/)
    .filter((name) => name !== "");
  const { rules, unbounded } = allowedFunctions();
  const allowed = new Set([...rules.keys(), ...unbounded]);
  expect(refused.filter((name) => allowed.has(name))).toEqual([]);
  expect([...allowed, ...refused].toSorted()).toEqual(names.toSorted());
});
