import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { createFeedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { nextTurn } from "../../src/model/turns.ts";
import { call, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

type Core = Awaited<ReturnType<typeof openCore>>;

let core: Core;
let other: Core;
let projects = 0;

beforeAll(async () => {
  core = await openCore({ threads: 1 });
  other = await openCore({ threads: 1 });
});

afterAll(async () => {
  await core.close();
  await other.close();
});

/** A project that no other test has. */
const newProject = () => `acme/p${projects++}`;

const inProject = (project: string, records: readonly object[]): object[] =>
  records.map((record) => ({ ...record, project_id: project }));

/** Runs work that writes; resolves to its outcome and to the number of transactions. */
async function counted<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly commits: number }> {
  const before = core.store.epoch() ?? 0;
  const result = await work();
  return { result, commits: (core.store.epoch() ?? 0) - before };
}

const trialOf = (i: number) => [
  trial(`t${i}`, { i }, { ok: true }),
  call(`p${i}`, { op_name: "Model.predict", parent_id: `t${i}` }),
];

describe("loads that arrive at the same time", () => {
  it("share a transaction, and each has its own counts", async () => {
    const project = newProject();
    const loads = Array.from({ length: 64 }, (_, i) => inProject(project, i === 0 ? [root()] : trialOf(i)));
    const { result, commits } = await counted(() => Promise.all(loads.map((one) => core.ingestCalls(one))));
    expect(commits).toBe(1);
    expect(result.map(({ received, stored }) => [received, stored])).toEqual(
      loads.map(({ length }) => [length, length]),
    );
    expect(await core.listEvaluations(project)).toMatchObject([{ id: "e", trial_count: 63 }]);
  });

  it("share it with records that the process made itself", async () => {
    const project = newProject();
    const { result, commits } = await counted(() =>
      Promise.all([
        core.storeCalls(inProject(project, [call("a")])),
        core.storeCalls(inProject(project, [call("b"), call("a")])),
      ]),
    );
    expect(commits).toBe(1);
    expect(result).toMatchObject([
      { stored: 1, unchanged: 0 },
      { stored: 1, unchanged: 1 },
    ]);
  });

  it("make transactions of at most 4,000 records", async () => {
    const project = newProject();
    const loads = [0, 1, 2].map((i) =>
      inProject(
        project,
        Array.from({ length: 1500 }, (_, k) => call(`${i}-${k}`)),
      ),
    );
    const { commits } = await counted(() => Promise.all(loads.map((one) => core.ingestCalls(one))));
    expect(commits).toBe(2);
  });

  it("are seen as a whole or not at all", async () => {
    const project = newProject();
    const loads = Array.from({ length: 40 }, (_, i) => inProject(project, trialOf(i)));
    const state = { isLoading: true };
    const loading = Promise.all(loads.map((one) => core.ingestCalls(one))).finally(
      () => (state.isLoading = false),
    );
    const seen = new Set<number>();
    while (state.isLoading) {
      const table = await core.sql(project, "SELECT count(*)::INTEGER AS n FROM calls");
      seen.add(Number(table.get(0)?.["n"]));
    }
    await loading;
    expect([...seen].filter((count) => count % 2 !== 0)).toEqual([]);
  });

  it("are all stored when the engine closes behind them", async () => {
    const closing = await openCore({ threads: 1 });
    const loads = Array.from({ length: 8 }, (_, i) => closing.ingestCalls([call(`c${i}`)]));
    // One of two records of which the second is refused: its neighbours are written a second time.
    loads.push(closing.ingestCalls([call("d"), { id: "lost", project_id: "acme/qa", output: 1 }]));
    const settled = Promise.allSettled(loads);
    await Promise.resolve();
    await Promise.resolve();
    await closing.close();
    const outcomes = await settled;
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 8 }, () => "fulfilled"),
      "rejected",
    ]);
  });
});

describe("a load that is refused beside others", () => {
  it.each([
    ["a record that is none", { ...call("bad"), inputs: 5 }, "must be an object or null"],
    ["the output of a call that is not stored", { id: "bad", output: 1 }, "op_name: is required"],
  ])("is refused alone: %s", async (_what, bad, message) => {
    const project = newProject();
    const good = [0, 1, 2].map((i) => core.ingestCalls(inProject(project, trialOf(i))));
    const refused = refusal(core.ingestCalls(inProject(project, [call("with the bad one"), bad])));
    good.push(core.ingestCalls(inProject(project, trialOf(3))));
    expect((await refused).message).toContain(message);
    expect((await Promise.all(good)).map(({ stored }) => stored)).toEqual([2, 2, 2, 2]);
    const ids = await core.sql(project, "SELECT id FROM calls ORDER BY id");
    expect(ids.toArray().map((one) => String(one["id"]))).toEqual(
      [0, 1, 2, 3].flatMap((i) => [`t${i}`, `p${i}`]).toSorted(),
    );
  });

  it("stores its valid records where it may, and names the others", async () => {
    const project = newProject();
    const lost = { id: "lost", output: 1 };
    const [first, second] = await Promise.all([
      core.ingestCalls(inProject(project, [call("a"), lost, call("b")]), { onInvalid: "skip" }),
      core.ingestCalls(inProject(project, [lost, call("c")]), { onInvalid: "skip" }),
    ]);
    expect(first).toMatchObject({ received: 3, stored: 2, rejected: [{ position: 2, path: ["op_name"] }] });
    expect(second).toMatchObject({ received: 2, stored: 1, rejected: [{ position: 1, path: ["op_name"] }] });
  });

  it("by its signal does not touch the others", async () => {
    const project = newProject();
    const controller = new AbortController();
    const aborted = core.ingestCalls(inProject(project, [call("a")]), { signal: controller.signal });
    const kept = core.ingestCalls(inProject(project, [call("b")]));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect(await kept).toMatchObject({ stored: 1 });
  });
});

