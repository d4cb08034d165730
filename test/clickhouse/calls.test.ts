import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import type { LeaderboardRequest } from "../../src/index.ts";
import { writeJson } from "../../src/model/json.ts";
import { rawValues } from "../tables/read-arrow.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const SECOND = (n: number) => `2026-01-01T00:00:${String(n).padStart(2, "0")}.5Z`;
const TOKENS = { prompt_tokens: 1234, completion_tokens: 56, total_tokens: 1290 };
const usage = (model: string, members: unknown) => ({ usage: { [model]: members } });
const ODD = 'odd"/~\uE000 name';

/** Summaries of predict calls, by the id of the evaluation. */
const SUMMARIES: Readonly<Record<string, readonly object[]>> = {
  priced: [usage("small", TOKENS), usage("big", { input_tokens: 10, output_tokens: 3 })],
  mixed: [{ usage: { small: TOKENS, big: TOKENS } }, { usage: { small: TOKENS, other: TOKENS } }, {}],
  odd: [
    usage(ODD, TOKENS),
    usage("\uE000small", TOKENS),
    usage("", TOKENS),
    usage("small", null),
    { usage: [1, 2] },
  ],
  unsplit: [usage("small", { total_tokens: 9 }), usage("small", { ...TOKENS, prompt_tokens: "9" })],
  carried: [
    usage("other", { ...TOKENS, cost: 0.25 }),
    usage("small", { ...TOKENS, cost: 5e-13, total_cost: 0.5 }),
    usage("small", { cost: -1, total_cost: 0 }),
    usage("small", { ...TOKENS, cost: 1e19 }),
    usage("small", { ...TOKENS, prompt_tokens: 123456789012345678901234n }),
    {
      ...usage("small", { ...TOKENS, cost: 9 }),
      weave: { costs: { small: { prompt_tokens_total_cost: 0.1, completion_tokens_total_cost: 0.2 } } },
    },
    { weave: { costs: { another: { completion_tokens_total_cost: 1.5e-7 } } } },
  ],
};

const PRICED = Object.entries(SUMMARIES).flatMap(([id, summaries]) => [
  root(id, { attributes: { branch: id } }),
  ...summaries.flatMap((summary, i) => [
    trial(`${id}-${i}`, { i }, { ok: i > 0 }, { parent_id: id, summary: i === 1 ? summary : {} }),
    call(`${id}-${i}-predict`, { op_name: "model.predict", parent_id: `${id}-${i}`, summary }),
  ]),
  trial(
    `${id}-stated`,
    { i: -1 },
    { ok: true },
    { parent_id: id, output: { output: "", scores: { ok: true }, cost_usd: 0.125 } },
  ),
]);

const PRICES = { small: { input: 2, output: 10.1 }, big: { input: 0.15, output: 7 } };
const LEADERBOARDS: readonly LeaderboardRequest[] = [
  { prices: PRICES },
  { prices: { ...PRICES, [ODD]: { input: 1, output: 1 }, "": { input: 3, output: 1 } } },
  { costs: true },
  { prices: PRICES, include_predict_and_score_children: false },
  { prices: PRICES, sort_by: [{ field: "cost", direction: "desc" }] },
  { prices: { absent: { input: 1, output: 2 } }, where: { "attributes.branch": "mixed" } },
];

const part = (id: string, others: object) => ({ id, project_id: PROJECT, ...others });

/** What is loaded one after the other as parts of calls: starts, ends and names, in odd orders. */
const PARTS: readonly (readonly object[])[] = [
  [
    part("p", { ended_at: SECOND(50), summary: { note: 1 } }),
    part("p-1-predict", { ended_at: SECOND(9), exception: "late luck", summary: usage("small", TOKENS) }),
    part("p-2", { ended_at: SECOND(7), output: { output: 1, scores: { ok: true } } }),
    part("p-3", { ended_at: SECOND(8), exception: "no luck" }),
    part("p-3", { display_name: "renamed" }),
  ],
  [
    root("p", { attributes: { branch: "main", n: 1 }, inputs: { model: "bot:1" }, display_name: "run" }),
    ...[1, 2, 3].map((i) =>
      call(`p-${i}`, {
        op_name: "Evaluation.predict_and_score",
        parent_id: "p",
        inputs: { example: { i } },
        attributes: { trial_index: i },
      }),
    ),
    call("p-1-predict", { op_name: "model.predict", parent_id: "p-1" }),
    call("p-2-predict", { op_name: "model.predict", parent_id: "p-2", summary: usage("big", TOKENS) }),
  ],
  [
    part("p", { display_name: "a better name" }),
    part("p-1", { ended_at: SECOND(9), output: { output: 1, scores: { ok: false } } }),
    part("p-2-predict", { ended_at: SECOND(6), summary: usage("big", { ...TOKENS, prompt_tokens: 7 }) }),
    // Overtaken by what is known.
    part("p-1-predict", { ended_at: SECOND(3), exception: "first", summary: usage("small", {}) }),
    part("p-3", { ended_at: SECOND(2), output: { output: 1, scores: { ok: true } } }),
    // Begun already.
    root("p", { attributes: { branch: "other" }, display_name: "again" }),
  ],
];

