import { expect, it } from "vitest";
import { writeReport } from "../../../src/cli/ci/ci-report.ts";

const lines = (name: string, count: number) => Array.from({ length: count }, (_, i) => `- ${name} ${i} é`);
const report = {
  head: "**Failed**",
  table: ["| a |", "| - |", ...Array.from({ length: 500 }, (_, i) => `| row ${i} é |`)],
  facts: lines("fact", 3),
  notes: lines("note", 500),
};

it("leaves out whole lines from the end of the notes, then of the table, and says how many", () => {
  const whole = writeReport(report, Infinity, "");
  expect(whole).toBe(
    `**Failed**\n\n${report.table.join("\n")}\n\n${report.facts.join("\n")}\n\n<details><summary>Notes</summary>\n\n${report.notes.join("\n")}\n\n</details>`,
  );
  const some = writeReport(report, 10_000, "the summary");
  expect(Buffer.byteLength(some)).toBeLessThanOrEqual(10_000);
  expect(some).toContain("| row 499 é |");
  const [, left] = /\n\n(\d+) lines left out; all of it stands in the summary\.$/.exec(some) ?? [];
  expect(some.split("\n").filter((line) => line.startsWith("- note"))).toEqual(
    report.notes.slice(0, -Number(left)),
  );
  const few = writeReport(report, 1000, "the summary");
  expect(Buffer.byteLength(few)).toBeLessThanOrEqual(1000);
  expect(few).not.toContain("note");
  expect(few).toContain("- fact 2 é");
  expect(few).toMatch(/^\*\*Failed\*\*\n\n\| a \|\n/);
});
