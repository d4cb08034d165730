import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { viewFiles } from "../../src/view-files.ts";

it.each([
  ["report", 60_000],
  ["view", 63_700],
] as const)("has a script for a %s of at most %i bytes, and a style of at most 6,000", async (page, most) => {
  const { script, style } = (await viewFiles())[page];
  expect(gzipSync(script.text).length).toBeLessThanOrEqual(most);
  expect(gzipSync(style.text).length).toBeLessThanOrEqual(6000);
});
