import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { scratchPath } from "../../support/scratch.ts";

describe("a source of 240 MB", () => {
  it("is loaded by a process whose heap may hold 160 MB", async () => {
    const child = path.join(import.meta.dirname, "../../children/load-large-source.ts");
    const limits = ["--max-old-space-size=160", "--import", "tsx"];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...limits,
      child,
      scratchPath(),
      "60000",
    ]);
    const { stored, peakMiB }: { stored: number; peakMiB: number } = JSON.parse(stdout);
    expect(stored).toBe(60_000);
    expect(peakMiB).toBeLessThan(1024);
  });
});
