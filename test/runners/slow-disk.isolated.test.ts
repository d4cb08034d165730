import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import { createRecorder } from "../../src/runners/recorder.ts";
import { readSettings } from "../../src/runners/options.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { storedRun } from "./stored-runs.ts";

// A disk that takes nothing once the database is open.
vi.mock(import("../../src/engine/engine.ts"), async (original) => {
  const module = await original();
  const never = new Promise<never>(() => undefined);
  const openAnyCore: typeof module.openAnyCore = async (options) => ({
    ...(await module.openAnyCore(options)),
    storeCalls: () => never,
  });
  return { ...module, openAnyCore };
});

it("a database whose disk takes nothing is given up at the end, and what waits for it goes to the file beside it", async () => {
  const db = scratchPath();
  const settings = readSettings({ db, project: "acme/qa", run: "r1" }, scratchFolder());
  const recorder = createRecorder(settings, "a runner");
  const suite = { file: "sums.test.ts", name: "sums" };
  for (let n = 0; n < 3; n++)
    recorder.add(suite, () => ({ row: { n }, output: n, scores: { passed: true }, leftOut: 0 }));
  await recorder.end();
  const file = `${db}.r1.ndjson`;
  expect(recorder.lines()).toBe(
    `evalcube: 1 evaluation, 3 trials, 0 in error → ${file} (acme/qa); ${db} is on a disk that is too slow; load them with: evalcube ingest --db ${db} ${file}\n`,
  );
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(3 * 3 + 2);
  const other = scratchPath();
  const engine = await openEngine({ path: other });
  await engine.ingestCalls(file);
  await engine.close();
  const { evaluations, problems } = await storedRun(other);
  expect(problems).toEqual([]);
  expect(evaluations).toMatchObject([{ display_name: "sums", status: "finished", trial_count: 3 }]);
});
