import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentCalls } from "../../src/demo/agents.ts";
import { demoCalls } from "../../src/demo/calls.ts";
import { supportCalls } from "../../src/demo/support.ts";
import { openEngine } from "../../src/index.ts";
import { blocksOf, PAGES, readPage } from "./pages.ts";
import { exampleFolder, runExample } from "./run-example.ts";

const RUN = ["ts", "sh", "console", "json"];
/** `ci.long.test.ts` runs what is YAML, `mcp/docs.long.test.ts` what is TOML. */
const SHOWN = ["text", "sql", "python", "toml", "yaml", ""];

describe.each(PAGES)("the examples of %s", (page) => {
  const blocks = blocksOf(readPage(page));
  const examples = blocks.filter(({ notRun, language }) => notRun === null && RUN.includes(language));
  let folder = "";

  beforeAll(async () => {
    if (examples.length === 0) return;
    folder = exampleFolder();
    if (!examples.some(({ code }) => code.includes("evalcube-demo.duckdb"))) return;
    const engine = await openEngine({ path: join(folder, "evalcube-demo.duckdb") });
    await engine.ingestCalls(demoCalls());
    await engine.ingestCalls(supportCalls());
    await engine.ingestCalls(agentCalls());
    await engine.close();
  });
  afterAll(() => {
    if (folder !== "") rmSync(folder, { recursive: true });
  });

  it("are programs, commands, requests, what these print, or drawings", () => {
    expect(blocks.filter(({ language }) => ![...RUN, ...SHOWN].includes(language))).toEqual([]);
  });

  for (const block of examples)
    it(`run: ${block.language}, line ${block.line}`, async () => {
      await expect(runExample(block, folder)).resolves.toBeUndefined();
    });
});
