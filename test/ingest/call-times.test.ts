import { expect, it } from "vitest";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

const SPELLINGS: readonly (string | number)[] = [
  "2026-01-31T12:00:00Z",
  "2026-01-31 12:00:00Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T12:00Z",
  "2026-01-31T12:00:00.000000Z",
  "2026-01-31T12:00:00,000000000Z",
  "2026-01-31T12:00:00+00:00",
  "2026-01-31 12:00:00+0000",
  "2026-01-31 12:00:00+00",
  "2026-01-31T13:00:00+01",
  "2026-01-31T06:30:00-0530",
  1_769_860_800,
  1_769_860_800_000,
  1_769_860_800_000_000,
];

it("a time is the same in every spelling, for trials, for evaluations and in SQL", async () => {
  const engine = await scratchEngine();
  const records = SPELLINGS.flatMap((time, i) => [
    root(`e${i}`, { started_at: time, ended_at: time }),
    trial(`t${i}`, i, {}, { parent_id: `e${i}`, started_at: time }),
  ]);
  expect(await engine.ingestCalls(records)).toMatchObject({
    epoch_times: { seconds: 2, milliseconds: 2, microseconds: 2 },
  });
  const list = await engine.listEvaluations(PROJECT);
  const time = "2026-01-31T12:00:00.000000Z";
  expect(
    list.map(({ started_at, ended_at, last_trial_at }) => [started_at, ended_at, last_trial_at]),
  ).toEqual(SPELLINGS.map(() => [time, time, time]));
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: list.map(({ id }) => id),
    include_summary: true,
  });
  expect(new Set(summary?.evaluations.map(({ started_at }) => started_at)).size).toBe(1);
  const calls = await engine.sql(
    PROJECT,
    "SELECT id FROM calls WHERE started_at = '2026-01-31T12:00:00Z'::TIMESTAMPTZ",
  );
  expect(calls.numRows).toBe(records.length);
  expect(await engine.ingestCalls(records)).toMatchObject({ stored: 0, unchanged: records.length });
});

it("a record keeps all but the spelling of its times", async () => {
  const engine = await scratchEngine();
  const digits = 9007199254740993n;
  await engine.ingestCalls([call("c", { started_at: 1_769_860_800, inputs: { digits }, note: "kept" })]);
  const table = await engine.sql(PROJECT, "SELECT record FROM calls");
  expect(String(table.get(0)?.["record"])).toBe(
    `{"id":"c","project_id":"${PROJECT}","op_name":"step","started_at":"2026-01-31T12:00:00.000000Z","inputs":{"digits":${digits}},"note":"kept"}`,
  );
});

it.each([
  ["2026-01-31T12:00:00", 'not "2026-01-31T12:00:00"'],
  ["next week", 'not "next week"'],
  [1_769_860_800.5, "not 1769860800.5"],
  [1_769_860_800_000_000_000n, "not 1769860800000000000"],
  ["x".repeat(100), `not "${"x".repeat(59)}…`],
])("a refused time is shown: %s", async (time, shown) => {
  const engine = await scratchEngine();
  const error = await refusal(engine.ingestCalls([call("c", { started_at: time })]));
  expect(error.message.endsWith(shown)).toBe(true);
});
