import { describe, expect, it } from "vitest";
import { screenTable } from "../../src/cli/tables/screen-table.ts";
import { shellWord } from "../../src/model/messages.ts";

describe("a table", () => {
  const columns = [{ head: "Model" }, { head: "Trials", align: "right" as const }];
  const rows = [
    ["a", "1,319"],
    ["longer", ""],
  ];
  const view = { colour: false, width: null, most: null };

  it("aligns columns under a ruled head, without blanks at line ends", () => {
    expect(screenTable(columns, rows, view).split("\n")).toEqual([
      "Model   Trials",
      "──────  ──────",
      "a        1,319",
      "longer",
    ]);
  });

  it("holds escape codes only where colours are wanted", () => {
    expect(screenTable(columns, rows, view)).not.toContain("\u001b");
    expect(screenTable(columns, rows, { ...view, colour: true })).toContain("\u001b[1mModel\u001b[22m");
  });
});

describe("words of a shell", () => {
  it("are quoted where a shell would split or expand", () => {
    expect(shellWord("runs/demo.duckdb")).toBe("runs/demo.duckdb");
    expect(shellWord("my $file's.duckdb")).toBe(String.raw`'my $file'\''s.duckdb'`);
  });
});
