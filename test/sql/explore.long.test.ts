import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, RequestError, type Engine } from "../../src/index.ts";
import { VIEW_NAMES } from "../../src/duckdb/views/views.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  const other = { project_id: "acme/other", parent_id: "other" };
  await engine.ingestCalls([
    root("e", { display_name: "first", inputs: { model: "m" } }),
    root("f"),
    trial("e1", { q: 1 }, { acc: 0.25, ok: true, judge: { tone: "calm", deep: { er: 2 } }, mixed: true }),
    trial("e2", { q: 2 }, { acc: 0.75, ok: false, nothing: null, mixed: 4 }),
    trial(
      "f1",
      { q: 1 },
      { acc: 1, "a.b": 1, a: { b: 2 }, ACC: "big", '"quoted"; --': 3 },
      { parent_id: "f" },
    ),
    trial("f2", { q: 3 }, {}, { parent_id: "f", output: { model_output: "plain", scores: { ok: true } } }),
    call("late", { parent_id: "e2", op_name: "late.score", attributes: { svc: { score: true } }, output: 5 }),
    call("failed", { op_name: "tool", exception: "it broke", ended_at: "2026-01-01T00:00:01.5+02:00" }),
    root("other", { project_id: "acme/other" }),
    trial("o1", { q: 1, text: "theirs" }, { acc: 9, theirs: 1, ok: true }, other),
  ]);
});
afterAll(() => engine.close());

async function rows(statement: string): Promise<unknown[]> {
  return (await engine.sql<object>(PROJECT, statement)).toArray().map((record) => record.toJSON());
}

const WIDE = "SELECT * FROM results ORDER BY trial_id";

describe("results", () => {
  it("have the columns and values of the table of all evaluations", async () => {
    const table = await engine.queryTable<Record<string, unknown>>(PROJECT, {
      evaluation_call_ids: ["e", "f"],
    });
    const scores = table.schema.fields.map(({ name }) => name).filter((name) => name.startsWith("scores."));
    expect(scores).toEqual(expect.arrayContaining(["scores.a\\.b", "scores.a.b", "scores.judge.deep.er"]));
    const list = [...scores, "model_output"].map((name) => `"${name.replaceAll('"', '""')}"`);
    const found = await rows(`SELECT trial_id, ${list.join(", ")} FROM results ORDER BY trial_id`);
    const expected = table
      .toArray()
      .map((record) => record.toJSON())
      .toSorted((a, b) =>
        String(a["predict_and_score_call_id"]).localeCompare(String(b["predict_and_score_call_id"])),
      )
      .map((record) => ({
        trial_id: record["predict_and_score_call_id"],
        ...Object.fromEntries([...scores, "model_output"].map((name) => [name, record[name]])),
      }));
    expect(found).toEqual(expected);
    const [first] = (await rows(WIDE)) as readonly object[];
    expect(Object.keys(first ?? {}).filter((name) => name.startsWith("scores."))).toEqual(scores);
  });

  it("have the same values one by one as all together", async () => {
    const [first] = (await rows(WIDE)) as readonly object[];
    for (const name of Object.keys(first ?? {})) {
      const column = `"${name.replaceAll('"', '""')}"`;
      const alone = await rows(`SELECT ${column} FROM results ORDER BY ALL`);
      expect(alone, name).toEqual(await rows(`SELECT ${column} FROM (${WIDE}) ORDER BY ALL`));
    }
  });

  it("are empty, with the columns of trials, in a project without scores", async () => {
    const { schema, numRows } = await engine.sql("acme/none", "FROM results");
    expect(numRows).toBe(0);
    expect(schema.fields.map(({ name }) => name)).toContain("row_value");
  });

  it("follow a later load", async () => {
    const own = await openEngine();
    await own.ingestCalls([root(), trial("t1", { q: 1 }, { first: 1 })]);
    await own.sql(PROJECT, "FROM results");
    await own.ingestCalls([trial("t2", { q: 1 }, { second: true })]);
    const table = await own.sql<{ n: bigint }>(PROJECT, 'SELECT count("scores.second") AS n FROM results');
    expect(table.get(0)?.n).toBe(1n);
    await own.close();
  });
});

describe("a view of which a statement names some columns", () => {
  it.each(VIEW_NAMES)("has the same in them: %s", async (view) => {
    const { schema } = await engine.sql(PROJECT, `FROM ${view}`);
    for (const { name } of schema.fields) {
      const column = `"${name.replaceAll('"', '""')}"`;
      const alone = await rows(`SELECT ${column} AS value FROM ${view} ORDER BY ALL`);
      const among = await rows(`SELECT ${column} AS value FROM (SELECT * FROM ${view}) ORDER BY ALL`);
      expect(alone, name).toEqual(among);
    }
  });

  it.each([
    ["a record", "SELECT s FROM scores AS s LIMIT 1"],
    ["a record by its name", "SELECT scores FROM scores LIMIT 1"],
    ["columns by their names' pattern", "SELECT columns('r.w_.*') FROM scores LIMIT 1"],
    ["columns by position", "SELECT #3 FROM scores LIMIT 1"],
    ["columns that are renamed", "SELECT b, c FROM scores AS s(a, b, c) LIMIT 1"],
    ["columns in common", "SELECT count(*) FROM scores NATURAL JOIN trials"],
    ["columns of a subquery", "SELECT row_digest FROM (FROM scores) LIMIT 1"],
    ["columns to order by", "SELECT trial_id FROM scores ORDER BY columns('p.th'), trial_id LIMIT 1"],
    [
      "all other columns to order by",
      "SELECT trial_id FROM scores ORDER BY * EXCLUDE (trial_id, path) LIMIT 1",
    ],
  ])("has them all where the statement takes %s", async (_name, statement) => {
    expect(await rows(statement)).toEqual(
      await rows(
        statement.replace("FROM scores", "FROM (FROM scores) AS scores").replace("AS scores AS s", "AS s"),
      ),
    );
  });
});

