import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchPath } from "../support/scratch.ts";

/** What is refused with strict limits, why, and what it answers to its owner. */
const COSTLY: readonly (readonly [statement: string, said: string, answer: unknown])[] = [
  [
    `SELECT count(*)::INTEGER FROM trials AS t JOIN calls AS c ON c.id = t.trial_id
      WHERE c.id NOT LIKE '%' || (t.model_output ->> '$') || '%'`,
    "a pattern that is not constant",
    2,
  ],
  ["SELECT len(repeat('ab', 5000))::INTEGER", "the function repeat", 10_000],
  ["SELECT len(range(100000))::INTEGER", "a count that is not constant or is too large", 100_000],
  ["SELECT levenshtein('kitten', 'sitting')::INTEGER", "the function levenshtein", 3],
  ["SELECT list_reduce([1, 2, 3], lambda a, b: a + b)::INTEGER", "the function list_reduce", 6],
  ["SELECT list_cosine_similarity([1.0, 0.0], [2.0, 0.0])", "the function list_cosine_similarity", 1],
  ["SELECT len(rpad('x', 5000, 'y'))::INTEGER", "a count that is not constant or is too large", 5000],
  ["SELECT array_to_string(list(i), ',') FROM range(3) AS t(i)", "any number of records", "0,1,2"],
  ["SELECT len(list_aggregate(list(i), 'string_agg', ','))::INTEGER FROM range(3) AS t(i)", "any number", 5],
  ["SELECT count(*)::INTEGER FROM range(9) USING SAMPLE 1000000 ROWS", "records in a sample", 9],
  [`SELECT (1 IN (${Array.from({ length: 2000 }, (_, i) => i).join()}))::INTEGER`, "items in one list", 1],
  [`SELECT len('${"x".repeat(2 ** 17)}')::INTEGER`, "65,536 characters", 2 ** 17],
  [`SELECT 1 ${"/**/".repeat(200)}`, "more than 100 comments", 1],
  [`SELECT list_sum([${"1,".repeat(6000)}1])::INTEGER`, "too many parts", 6001],
  [
    "WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r WHERE len(s) < 8) SELECT max(len(s))::INTEGER FROM r",
    "become longer with each step",
    8,
  ],
];

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root(),
    ...["in t1", "t2", "no"].map((text, i) =>
      trial(`t${i + 1}`, { q: i }, {}, { output: { output: text, scores: {} } }),
    ),
  ]);
});
afterAll(() => engine.close());

describe("a costly statement", () => {
  it.each(
    COSTLY.map(([statement, said, answer]) => [statement.slice(0, 70), { statement, said, answer }] as const),
  )(
    "runs for its owner, and is refused with strict limits: %s",
    async (_start, { statement, said, answer }) => {
      const table = await engine.sql<object>(PROJECT, statement);
      expect(table.toArray().flatMap((row) => Object.values(row.toJSON()))).toEqual([answer]);
      const error = await refusal(engine.sql(PROJECT, statement, [], { limits: "strict" }));
      expect(error.message).toContain(said);
    },
  );

  it("is refused with strict limits in batches and as a file, too", async () => {
    const [statement, said] = ["SELECT repeat('x', 9)", "the function repeat"];
    const batches = engine.sqlBatches(PROJECT, statement, [], { limits: "strict" });
    expect((await refusal(batches.next())).message).toContain(said);
    const path = scratchPath("strict.csv");
    const target = { format: "csv", path, limits: "strict" } as const;
    expect((await refusal(engine.exportSql(PROJECT, statement, [], target))).message).toContain(said);
    const own = { format: "csv", path } as const;
    expect(await engine.exportSql(PROJECT, statement, [], own)).toMatchObject({ records: 1 });
  });
});

it("limits that are not known are refused", async () => {
  const options = { limits: "loose" } as unknown as { limits: "strict" };
  const error = await refusal(engine.sql(PROJECT, "SELECT 1", [], options));
  expect(error.message).toMatch(/limits.*"strict"/);
});
