import { expect, it, onTestFinished } from "vitest";
import { createCatalogCache, readQueryCatalog } from "../../src/engine/catalog/read-catalog.ts";
import { openCore } from "../../src/engine/engine.ts";
import { createKeptTrials, readTrials } from "../../src/engine/base/kept-trials.ts";
import { readRowPage } from "../../src/engine/query/page.ts";
import { buildPlan } from "../../src/plan/build-plan.ts";
import { withIds } from "../../src/request/eval-request.ts";
import { parseRequest } from "../../src/request/parse-request.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

const ROWS = 20;

/** Twenty rows in two evaluations; `attempt` makes other trials of the same rows. */
function calls(attempt = 0): object[] {
  return ["e", "f"].flatMap((evaluation) => [
    root(evaluation),
    ...Array.from({ length: ROWS }, (_, at) =>
      trial(`${evaluation}${at}-${attempt}`, { q: at }, { at }, { parent_id: evaluation }),
    ),
  ]);
}

it("a page reads the trials of rows that no page had since the last write, whatever its filter and order are", async () => {
  const core = await openCore({ threads: 1 });
  onTestFinished(() => core.close());
  const kept = createKeptTrials();
  const trialsRead = async (request: object) => {
    let read = 0;
    await core.store.read(async (session) => {
      const parsed = parseRequest({ evaluation_call_ids: ["e", "f"], ...request });
      const asked = withIds(parsed, ({ text }) => text);
      const plan = buildPlan(
        PROJECT,
        asked,
        await readQueryCatalog(session, createCatalogCache(), PROJECT, asked),
      );
      if (plan?.rows == null) throw new Error("no rows");
      const { rows } = await readRowPage(session, plan, plan.rows);
      const all: typeof session.all = async (query) => {
        const records = await session.all(query);
        read += records.length;
        return records;
      };
      const keys = rows.map(({ key }) => key);
      const trials = await readTrials({ ...session, all }, kept, plan, keys);
      expect([...trials.keys()]).toEqual(keys);
    });
    return read;
  };
  await core.ingestCalls(calls());
  const sort_by = [{ field: "scores.at", direction: "asc" }];
  const least = { $gte: [{ $getField: "scores.at" }, { $literal: 5 }] };
  expect(await trialsRead({ sort_by, limit: 10 })).toBe(20);
  expect(await trialsRead({ sort_by, limit: 10, filters: [{ query: { $expr: least } }] })).toBe(10);
  expect(await trialsRead({ sort_by, limit: 15 })).toBe(0);
  expect(await trialsRead({ sort_by, limit: 2, include_raw_data_rows: true })).toBe(4);
  expect(await trialsRead({ sort_by, limit: 2, evaluation_call_ids: ["f"] })).toBe(2);
  await core.ingestCalls(calls(1));
  expect(await trialsRead({ sort_by, limit: 10 })).toBe(40);
});

it("pages have the same bytes whether or not trials are kept from one to the next", async () => {
  const [keeping, asking] = await Promise.all([scratchEngine(), scratchEngine({ keepAnswers: false })]);
  for (const engine of [keeping, asking]) await engine.ingestCalls(calls());
  const pages = [
    {},
    { limit: 7 },
    { limit: 7, offset: 3 },
    { evaluation_call_ids: ["f", "e"] },
    { evaluation_call_ids: ["f"], limit: 5 },
    { include_raw_data_rows: true, limit: 4 },
    { include_predict_and_score_children: false, limit: 6 },
    { sort_by: [{ field: "scores.at", direction: "desc" }], limit: 9 },
  ];
  const compare = async () => {
    for (const page of pages) {
      const request = { evaluation_call_ids: ["e", "f"], ...page };
      const text = await keeping.queryEvalResultsJson(PROJECT, request);
      expect(text).toBe(await asking.queryEvalResultsJson(PROJECT, request));
    }
  };
  await compare();
  for (const engine of [keeping, asking]) await engine.ingestCalls(calls(1));
  await compare();
});