describe("records of one identity in loads that arrive at the same time", () => {
  const member = fc.record(
    {
      op_name: fc.constant("step"),
      started_at: fc.constant("2026-01-01T00:00:00Z"),
      ended_at: fc.constantFrom("2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"),
      output: fc.integer({ min: 1, max: 2 }),
      parent_id: fc.constantFrom("c0", "c1", "c2"),
      deleted_at: fc.constant("2026-01-01T00:00:01Z"),
    },
    { requiredKeys: ["ended_at"] },
  );
  const started = fc.record({
    op_name: fc.constantFrom("step", "Evaluation.predict_and_score"),
    started_at: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
    parent_id: fc.constantFrom(null, "c0", "c1"),
  });
  const record = fc
    .tuple(fc.constantFrom("c0", "c1", "c2", "c3"), fc.oneof(member, started, fc.constant({ output: 1 })))
    .filter(([, one]) => !("op_name" in one) === !("started_at" in one))
    .map(([id, one]) => ({ id, ...one }));
  const loads: fc.Arbitrary<object[][]> = fc.array(fc.array(record, { maxLength: 3 }), {
    minLength: 2,
    maxLength: 5,
  });
  const start = { op_name: "step", started_at: "2026-01-01T00:00:00Z" };
  /** The first is refused, so c1 lacks in the second what it has in the group. */
  const REFUSED_BEHIND_ANOTHER = [
    [
      { id: "c1", ...start, ended_at: "2026-01-01T00:00:01Z" },
      { id: "c0", output: 1 },
    ],
    [
      { id: "c1", output: 1 },
      { id: "c0", output: 1 },
    ],
  ];
  /** c2 is below c0 when that is hidden, and elsewhere when the group ends. */
  const MOVED_WHEN_HIDDEN = [
    [
      { id: "c0", ...start, deleted_at: "2026-01-01T00:00:01Z" },
      { id: "c1", ...start, parent_id: "c0" },
      { id: "c2", ...start, parent_id: "c1" },
    ],
    [{ id: "c2", ...start, parent_id: "c3" }],
  ];

  it("count and end as they do one after another", async () => {
    await fc.assert(
      fc.asyncProperty(loads, fc.constantFrom("fail", "skip"), async (all, onInvalid) => {
        const project = newProject();
        const send = (to: Core) => async (one: readonly object[]) => {
          try {
            const { received, stored, unchanged, rejected } = await to.ingestCalls(inProject(project, one), {
              onInvalid,
            });
            return { received, stored, unchanged, rejected };
          } catch (error) {
            // Not which of its faulty records: one may be whole beside a load that is then refused as well.
            return String(error).replace(/record \d/, "a record");
          }
        };
        const together = await Promise.all(all.map(send(core)));
        const alone: unknown[] = [];
        for (const one of all) alone.push(await send(other)(one));
        expect(together).toEqual(alone);
        expect(await callsOf(core, project)).toEqual(await callsOf(other, project));
      }),
      {
        numRuns: 15,
        examples: [
          [REFUSED_BEHIND_ANOTHER, "fail"],
          [MOVED_WHEN_HIDDEN, "fail"],
        ],
      },
    );
  });

  it("count and end as they do one after another, dataset rows too", async () => {
    const row = fc.record({ digest: fc.constantFrom("a", "b", "c"), val: fc.integer({ min: 1, max: 2 }) });
    const rows = fc.array(fc.array(row, { maxLength: 4 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const project = newProject();
        const send = (to: Core) => (one: readonly object[]) => to.ingestRows(inProject(project, one));
        const together = await Promise.all(all.map(send(core)));
        const alone: unknown[] = [];
        for (const one of all) alone.push(await send(other)(one));
        expect(together).toEqual(alone);
        const query = "SELECT row_digest, value FROM rows ORDER BY row_digest";
        expect(String(await core.sql(project, query))).toEqual(String(await other.sql(project, query)));
      }),
      { numRuns: 15 },
    );
  });
});

async function callsOf(one: Core, project: string): Promise<string> {
  const calls = await one.sql(project, "SELECT id, record FROM calls ORDER BY id");
  const trials = await one.sql(project, "SELECT * FROM trials ORDER BY trial_id");
  return `${String(calls)} ${String(trials)}`;
}

describe("feedback that arrives at the same time", () => {
  it("shares a transaction; of two records with one id the first is stored", async () => {
    const feedback = createFeedback(createSqlFeedbackStore(core.store));
    const project = newProject();
    const give = (id: string, value: number) =>
      feedback.create(
        {
          project_id: project,
          svc_ref: `svc:///${project}/call/c`,
          feedback_type: "free",
          id,
          payload: { value },
        },
        { userId: "ann" },
      );
    await give("old", 0);
    // However slow the machine is, all fit into one turn of the event loop.
    await nextTurn();
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const { result, commits } = await counted(() =>
      Promise.allSettled([
        give("a", 1),
        give("b", 1),
        give("a", 2),
        give("old", 0),
        give("a", 1),
        give("old", 1),
      ]),
    );
    expect(commits).toBe(1);
    expect(result.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    const { data } = await feedback.list(project);
    expect(data.map(({ id, payload }) => [id, payload])).toEqual([
      ["old", { value: 0 }],
      ["a", { value: 1 }],
      ["b", { value: 1 }],
    ]);
  });
});