it("reads no scores for a statement that names none, also where it orders by all that it selects", async () => {
  const others = Array.from({ length: 11 }, (_, i) => `JOIN results AS r${i} USING (trial_id)`).join(" ");
  const [first] = await rows(`SELECT r.trial_id FROM results AS r ${others} ORDER BY ALL`);
  expect(first).toEqual({ trial_id: "e1" });
});

it("knows the evaluation and the row of a score, also where scores are joined to trials", async () => {
  expect(
    await rows("SELECT DISTINCT trial_id, evaluation_call_id, row_digest FROM scores ORDER BY ALL"),
  ).toEqual(await rows("SELECT trial_id, evaluation_call_id, row_digest FROM trials ORDER BY ALL"));
  const counts = "SELECT evaluation_call_id, row_digest, count(*)::int AS n FROM";
  expect(await rows(`${counts} trials JOIN scores USING (trial_id) GROUP BY ALL ORDER BY ALL`)).toEqual(
    await rows(`${counts} scores GROUP BY ALL ORDER BY ALL`),
  );
  expect(
    await rows(`${counts} trials JOIN scores AS a USING (trial_id) JOIN scores AS b USING (trial_id)
      WHERE a.scorer_key = 'acc' AND b.scorer_key = 'ok' GROUP BY ALL ORDER BY ALL`),
  ).toHaveLength(2);
});

it("has the members of calls in columns, of old records and of new", async () => {
  expect(
    await rows(`SELECT op_name, parent_id, exception, started_at::VARCHAR AS s, ended_at::VARCHAR AS e
      FROM calls WHERE exception IS NOT NULL`),
  ).toEqual([
    {
      op_name: "tool",
      parent_id: null,
      exception: "it broke",
      s: "2026-01-01 00:00:00+00",
      e: "2025-12-31 22:00:01.5+00",
    },
  ]);
});

function pivot(on: string): Promise<unknown[]> {
  return rows(`PIVOT scores ON ${on} USING count(*)::int GROUP BY evaluation_call_id ORDER BY 1`);
}

describe("exploring", () => {
  it.each(["SHOW TABLES", "SHOW ALL TABLES", "DESCRIBE", "FROM (SHOW TABLES)"])(
    "lists the views: %s",
    async (list) => {
      expect(await rows(list)).toEqual(VIEW_NAMES.toSorted().map((name) => ({ name })));
    },
  );

  it("describes a view, and a statement", async () => {
    const of = (described: string) => rows(`SELECT column_name, column_type FROM (${described})`);
    expect(await of("DESCRIBE scores")).toContainEqual({
      column_name: "numeric_value",
      column_type: "DOUBLE",
    });
    expect(await of("DESCRIBE results")).toContainEqual({ column_name: "scores.ok", column_type: "BOOLEAN" });
    expect(await of("DESCRIBE SELECT 1::BIGINT AS n FROM calls")).toEqual([
      { column_name: "n", column_type: "BIGINT" },
    ]);
    expect(await rows("DESCRIBE trials")).toEqual(await rows("SHOW trials"));
  });

  it("summarizes what the project has, and nothing of another", async () => {
    const found = await rows("SELECT column_name, min, max, count::int AS n FROM (SUMMARIZE results)");
    expect(found).toContainEqual({ column_name: "scores.acc (2)", min: "0.25", max: "1.0", n: 4 });
    expect(JSON.stringify(found)).not.toContain("theirs");
    const calls = await rows("SELECT column_name, max FROM (SUMMARIZE calls)");
    expect(JSON.stringify(calls)).not.toContain("theirs");
  });

  it("pivots by values that the statement lists, and says so of others", async () => {
    expect(await pivot("scorer_key IN ('acc', 'ok')")).toEqual([
      { evaluation_call_id: "e", acc: 2, ok: 2 },
      { evaluation_call_id: "f", acc: 1, ok: 1 },
    ]);
    await expect(pivot("scorer_key")).rejects.toThrow("a PIVOT lists its values");
  });

  it("summarizes many columns, with strict limits no more than it can plan", async () => {
    const list = Array.from({ length: 90 }, (_, i) => `numeric_value + ${i} AS n${i}`).join(", ");
    const statement = `SUMMARIZE SELECT ${list} FROM scores`;
    expect(await rows(statement)).toHaveLength(90);
    await expect(engine.sql(PROJECT, statement, [], { limits: "strict" })).rejects.toThrow(RequestError);
  });

  it("reads a few dimensions by themselves and many in one pass, with the same values", async () => {
    const own = await openEngine();
    const scores = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`s${i}`, i % 2 === 0 ? i : i % 3 === 0]),
    );
    await own.ingestCalls([
      root(),
      trial("t1", { q: 1 }, scores),
      trial("t2", { q: 2 }, { s1: "text", s2: 7 }),
    ]);
    const read = async (names: readonly string[]) => {
      const list = names.map((name) => `"scores.${name}"`).join(", ");
      const table = await own.sql<object>(PROJECT, `SELECT ${list} FROM results ORDER BY trial_id`);
      return table.toArray().map((record) => record.toJSON());
    };
    const names = Object.keys(scores);
    const all = await read(names);
    const apart = await Promise.all(names.map((name) => read([name])));
    for (const [i, record] of all.entries())
      expect(Object.assign({}, ...apart.map((one) => one[i]))).toEqual(record);
    await own.close();
  });
});
