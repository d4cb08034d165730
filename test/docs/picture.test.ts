import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askDemo } from "../../src/demo/answers.ts";
import { demoCalls } from "../../src/demo/calls.ts";
import { renderReport } from "../../src/demo/report.ts";
import { openEngine } from "../../src/index.ts";
import { drawLines, firstTable } from "./demo-picture.ts";
import { ROOT } from "./pages.ts";

it("shows the table that the demo prints", async () => {
  const engine = await openEngine();
  await engine.ingestCalls(demoCalls());
  const report = renderReport(await askDemo(engine), { database: "evalcube-demo.duckdb", colour: false });
  await engine.close();
  const picture = readFileSync(join(ROOT, "docs/pictures/demo.svg"), "utf8");
  expect(picture, "draw it anew: see CONTRIBUTING.md").toBe(drawLines(firstTable(report)));
});
