import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";

it.each([
  ["deleted", (file: string) => rmSync(file)],
  [
    "deleted with its log",
    (file: string) => [file, `${file}.wal`].forEach((one) => rmSync(one, { force: true })),
  ],
  ["moved", (file: string) => renameSync(file, `${file}.old`)],
  ["replaced", (file: string) => renameSync(`${file}.other`, file)],
])("a database file that is %s while it is open takes no more loads, and says so", async (how, lose) => {
  const file = path.join(scratchFolder(), "evals.duckdb");
  const warnings: string[] = [];
  if (how === "replaced") await (await openEngine({ path: `${file}.other` })).close();
  const engine = await openEngine({ path: file, onWarning: ({ code }) => void warnings.push(code) });
  await engine.ingestCalls([root(), trial("t1", { n: 1 }, { acc: 1 })]);
  lose(file);
  const later = engine.ingestCalls([trial("t2", { n: 2 }, { acc: 0 })]);
  await expect(later).rejects.toMatchObject({ code: "file_lost" });
  const note = { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/t1`, feedback_type: "x", payload: {} };
  await expect(engine.feedback.create(note, { userId: "ann" })).rejects.toMatchObject({ code: "file_lost" });
  expect(warnings).toEqual(["file_lost"]);
  const { total_rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"] });
  expect(total_rows).toBe(1);
  await engine.close();
});
