import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { showProgress } from "../../src/cli/terminal/progress.ts";
import type { Screen } from "../../src/cli/terminal/terminal.ts";

function screen(isTTY: boolean): { readonly screen: Screen; readonly shown: () => string } {
  const stream = new PassThrough();
  const terminal = Object.assign(stream, {
    isTTY,
    columns: 100,
    cursorTo: () => true,
    clearLine: () => true,
  });
  return { screen: terminal, shown: () => String(stream.read() ?? "") };
}

const half = { records: 1500, bytes: 50, totalBytes: 100 };

describe("progress", () => {
  it("shows a bar with the share and the count on a terminal", () => {
    const { screen: terminal, shown } = screen(true);
    const display = showProgress(terminal, "calls.ndjson", 0);
    display.update(half);
    display.stop();
    expect(shown()).toMatch(/calls\.ndjson █+░+ 50 % {2}1,500 records/);
  });

  it("shows counts only where the size of the source is unknown", () => {
    const { screen: terminal, shown } = screen(true);
    const display = showProgress(terminal, "standard input", 0);
    display.update({ records: 1500, bytes: 2e6, totalBytes: null });
    display.stop();
    expect(shown()).toContain("standard input  1,500 records, 2 MB");
  });

  it("stays silent through a short load", () => {
    const { screen: terminal, shown } = screen(true);
    const display = showProgress(terminal, "calls.ndjson");
    display.update(half);
    display.stop();
    expect(shown()).toBe("");
  });

  it("stays silent where no terminal shows it", () => {
    const { screen: file, shown } = screen(false);
    const display = showProgress(file, "calls.ndjson", 0);
    display.update(half);
    display.stop();
    expect(shown()).toBe("");
  });
});
