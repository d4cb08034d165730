import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { untilWorking } from "../support/until.ts";

const MANY = [root(), ...Array.from({ length: 5000 }, (_, i) => trial(`t${i}`, { i }))];
const TRIALS = MANY.length - 1;
const IDS = MANY.map(({ id }) => id);
const INTERRUPTED = { name: "StoreError", code: "interrupted" };

/** A question that never ends, what is written first, and what waits for it. */
const WORK: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  "a question": (engine) =>
    engine.sql(
      PROJECT,
      "SELECT count(*) FROM range(9999999) AS a(i), range(9999999) AS b(j) WHERE i + j = 7",
    ),
  "a deletion": (engine) => engine.deleteCalls(PROJECT, IDS),
  "a load": (engine) => engine.ingestCalls(MANY.map((one) => ({ ...one, display_name: "again" }))),
  feedback: (engine) =>
    engine.feedback.create(
      { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/t1`, feedback_type: "note", payload: {} },
      { userId: "ann" },
    ),
};

it("interrupt ends what is under way or waits, takes back what it wrote, and leaves alone what begins later", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path });
  await engine.ingestCalls(MANY);
  const work = Object.values(WORK).map((begin) => begin(engine));
  const outcomes = Promise.allSettled(work);
  await untilWorking("what is under way");
  engine.interrupt();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: INTERRUPTED });
  await engine.ingestCalls([trial("later", { i: "later" })]);
  await engine.close();
  expect(existsSync(`${path}.wal`)).toBe(true);

  const again = await openEngine({ path });
  const { total_rows } = await again.queryEvalResults(PROJECT, { evaluation_call_ids: [EVALUATION] });
  expect(total_rows).toBe(TRIALS + 1);
  await again.close();
});
