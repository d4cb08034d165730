import { expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { askAll } from "../support/queries.ts";
import { call, EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

const END = { ended_at: "2026-01-01T02:00:00.25+01:00" };
const RECORDS = [
  root("finished", END),
  root("failed", { ...END, exception: 'Cancelled \ud800 "\\" é' }),
  root("cancelled", { ...END, exception: "Cancelled" }),
  root("failed early", { exception: "boom" }),
  root("cleared", { ...END, exception: "" }),
  root("running"),
  trial("t1", 1, {}, { parent_id: "running", started_at: "2026-01-01T00:00:02Z" }),
  trial("t2", 2, {}, { parent_id: "running", started_at: "2026-01-01T00:00:01Z" }),
  trial("t3", 1, {}, { parent_id: "without a root" }),
];

async function ends(engine: Engine) {
  const list = await engine.listEvaluations(PROJECT);
  return new Map(
    list.map(({ id, ended_at, exception, status, last_trial_at }) => [
      id,
      { ended_at, exception, status, last_trial_at },
    ]),
  );
}

const ENDED = "2026-01-01T01:00:00.250000Z";
const EXPECTED = new Map([
  ["finished", { ended_at: ENDED, exception: null, status: "finished", last_trial_at: null }],
  [
    "failed",
    { ended_at: ENDED, exception: 'Cancelled \ufffd "\\" é', status: "failed", last_trial_at: null },
  ],
  ["cancelled", { ended_at: ENDED, exception: "Cancelled", status: "cancelled", last_trial_at: null }],
  ["failed early", { ended_at: null, exception: "boom", status: "failed", last_trial_at: null }],
  ["cleared", { ended_at: ENDED, exception: null, status: "finished", last_trial_at: null }],
  [
    "running",
    { ended_at: null, exception: null, status: "running", last_trial_at: "2026-01-01T00:00:02.000000Z" },
  ],
  [
    "without a root",
    { ended_at: null, exception: null, status: "running", last_trial_at: "2026-01-01T00:00:00.000000Z" },
  ],
]);

it("an evaluation is finished, failed, cancelled or running, in the list and in SQL", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls(RECORDS);
  expect(await ends(engine)).toEqual(EXPECTED);
  const table = await engine.sql(
    PROJECT,
    `SELECT evaluation_call_id, exception, status, strftime(ended_at, '%Y-%m-%dT%H:%M:%S.%fZ') AS ended,
      strftime(last_trial_at, '%Y-%m-%dT%H:%M:%S.%fZ') AS last FROM evaluations`,
  );
  const fromSql = table.toArray().map((one): [string, object] => [
    String(one["evaluation_call_id"]),
    {
      ended_at: one["ended"] as unknown,
      exception: one["exception"] as unknown,
      status: one["status"] as unknown,
      last_trial_at: one["last"] as unknown,
    },
  ]);
  expect(new Map(fromSql)).toEqual(EXPECTED);
});

it("an evaluation that ends later, or fails, changes its status", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls([root(), trial("t", 1)]);
  expect((await ends(engine)).get(EVALUATION)).toMatchObject({ status: "running" });
  await engine.ingestCalls([{ id: EVALUATION, project_id: PROJECT, ...END, exception: "Cancelled" }]);
  expect((await ends(engine)).get(EVALUATION)).toMatchObject({ status: "cancelled", ended_at: ENDED });
  await engine.ingestCalls([{ id: EVALUATION, project_id: PROJECT, exception: "" }]);
  expect((await ends(engine)).get(EVALUATION)).toMatchObject({ status: "finished", exception: null });
});

const predict = (exception: string) =>
  call("p", { op_name: "Model.predict", parent_id: "t2", exception, output: 1 });

it("an empty exception is none: not of a trial, of its predict call, or in SQL, and it takes one back", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls([
    root(),
    trial("t1", 1, {}, { exception: "boom" }),
    trial("t2", 2, { acc: 1 }),
    trial("t3", 3, {}, { exception: "" }),
    predict("timeout"),
  ]);
  const errors = async () => {
    const { summary } = await askAll(engine, { include_summary: true, include_uncertainty: true });
    return summary?.evaluations[0]?.scorer_stats[0]?.error_count;
  };
  expect(await errors()).toBe(1);
  await engine.ingestCalls([{ id: "t1", project_id: PROJECT, exception: "" }, predict("")]);
  expect(await errors()).toBe(0);
  const table = await engine.sql(PROJECT, "SELECT count(exception)::INTEGER AS n FROM calls");
  expect(table.get(0)?.["n"]).toBe(0);
});
