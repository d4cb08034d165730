import { expect, it } from "vitest";
import { z } from "zod";
import { comparisonSchema } from "../../src/http/routes/results/compare-reply.ts";
import { historySchema } from "../../src/http/routes/results/history-reply.ts";
import { leaderboardSchema } from "../../src/http/routes/results/leaderboard-reply.ts";
import { evalResultsSchema } from "../../src/http/routes/results/query-reply.ts";
import { STATISTICS } from "../../src/respond/summary/statistics.ts";
import { codesIn, PAGES, readPage } from "./pages.ts";

/** The names of all members of an answer, at any depth. */
function membersOf(schema: z.ZodType): Set<string> {
  const members = new Set<string>();
  JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any" }), (name, value: unknown) => {
    if (name === "properties") for (const member of Object.keys(value as object)) members.add(member);
    return value;
  });
  return members;
}

/** The words that sentences and tables of a page have as code. */
function wordsIn(page: string): string[] {
  const prose = readPage(page).replaceAll(/^```.*?^```/gms, "");
  return codesIn(prose).flatMap((code) => code.match(/\w+/g) ?? []);
}

it("docs/statistics.md explains every statistic over rows", () => {
  const explained = new Set(wordsIn("docs/statistics.md"));
  expect(Object.keys(STATISTICS).filter((name) => !explained.has(name))).toEqual([]);
});

it.each([
  ["comparison", comparisonSchema],
  ["leaderboard", leaderboardSchema],
  ["history", historySchema],
  ["query", evalResultsSchema],
])("a page explains every member of a %s", (_name, schema) => {
  const explained = new Set(PAGES.flatMap(wordsIn));
  expect([...membersOf(schema)].filter((name) => !explained.has(name))).toEqual([]);
});
