import { PassThrough } from "node:stream";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { screenTable, tableView } from "../../src/cli/tables/screen-table.ts";
import { shortenedText, textWidth } from "../../src/text/text-width.ts";
import { oneLine } from "../../src/model/plain-line.ts";

const EVERYTHING = { colour: false, width: null, most: null };
const columns = [
  { head: "id", whole: true },
  { head: "question" },
  { head: "a score with a long name", align: "right" as const, named: true },
  { head: "answer" },
];

function lines(rows: readonly string[][], width: number | null, most: number | null = null): string[] {
  return screenTable(columns, rows, { colour: false, width, most }).split("\n");
}

const record = ["0123456789", "why is the sky blue?", "0.123456", "because"];

describe("a table on a terminal", () => {
  it("is as wide as its texts where there is room", () => {
    expect(lines([record], 120)).toEqual([
      "id          question              a score with a long name  answer",
      "──────────  ────────────────────  ────────────────────────  ───────",
      "0123456789  why is the sky blue?                  0.123456  because",
    ]);
  });

  it("shortens texts and heads that are names to the width, the widest first, and neither numbers nor ids", () => {
    expect(lines([record], 50)).toEqual([
      "id          question       a sc…ong name  answer",
      "──────────  ─────────────  ─────────────  ───────",
      "0123456789  why is the s…       0.123456  because",
      "",
      "Some texts are shortened; append | less -S to see",
      "  all.",
    ]);
  });

  it("leaves out columns from the right where that is not enough, and never the first", () => {
    expect(lines([record], 24).slice(2)).toEqual([
      "0123456789  why is the …",
      "",
      "Left out at 24 columns:",
      "  a score with a long",
      "  name, answer. --format",
      "  json has all.",
    ]);
    expect(lines([record], 5)[2]).toBe("0123…");
  });

  it("leaves out an id that has no room, and shows what there is room for beside it", () => {
    const named = [
      { head: "id", whole: true },
      { head: "name", telling: 2 },
      { head: "status", telling: 1 },
    ];
    const view = { colour: false, width: 24, most: null };
    const shown = screenTable(named, [["0123456789abcdefghij", "sums", "finished"]], view);
    expect(shown.split("\n").slice(2)).toEqual([
      "sums  finished",
      "",
      "Left out at 24 columns:",
      "  id. --format json has",
      "  all.",
    ]);
  });

  it("shortens labels before what tells them apart", () => {
    const named = [{ head: "evaluation", labels: true }, ...columns.slice(1)];
    const labels = [
      "日本語のとても長い名前 (12:04)",
      "support of today (2026-07-01)",
      "plain but long (one)",
    ];
    const rows = labels.map((label) => [label, "why?", "0.5", "because"]);
    const shown = screenTable(named, rows, { colour: false, width: 40, most: null }).split("\n");
    expect(shown.slice(2, 5).map((line) => line.split("  ")[0])).toEqual([
      "日…い名前 (12:04)",
      "s…ay (2026-07-01)",
      "pla…ut long (one)",
    ]);
    for (const line of shown.slice(0, 5)) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });

  it("leaves out the columns that tell least first", () => {
    const compared = [{ head: "id" }, { head: "a" }, { head: "verdict", telling: 1 }];
    const view = { colour: false, width: 24, most: null };
    expect(
      screenTable(compared, [["0123456789", "0123456789", "improved"]], view)
        .split("\n")
        .slice(2),
    ).toEqual(["0123456789  improved", "", "Left out at 24 columns:", "  a. --format json has", "  all."]);
  });

  it("has so many records at most, and says how many there are", () => {
    const shown = lines(
      Array.from({ length: 1500 }, () => record),
      120,
      200,
    );
    expect(shown).toHaveLength(2 + 200 + 2);
    expect(shown.at(-1)).toBe("Shown: 200 of 1,500 records; append | less -S to see all.");
  });

  it("never exceeds the width, whatever the texts", () => {
    const texts = [
      "日本語のとても長いテキスト",
      "👩‍👩‍👧‍👦👍🏽❤️ emoji",
      "नमस्ते दुनिया, ก็ดี",
      "e\u0301a\u0308 plain",
      "",
    ];
    const rows = texts.map((text) => [text.slice(0, 2), text + text, "1", text]);
    for (let width = 24; width < 90; width++)
      for (const line of lines(rows, width, 3).slice(0, 5))
        expect(textWidth(line), `${width}: ${line}`).toBeLessThanOrEqual(width);
  });

  it("takes 80 cells where the terminal does not tell its width; pipes get everything", () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    expect(tableView(terminal)).toMatchObject({ width: 80, most: 200 });
    expect(tableView(Object.assign(terminal, { columns: 132 }))).toMatchObject({ width: 132 });
    expect(tableView(new PassThrough())).toEqual(EVERYTHING);
  });
});

describe("a table in a pipe", () => {
  it("has all records, in time that grows with their number", () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => [String(i), `row ${i} ✓`, "1", "x"]);
    const shown = screenTable(columns, rows, EVERYTHING).split("\n");
    expect(shown).toHaveLength(50_002);
    expect(shown.at(-1)).toMatch(/^49999 {2}row 49999 ✓ +1 {2}x$/);
  }, 10_000);
});

describe("the cells of a text", () => {
  it.each([
    ["plain", 5],
    ["日本語", 6],
    ["한국", 4],
    ["👩‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["é", 1],
    ["e\u0301", 1],
    ["ก็", 1],
    ["✓ – …", 5],
    ["\u001b[1mbold\u001b[22m", 4],
  ])("%j takes %i", (text, cells) => {
    expect(textWidth(text)).toBe(cells);
  });

  it("are those of string-width also where it is not asked", () => {
    const characters = Array.from({ length: 0x2029 - 0x20 }, (_, i) => String.fromCodePoint(0x20 + i));
    const single = characters.filter((one) => !/[\p{Mn}\p{Me}]/u.test(one));
    expect(single.filter((one) => textWidth(one) !== stringWidth(one))).toEqual([]);
    expect(textWidth("✓✗")).toBe(stringWidth("✓✗"));
  });

  it("are kept within a width without a character cut in two", () => {
    expect(shortenedText("日本語", 6)).toBe("日本語");
    expect(shortenedText("日本語", 5)).toBe("日本…");
    expect(shortenedText("日本語", 4)).toBe("日…");
    expect(shortenedText("ab👩‍👩‍👧‍👦cd", 4)).toBe("ab…");
    expect(shortenedText("x".repeat(1e6), 3)).toBe("xx…");
    expect(shortenedText("e\u0301".repeat(500), 3)).toBe("e\u0301e\u0301…");
    expect(shortenedText("abc", 3)).toBe("abc");
    expect(shortenedText("abc", 0)).toBe("…");
  });

  it("hold neither line ends nor codes that steer a terminal", () => {
    const text = "a\r\nb\tc\u001b[31m\u202Ed\u0000";
    expect(oneLine(text)).toBe("a b c [31md ");
    expect(screenTable([{ head: text }], [[text]], EVERYTHING)).not.toMatch(/[^\n\P{Cc}]/u);
  });
});
