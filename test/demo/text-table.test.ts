import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/model/messages.ts";
import { percent, textTable } from "../../src/text/text-table.ts";

describe("a text table", () => {
  const columns = [{ head: "Model" }, { head: "Trials", align: "right" as const }];
  const rows = [
    ["a", "1,319"],
    ["longer", ""],
  ];

  it("aligns columns under a ruled head, without blanks at line ends", () => {
    expect(textTable(columns, rows).split("\n")).toEqual([
      "Model   Trials",
      "──────  ──────",
      "a        1,319",
      "longer",
    ]);
  });

  it("holds escape codes only where colours are wanted", () => {
    expect(textTable(columns, rows)).not.toContain("\u001b");
    expect(textTable(columns, rows, true)).toContain("\u001b[1mModel\u001b[22m");
  });
});

describe("numbers and words", () => {
  it("write shares in percent and what does not exist as a dash", () => {
    expect([percent(0.96664), percent(0.42, 1), percent(null), percent(undefined)]).toEqual([
      "96.66 %",
      "42.0 %",
      "–",
      "–",
    ]);
  });

  it("quote what a shell would split or expand", () => {
    expect(shellWord("runs/demo.duckdb")).toBe("runs/demo.duckdb");
    expect(shellWord("my $file's.duckdb")).toBe(String.raw`'my $file'\''s.duckdb'`);
  });
});
