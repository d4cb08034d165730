import { expect, it } from "vitest";
import { runOn } from "../support/duckdb.ts";
import { scratchPath } from "../support/scratch.ts";
import { inOrder, openSteps } from "./compared-steps.ts";
import { expectedSteps } from "./oracle.ts";
import { randomTrees } from "./random-trees.ts";

/** Makes of a file what it was before steps had a table. */
const OLDER = `DROP SCHEMA evalcube CASCADE; DROP INDEX trials_by_version_key; DROP TABLE call_steps; DROP TABLE unread_calls;
  DROP TABLE writes; ALTER TABLE calls DROP COLUMN parent_id; ALTER TABLE trials DROP COLUMN stop_reason;
  UPDATE evalcube_format SET version = 4;`;

it("a file of before has the steps of its calls, their parents and why trials ended once it is opened", async () => {
  const path = scratchPath();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const calls = randomTrees(seed, 30);
  const trial = calls.find(({ op_name }) => op_name === "Evaluation.predict_and_score");
  if (trial !== undefined) trial.attributes = { "evalcube.stop_reason": "turn limit" };
  const engine = await openSteps({ path });
  await engine.ingestCalls(calls);
  await engine.close();
  const asked = "SELECT id, parent_id FROM calls ORDER BY id";
  const reasons = "SELECT id, stop_reason FROM trials WHERE stop_reason IS NOT NULL";
  const [parents, ended] = [await runOn(path, asked), await runOn(path, reasons)];
  await runOn(path, OLDER);
  const again = await openSteps({ path });
  const expected = inOrder(expectedSteps(calls));
  expect(await again.fromView(), `seed ${seed}`).toEqual(expected);
  expect(await again.fromWalk(), `seed ${seed}`).toEqual(expected);
  await again.close();
  expect(await runOn(path, asked)).toEqual(parents);
  expect(await runOn(path, reasons)).toEqual(ended);
  expect(ended).toEqual([[trial?.id, "turn limit"]]);
});
