import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, RequestError, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { untilWorking } from "../support/until.ts";
import { escapes } from "./escapes.ts";

const SECRET = "the text of another project";
const OTHER = { project_id: "acme/other", parent_id: "other" };

let engine: Engine;
let before: string;

beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  await engine.ingestCalls([
    root(),
    ...Array.from({ length: 40 }, (_, i) => trial(`t${i}`, { q: i }, { n: i, digits: String(i) })),
    root("other", { project_id: "acme/other", display_name: SECRET }),
    ...Array.from({ length: 40 }, (_, i) =>
      trial(
        `o${i}`,
        { q: i, text: SECRET },
        { n: i, digits: SECRET, hidden: SECRET },
        { ...OTHER, exception: SECRET },
      ),
    ),
  ]);
  await engine.feedback.create(
    {
      project_id: "acme/other",
      svc_ref: "svc:///acme/other/call/o1",
      feedback_type: "remark",
      payload: { text: SECRET },
    },
    { userId: "ann" },
  );
  before = await engine.queryEvalResultsJson(PROJECT, { evaluation_call_ids: ["e"], include_summary: true });
});
afterAll(() => engine.close());

async function fault(statement: string): Promise<unknown> {
  try {
    return (await engine.sql(PROJECT, statement)).toArray();
  } catch (error) {
    return error;
  }
}

describe("a statement", () => {
  it("is one of more than two hundred attempts", () => expect(escapes.length).toBeGreaterThan(200));

  it.each(escapes)("may not run: %s", async (statement) => {
    const error = await fault(statement);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ path: ["statement"] });
    expect(String(error)).not.toContain(SECRET);
    expect(String(error)).not.toMatch(/project_key|main\./);
  });

  it("has changed nothing by all that", async () => {
    const after = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: ["e"],
      include_summary: true,
    });
    expect(after).toBe(before);
  });
});

describe("records of another project", () => {
  it.each([
    ["evaluations", "display_name"],
    ["rows", "value"],
    ["trials", "output"],
    ["trials", "trial_id"],
    ["scores", "text_value"],
    ["scores", "scorer_key"],
    ["calls", "record"],
    ["calls", "exception"],
    ["feedback", "payload"],
  ])("are not in the view %s, nor do casts and conditions see its %s", async (view, column) => {
    const all = await engine.sql(PROJECT, `SELECT * FROM ${view}`);
    expect(
      JSON.stringify(all.toArray(), (_name, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      ),
    ).not.toContain(SECRET);
    for (const probe of [
      `SELECT count(*) FROM ${view} WHERE ${column}::VARCHAR LIKE '%another project%'`,
      `SELECT count(*) FROM ${view} WHERE CASE WHEN ${column}::VARCHAR LIKE '%another%' THEN ${column}::VARCHAR::INTEGER > 0 ELSE false END`,
      `SELECT count(*) FROM ${view} AS a JOIN ${view} AS b ON CASE WHEN a.${column}::VARCHAR LIKE '%another%' THEN a.${column}::VARCHAR::INTEGER END = 1`,
      `SELECT count(*) FROM (SELECT max(CASE WHEN ${column}::VARCHAR LIKE '%another%' THEN ${column}::VARCHAR::DATE END) AS d FROM ${view} GROUP BY ALL) WHERE d IS NOT NULL`,
    ]) {
      const [counted] = (await engine.sql(PROJECT, probe)).toArray() as { toJSON: () => object }[];
      expect(Object.values(counted?.toJSON() ?? {}), probe).toEqual([0n]);
    }
  });

  it("are not told of by errors", async () => {
    const digits = await engine.sql(
      PROJECT,
      "SELECT sum(text_value::INTEGER)::BIGINT AS s FROM scores WHERE scorer_key = 'digits'",
    );
    expect(digits.getChildAt(0)?.get(0)).toBe(780n);
    const cast = await engine.sql(
      PROJECT,
      "SELECT count(*) AS n FROM scores WHERE value_type = 'text' AND text_value::INTEGER >= 0",
    );
    expect(cast.getChildAt(0)?.get(0)).toBe(40n);
    const own = await fault("SELECT output::VARCHAR::INTEGER FROM trials");
    expect(String(own)).toContain("Could not convert");
  });

  it("are not seen through a project of a similar name", async () => {
    for (const project of ["acme/othe", "acme/other ", "ACME/OTHER", "%/%", "acme/other' OR '1'='1"]) {
      for (const view of ["trials", "scores", "calls", "feedback", "rows", "evaluations"]) {
        expect((await engine.sql(project, `FROM ${view}`)).numRows, `${project} ${view}`).toBe(0);
      }
    }
    await expect(engine.sql("acme/other\0", "FROM trials")).rejects.toThrow("ENTITY/PROJECT");
  });
});

describe("a statement that fails", () => {
  it.each([0, 5_000, 300_000, 2_900_000])(
    "at record %i has no result, and not the part before",
    async (at) => {
      const numbers = `SELECT CAST(CASE WHEN i = ${at} THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(3000000) AS t(i)`;
      await expect(engine.sql(PROJECT, numbers)).rejects.toBeInstanceOf(RequestError);
      expect((await engine.sql(PROJECT, "SELECT 1")).numRows).toBe(1);
    },
  );
});

describe("a statement that does not end", () => {
  it.each([
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r",
    "SELECT count(*) FROM range(1000000000) AS a(i), range(1000000000) AS b(j) WHERE i + j < 0",
  ])("is stopped after its time: %s", async (statement) => {
    // Whatever the limit is, the statement takes longer; so much is left for it to begin.
    const endless = engine.sql(PROJECT, statement, [], { timeLimitSeconds: 0.3 });
    await expect(endless).rejects.toMatchObject({ code: "time_limit" });
    expect((await engine.sql(PROJECT, "SELECT 1")).numRows).toBe(1);
  });

  it("is stopped by its signal, and when its reader leaves", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const silent =
      "SELECT count(*) FROM range(1000000000) AS a(i), range(1000000000) AS b(j) WHERE i + j < 0";
    const stopped = engine.sql(PROJECT, silent, [], { signal }).catch((error: unknown) => error);
    await untilWorking("DuckDB runs the statement");
    controller.abort(new Error("enough"));
    expect(await stopped).toMatchObject({ message: "enough" });
    const endless = "SELECT i FROM range(100000000000) AS t(i)";
    for await (const batch of engine.sqlBatches(PROJECT, endless)) {
      expect(batch.numRows).toBeGreaterThan(0);
      break;
    }
    expect((await engine.sql(PROJECT, "SELECT 1")).numRows).toBe(1);
  });
});