/** Whole records of the same calls, of which the later lack what the earlier say. */
const WHOLES: readonly (readonly object[])[] = [
  [
    root("w", { attributes: { branch: "main" }, inputs: { model: "bot:2" } }),
    trial(
      "w-1",
      { i: 1 },
      { ok: true },
      { parent_id: "w", exception: "bad", attributes: { trial_index: 4 } },
    ),
    trial("w-2", { i: 2 }, { ok: true }, { parent_id: "w" }),
    call("w-2-predict", {
      op_name: "model.predict",
      parent_id: "w-2",
      exception: "worse",
      summary: usage("small", { ...TOKENS, cost: 1.0e-7 }),
    }),
    call("w-2-gone", {
      op_name: "model.predict",
      parent_id: "w-2",
      exception: "gone",
      deleted_at: SECOND(1),
    }),
  ],
  [
    root("w", { ended_at: SECOND(40), display_name: "ended", attributes: null }),
    call("w-1", { op_name: "Evaluation.predict_and_score", parent_id: "w", ended_at: SECOND(30) }),
    call("w-2-predict", { op_name: "model.predict", parent_id: "w-2", ended_at: SECOND(20) }),
  ],
];

const MERGED = { evaluation_call_ids: ["p", "w"] };

type Core = Omit<Awaited<ReturnType<typeof openCore>>, "store" | "backup" | "check">;

async function load(core: Core): Promise<void> {
  await core.ingestCalls(PRICED);
  for (const records of PARTS) await core.ingestCalls(records, { partial: true });
  for (const records of WHOLES) await core.ingestCalls(records);
}

describe.skipIf(noClickHouse !== null)(`calls on ClickHouse${because(noClickHouse)}`, () => {
  let onServer: Core;
  let onFile: Core;
  beforeAll(async () => {
    const url = await sharedClickHouse();
    onServer = await openAnyCore({ clickhouse: { url, database: `calls_${process.pid}` } });
    onFile = await openCore({ threads: 1 });
    for (const core of [onFile, onServer]) await load(core);
  });
  afterAll(async () => {
    await onServer.close();
    await onFile.close();
  });

  async function expectSame(ask: (core: Core) => Promise<unknown>): Promise<string> {
    const wanted = writeJson(await ask(onFile));
    expect(writeJson(await ask(onServer))).toBe(wanted);
    return wanted;
  }

  it("cost what they cost on DuckDB, with prices of models or without", async () => {
    for (const request of LEADERBOARDS) {
      const text = await expectSame((core) =>
        core.leaderboard(PROJECT, { ...request, evaluations: Object.keys(SUMMARIES) }),
      );
      expect(text).toContain('"trial_count":');
    }
    const priced = await expectSame((core) => core.leaderboard(PROJECT, { prices: PRICES }));
    expect(priced).toContain('no price for the model \\"other\\"');
  });

  it("are what all of their records make of them", async () => {
    const errors = await expectSame((core) =>
      core.queryEvalResults(PROJECT, { ...MERGED, include_trial_errors: true }),
    );
    for (const error of ["late luck", "no luck", "bad", "worse"]) expect(errors).toContain(error);
    await expectSame(async (core) =>
      rawValues(await core.queryTable(PROJECT, { ...MERGED, include_trial_errors: true })),
    );
    await expectSame((core) =>
      core.leaderboard(PROJECT, { prices: PRICES, evaluations: MERGED.evaluation_call_ids }),
    );
    for (const where of [
      { "attributes.branch": "main" },
      { "attributes.branch": "other" },
      { "inputs.model": "bot:1" },
      { display_name: "a better name" },
      { display_name: "ended" },
      { "summary.note": 1 },
    ])
      await expectSame((core) => core.leaderboard(PROJECT, { where }));
    for (const id of MERGED.evaluation_call_ids)
      await expectSame(async (core) => {
        const trials: string[] = [];
        const found = await core.logged.readEvaluation(PROJECT, id, (some) => {
          for (const one of some) trials.push(writeJson(one));
          return Promise.resolve();
        });
        return [found, trials.toSorted()];
      });
  });
});
