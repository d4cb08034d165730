import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { viewFiles } from "../../src/view-files.ts";

it.each(["report", "view"] as const)("has a script of at most 66 kB for a %s", async (page) => {
  const { script } = (await viewFiles())[page];
  expect(gzipSync(script.text).length).toBeLessThanOrEqual(66_000);
});
