import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEngine, type Engine } from "../../src/index.ts";
import { evalResultsRequest } from "../../src/request/wire.ts";
import { codesIn, readPage, ROOT, tableWith } from "./pages.ts";

const text = readPage("docs/requests.md");
const members = tableWith(text, ["member", "example", "rows"]);
const filters = tableWith(text, ["filter member", "example", "rows"]);
const operators = tableWith(text, ["operator", "example", "rows"]);
const moves = tableWith(text, ["move member", "example", "rows"]);
const gaps = tableWith(text, ["missing member", "example", "rows"]);
const sorts = tableWith(text, ["sort member", "example", "rows"]);

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls(join(ROOT, "docs/examples/calls.ndjson"));
});
afterAll(() => engine.close());

/** The names of the rows that a request gives. */
async function namesOf(request: object): Promise<string[]> {
  const { rows } = await engine.queryEvalResults("acme/qa", {
    evaluation_call_ids: ["baseline", "candidate"],
    ...request,
    include_raw_data_rows: true,
  });
  return rows.map(({ raw_data_row: row }) => (row as { name: string }).name);
}

function exampleIn(cell: string): object {
  return JSON.parse(codesIn(cell)[0] ?? "") as object;
}

/** Property names of a schema at any depth that `fits`. */
function propertiesOf(schema: unknown, fits: (name: string) => boolean): Set<string> {
  const found = new Set<string>();
  JSON.stringify(schema, (name, value: unknown) => {
    if (name === "properties") for (const one of Object.keys(value as object)) if (fits(one)) found.add(one);
    return value;
  });
  return found;
}

function firstCodes(table: readonly string[][]): Set<string> {
  return new Set(table.map(([cell = ""]) => codesIn(cell)[0] ?? ""));
}

describe("docs/requests.md", () => {
  it("has an example of every member and operator", () => {
    const schema = z.toJSONSchema(evalResultsRequest, { io: "input", unrepresentable: "any" });
    expect(firstCodes(members)).toEqual(new Set(Object.keys(evalResultsRequest.shape)));
    expect(firstCodes(operators)).toEqual(
      propertiesOf(schema, (name) => name.startsWith("$") && name !== "$expr"),
    );
    expect(firstCodes(filters)).toEqual(new Set(["query", "evaluation_call_id", "quantifier"]));
    expect(firstCodes(moves)).toEqual(new Set(["field", "baseline", "direction"]));
    expect(firstCodes(gaps)).toEqual(new Set(["field"]));
    expect(firstCodes(sorts)).toEqual(new Set(["field", "direction", "evaluation_call_id", "mode"]));
  });

  it.each(members)("has an example of %s %s", async (member, cell, rows) => {
    const example = exampleIn(cell ?? "");
    expect(example).toHaveProperty(codesIn(member ?? "")[0] ?? "");
    const names = await namesOf(example);
    expect("sort_by" in example ? names : names.toSorted()).toEqual(rows?.split(" ").filter(Boolean));
  });

  it.each(filters)("has an example of %s %s", async (_, cell, rows) => {
    expect((await namesOf({ filters: [exampleIn(cell ?? "")] })).toSorted().join(" ")).toBe(rows);
  });

  it.each(operators)("has an example of %s %s", async (_, cell, rows) => {
    const filter = { query: { $expr: exampleIn(cell ?? "") } };
    expect((await namesOf({ filters: [filter] })).toSorted().join(" ")).toBe(rows);
  });

  it.each(moves)("has an example of %s %s", async (_, cell, rows) => {
    expect((await namesOf({ moved: exampleIn(cell ?? "") })).toSorted().join(" ")).toBe(rows);
  });

  it.each(gaps)("has an example of %s %s", async (_, cell, rows) => {
    expect((await namesOf({ missing: exampleIn(cell ?? "") })).toSorted().join(" ")).toBe(rows);
  });

  it.each(sorts)("has an example of %s %s", async (_, cell, rows) => {
    expect((await namesOf({ sort_by: [exampleIn(cell ?? "")] })).join(" ")).toBe(rows);
  });
});
