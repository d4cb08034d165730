import { beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const ROWS = 300;
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const trials = Array.from({ length: ROWS }, (_, i) =>
    trial(`t${i}`, { q: i }, { acc: i / 7, ok: i % 3 === 0 }, { parent_id: "e" }),
  );
  const again = trial("again", { q: 1 }, { acc: 1, ok: true }, { parent_id: "f" });
  await engine.ingestCalls([root("e"), root("f"), ...trials, again, { ...again, id: "twice" }]);
  return () => engine.close();
});

const CATALOG = ["project", "score paths", "project facts", "evaluations"];
const names = async (request: object) => {
  const { statements } = await engine.explain(PROJECT, { evaluation_call_ids: ["e"], ...request });
  return statements.map(({ name }) => name);
};

it("tells every statement of a request by name, in the order in which they run", async () => {
  expect(await names({})).toEqual([...CATALOG, "page", "trials"]);
  expect(await names({ offset: ROWS, limit: 1 })).toEqual([...CATALOG, "page", "row count"]);
  expect(await names({ include_raw_data_rows: true, limit: 1 })).toEqual([
    ...CATALOG,
    "page",
    "trials",
    "dataset rows",
  ]);
  expect(
    await names({ derived_scores: { twice: "2 * acc" }, include_rows: false, include_summary: true }),
  ).toEqual([...CATALOG, "value kinds", "virtual ranges", "first kind", "summary"]);
});

it("tells the statements that depend on what others found", async () => {
  const asked = { include_rows: false, include_summary: true, include_uncertainty: true };
  expect(await names(asked)).toEqual([
    ...CATALOG,
    "repeated trials",
    "summary",
    "number sample",
    "row moments",
    "unscored trials",
  ]);
  const repeated = await names({ ...asked, evaluation_call_ids: ["f"] });
  expect(repeated).toEqual([
    ...CATALOG,
    "repeated trials",
    "trials per row",
    "summary",
    "row tallies",
    "row moments",
    "zero ones",
    "row tallies",
    "unscored trials",
  ]);
});

it("tells the same again, and what a page asks for each of its pieces once", async () => {
  const request = { evaluation_call_ids: ["e", "f"] };
  const first = await engine.explain(PROJECT, request);
  expect(first.statements.filter(({ name }) => name === "trials")).toHaveLength(1);
  expect(await engine.explain(PROJECT, request)).toEqual(first);
});
