import { readFile } from "node:fs/promises";
import path from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage, type UserProject } from "./install-package.ts";

let user: UserProject;
beforeAll(async () => {
  user = await installPackage();
});
afterAll(() => user.remove());

describe("an ES program", () => {
  it("can import each entry of the package", async () => {
    const printed = await user.run(
      "entries.mjs",
      `const entries = ["evalcube", "evalcube/arrow", "evalcube/schemas", "evalcube/stats"];
      for (const entry of entries) console.log(entry, Object.keys(await import(entry)).length > 0);`,
    );
    expect(printed.trim().split("\n")).toEqual([
      "evalcube true",
      "evalcube/arrow true",
      "evalcube/schemas true",
      "evalcube/stats true",
    ]);
  });

  it("can check a request before it sends it", async () => {
    const printed = await user.run(
      "schemas.mjs",
      `import { evalResultsRequestSchema as schema } from "evalcube/schemas";
      console.log(schema.safeParse({ limit: 1 }).success, schema.safeParse({ limit: -1 }).success);`,
    );
    expect(printed).toBe("true false\n");
  });
});

const TRIALS = 500;

/** Writes a table of the engine to a file, with functions of `arrow`. */
const writeTable = (arrow: string) => `
const { writeFileSync } = require("node:fs");
const { openEngine } = require("evalcube");
const { tableToIPC } = require(${JSON.stringify(arrow)});

async function main() {
  const engine = await openEngine({ threads: 1 });
  const call = { project_id: "acme/qa", started_at: "2026-01-31T12:00:00Z" };
  await engine.ingestCalls([
    { ...call, id: "run", op_name: "Evaluation.evaluate" },
    ...Array.from({ length: ${TRIALS} }, (_, n) => ({
      ...call,
      id: "trial-" + n,
      op_name: "Evaluation.predict_and_score",
      parent_id: "run",
      inputs: { example: { n } },
      output: { output: "an answer of some length, the one of trial " + n, scores: { points: n } },
    })),
  ]);
  const table = await engine.queryTable("acme/qa", { evaluation_call_ids: ["run"] });
  await engine.close();
  writeFileSync("table.arrow", tableToIPC(table, "file"));
}
main();
`;

async function writtenBy(arrow: string): Promise<Uint8Array> {
  await user.run("program.cjs", writeTable(arrow));
  return readFile(path.join(user.folder, "table.arrow"));
}

describe("a CommonJS program", () => {
  it("writes a table of the engine with evalcube/arrow", async () => {
    const table = tableFromIPC(await writtenBy("evalcube/arrow"));
    expect(table.numRows).toBe(TRIALS);
    const points: unknown[] = [...(table.getChild("scores.points") ?? [])];
    expect(new Set(points)).toEqual(new Set(Array.from({ length: TRIALS }, (_, n) => n)));
  });

  // Of apache-arrow 21.2. Where this fails, evalcube/arrow is no longer needed.
  it("loses the data with the apache-arrow of its own, and is not told", async () => {
    const bytes = await writtenBy("apache-arrow");
    expect(bytes.length).toBeLessThan(TRIALS * 10);
  });
});
