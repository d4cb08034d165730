import { join } from "node:path";
import { expect, it } from "vitest";
import { VIEWS } from "../../src/duckdb/views/views.ts";
import { readPage, ROOT } from "./pages.ts";
import { withViews } from "./view-columns.ts";

it("docs/sql.md has the views and columns that are listed; -u writes them", async () => {
  const page = "docs/sql.md";
  await expect(withViews(readPage(page), VIEWS)).toMatchFileSnapshot(join(ROOT, page));
});

it("a column more, and a view more, are missed on the page", () => {
  const text = readPage("docs/sql.md");
  const { tables } = VIEWS;
  const wider = { ...tables, columns: { ...tables.columns, planted: ["JSON", "1", "planted"] as const } };
  expect(withViews(text, { ...VIEWS, tables: wider })).not.toBe(text);
  expect(withViews(text, { ...VIEWS, steps: tables })).not.toBe(text);
});
