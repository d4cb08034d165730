import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest, type Explanation } from "../../src/index.ts";
import { goldenRequests } from "./requests.ts";
import { RECORDS } from "./records.ts";
import { PROJECT } from "../support/records.ts";
import { writeStatement } from "./write-statement.ts";

const GOLDEN = import.meta.dirname;
const UPDATE = process.env["UPDATE_GOLDEN"] !== undefined;

/** The statements that find the page and the sums, with their bound values, as they are written down. */
function written({ statements }: Explanation): string {
  const found = statements.filter(({ name }) => name === "page" || name === "summary");
  return found.map(writeStatement).join("\n");
}

let engine: Engine;

const requests = Object.entries(goldenRequests);

describe("the SQL of a request", () => {
  beforeAll(async () => {
    engine = await openEngine({ threads: 1 });
    await engine.ingestCalls(RECORDS);
    return () => engine.close();
  });

  it.each(requests)("%s is what is written down", async (name, request) => {
    const golden = path.join(GOLDEN, `${name}.sql`);
    const text = written(await engine.explain(PROJECT, request));
    if (UPDATE) writeFileSync(golden, text);
    expect(existsSync(golden), "run with UPDATE_GOLDEN=1 to write it").toBe(true);
    expect(text).toBe(readFileSync(golden, "utf8"));
  });

  it("is written down for no other requests", () => {
    const names = readdirSync(GOLDEN).filter((name) => name.endsWith(".sql"));
    expect(new Set(names)).toEqual(new Set(requests.map(([name]) => `${name}.sql`)));
  });

  it.each(requests)("%s comes from a plan that survives JSON, the same each time", async (_name, request) => {
    const explanation = await engine.explain(PROJECT, request);
    expect(JSON.parse(JSON.stringify(explanation.plan))).toEqual(explanation.plan);
    expect(await engine.explain(PROJECT, structuredClone(request))).toEqual(explanation);
  });

  it("is the same whatever came before, for the same records", async () => {
    const again = await openEngine({ threads: 2 });
    onTestFinished(() => again.close());
    await again.ingestCalls(RECORDS);
    for (const [, request] of requests) {
      expect(written(await again.explain(PROJECT, request))).toBe(
        written(await engine.explain(PROJECT, request)),
      );
    }
  });

  it("holds no value of the request: those are bound", async () => {
    const mark = "zq'7\"--";
    const request: EvalResultsRequest = {
      evaluation_call_ids: ["e", mark],
      limit: 7_654_321,
      offset: 7_654_322,
      include_summary: true,
      sort_by: [{ field: `inputs.${mark}` }, { field: `outputs.${mark}` }, { field: `scores.list.${mark}` }],
      filters: [
        {
          query: {
            $expr: {
              $and: [
                { $eq: [{ $getField: `inputs.${mark}` }, { $literal: mark }] },
                { $contains: { input: { $getField: "row_digest" }, substr: { $literal: mark } } },
                { $in: [{ $getField: "scores.acc" }, [{ $literal: 7_654_323.25 }, { $literal: mark }]] },
              ],
            },
          },
        },
      ],
    };
    const { statements } = await engine.explain(PROJECT, request);
    expect(statements.filter(({ sql }) => /zq|7"--|7654|7_654/.test(sql))).toEqual([]);
    const bound = statements.flatMap(({ params }) => params.map(({ value }) => String(value)));
    expect(bound.filter((value) => value.includes("zq")).length).toBeGreaterThanOrEqual(6);
    expect(bound).toEqual(expect.arrayContaining(["7654321", "7654322", "7654323.25"]));
  });
});
