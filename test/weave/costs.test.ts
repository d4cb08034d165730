import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { call, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { startWeave, type WeaveService } from "./service.ts";

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave();
});

afterAll(async () => {
  await service.stop();
});

type Answer = Readonly<Record<string, unknown>>;

async function post(path: string, body: unknown, as = service.ann) {
  const response = await service.post(path, body, { as });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Answer };
}

/** What the Python SDK sends for `add_cost("small", 0.001, 0.002, …)`. */
const sdkCost = (prompt_token_cost: number, completion_token_cost: number, more: object = {}) => ({
  prompt_token_cost,
  completion_token_cost,
  cache_read_input_token_cost: 0,
  cache_creation_input_token_cost: 0,
  prompt_token_cost_unit: "USD",
  completion_token_cost_unit: "USD",
  effective_date: "2026-11-29T04:37:15.516103+00:00",
  provider_id: "default",
  ...more,
});

const field = (name: string) => ({ $getField: name });
const digits = (number: string) =>
  JSON.stringify({ project_id: "acme/digits", costs: { m: sdkCost(7, 1) } }).replace(":7,", `:${number},`);
/** What `query_costs()` sends. */
const EVERYTHING = { $expr: { $eq: [{ $literal: "1" }, { $literal: "1" }] } };
const isId = (id: unknown) => ({ $expr: { $eq: [{ $getField: "id" }, { $literal: id }] } });
/** What `purge_costs(ids)` sends. */
const among = (ids: readonly unknown[]) => ({
  $expr: { $in: [{ $getField: "id" }, ids.map((id) => ({ $literal: id }))] },
});

async function add(project_id: string, costs: unknown, as?: string): Promise<string[]> {
  const { status, body } = await post("/cost/create", { project_id, costs, wb_user_id: null }, as);
  expect([status, body]).toMatchObject([200, { ids: expect.any(Array) as unknown }]);
  return (body["ids"] as [string, string][]).map(([id]) => id);
}

async function listed(project_id: string, more: object = {}, as?: string): Promise<Answer[]> {
  const { status, body } = await post("/cost/query", { project_id, query: EVERYTHING, ...more }, as);
  expect(status).toBe(200);
  return body["results"] as Answer[];
}

describe("prices of a project", () => {
  it("are stored as the SDK sends them, and given back", async () => {
    const answer = await post("/cost/create", {
      project_id: "acme/kept",
      costs: { small: sdkCost(0.001, 0.002) },
      wb_user_id: null,
    });
    expect(answer).toEqual({ status: 200, body: { ids: [[expect.any(String), "small"]] } });
    const [[id = ""] = []] = answer.body["ids"] as string[][];
    const stored = {
      id,
      llm_id: "small",
      provider_id: "default",
      effective_date: "2026-11-29T04:37:15.516103Z",
      prompt_token_cost: 0.001,
      completion_token_cost: 0.002,
      cache_read_input_token_cost: 0,
      cache_creation_input_token_cost: 0,
      prompt_token_cost_unit: "USD",
      completion_token_cost_unit: "USD",
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      created_by: "ann",
      pricing_level: "project",
      pricing_level_id: "acme/kept",
    };
    expect(await listed("acme/kept")).toEqual([stored]);
    expect(await listed("acme/kept", { query: isId(id), fields: null, sort_by: null })).toEqual([stored]);
  });

  it("have defaults: no cache, dollars, from now on", async () => {
    const before = Date.now();
    const price = { prompt_token_cost: 1, completion_token_cost: 2, effective_date: null, provider_id: null };
    await add("acme/defaults", { m: { ...price, prompt_token_cost_unit: null } });
    const [stored] = await listed("acme/defaults");
    expect(stored).toMatchObject({
      provider_id: "default",
      cache_read_input_token_cost: 0,
      cache_creation_input_token_cost: 0,
      prompt_token_cost_unit: "USD",
      completion_token_cost_unit: "USD",
    });
    const since = Date.parse(String(stored?.["effective_date"]));
    expect(since >= before && since <= Date.now()).toBe(true);
    await add("acme/defaults", { naive: { ...price, effective_date: "1998-10-03T00:00:00" } });
    expect((await listed("acme/defaults"))[1]).toMatchObject({
      effective_date: "1998-10-03T00:00:00.000000Z",
    });
  });

  it("are in the order sent, whatever the models are called", async () => {
    const names = ["2", "1", "__proto__", "constructor", "a/b~c", '"', "é\u2028💥", " "];
    const one = JSON.stringify({ prompt_token_cost: 1, completion_token_cost: 2 });
    const costs = names.map((name) => `${JSON.stringify(name)}:${one}`).join(",");
    const { body } = await post("/cost/create", `{"project_id":"acme/names","costs":{${costs}}}`);
    expect((body["ids"] as string[][]).map(([, name]) => name)).toEqual(names);
    const stored = await listed("acme/names");
    expect(stored.map(({ llm_id }) => llm_id)).toEqual(names);
    expect(stored.map(({ id }) => id)).toEqual((body["ids"] as string[][]).map(([id]) => id));
  });

  it("are selected, ordered and cut", async () => {
    const project = "acme/select";
    for (const [name, price, day] of [
      ["a", 3, "2026-01-02"],
      ["b", 1, "2026-01-01"],
      ["a", 2, "2026-01-03"],
    ] as const)
      await add(project, { [name]: sdkCost(price, 1, { effective_date: `${day}T00:00:00+00:00` }) });
    const prices = async (more: object) =>
      (await listed(project, more)).map(({ prompt_token_cost: price }) => price);
    expect(await prices({ query: null })).toEqual([3, 1, 2]);
    // As `query_costs(llm_ids=["a"], limit=…)` asks.
    const ofA = { $expr: { $and: [EVERYTHING.$expr, { $in: [field("llm_id"), [{ $literal: "a" }]] }] } };
    expect(await prices({ query: ofA, limit: 100, offset: 0 })).toEqual([3, 2]);
    expect(await prices({ query: ofA, limit: 1, offset: 1 })).toEqual([2]);
    expect(
      await prices({ query: { $expr: { $gt: [field("prompt_token_cost"), { $literal: 1 }] } } }),
    ).toEqual([3, 2]);
    const since = { $expr: { $gte: [field("effective_date"), { $literal: "2026-01-02T00:00:00Z" }] } };
    expect(await prices({ query: since })).toEqual([3, 2]);
    expect(await prices({ sort_by: [{ field: "prompt_token_cost", direction: "desc" }] })).toEqual([3, 2, 1]);
    expect(await prices({ sort_by: [{ field: "effective_date", direction: "asc" }] })).toEqual([1, 3, 2]);
    expect(await listed(project, { fields: ["llm_id"], limit: 1 })).toEqual([{ llm_id: "a" }]);
    const unknown = { $expr: { $eq: [field("nothing"), { $literal: 1 }] } };
    expect((await post("/cost/query", { project_id: project, query: unknown })).status).toBe(400);
    expect((await post("/cost/query", { project_id: project, limit: -1 })).status).toBe(422);
  });

  it("are deleted by id alone, those of the project", async () => {
    const project = "acme/purge";
    const [one = ""] = await add(project, { m: sdkCost(1, 1) });
    const [two = ""] = await add(project, { m: sdkCost(2, 2) });
    const [three = ""] = await add(project, { m: sdkCost(3, 3) });
    const [other = ""] = await add("acme/purge-other", { m: sdkCost(4, 4) });
    const purge = (query: unknown) => post("/cost/purge", { project_id: project, query });
    for (const query of [
      EVERYTHING,
      { $expr: { $eq: [{ $getField: "llm_id" }, { $literal: "m" }] } },
      { $expr: { $in: [{ $getField: "id" }, [{ $literal: 1 }]] } },
      { $expr: { $not: [isId(one).$expr] } },
      { $expr: {} },
    ])
      expect((await purge(query)).status).toBe(400);
    expect((await purge(undefined)).status).toBe(422);
    expect(await listed(project)).toHaveLength(3);
    expect(await purge(among([one, other, "nothing"]))).toEqual({ status: 200, body: {} });
    expect((await listed(project)).map(({ id }) => id)).toEqual([two, three]);
    expect(await listed("acme/purge-other")).toHaveLength(1);
    expect((await purge(isId(two))).status).toBe(200);
    expect((await purge({ $expr: { $or: [isId(three).$expr, among([one]).$expr] } })).status).toBe(200);
    expect(await listed(project)).toEqual([]);
  });

  it.each([
    ["without a name", { "": sdkCost(1, 1) }, ["costs", ""]],
    ["of a name with U+0000", { "a\0": sdkCost(1, 1) }, ["costs", "a\0"]],
    ["below 0", { m: sdkCost(-1, 1) }, ["costs", "m", "prompt_token_cost"]],
    ["that are texts", { m: sdkCost("1" as never, 1) }, ["costs", "m", "prompt_token_cost"]],
    ["that lack a side", { m: { prompt_token_cost: 1 } }, ["costs", "m", "completion_token_cost"]],
    ["of no time", { m: sdkCost(1, 1, { effective_date: "soon" }) }, ["costs", "m", "effective_date"]],
    ["that are no object", { m: 1 }, ["costs", "m"]],
    ["in a list", [], ["costs"]],
  ])("%s are refused, all of a request", async (_, costs, place) => {
    const { status, body } = await post("/cost/create", {
      project_id: "acme/refused",
      costs: Array.isArray(costs) ? costs : { fine: sdkCost(1, 1), ...costs },
    });
    expect([status, body["detail"]]).toMatchObject([422, [{ loc: ["body", ...place] }]]);
    expect(await listed("acme/refused")).toEqual([]);
  });

  it("beyond a double are refused, and those that read as 0 are 0", async () => {
    for (const number of ["1e400", "-1e400", "9".repeat(400)])
      expect((await post("/cost/create", digits(number))).status).toBe(422);
    expect((await post("/cost/create", digits("1e-400"))).status).toBe(200);
    expect((await listed("acme/digits"))[0]).toMatchObject({ prompt_token_cost: 0 });
  });

  it("are nothing to who may not use the project", async () => {
    const [id] = await add("acme/own", { m: sdkCost(1, 1) });
    for (const [path, more] of [
      ["/cost/create", { costs: { m: sdkCost(2, 2) } }],
      ["/cost/query", {}],
      ["/cost/purge", { query: isId(id) }],
    ] as const)
      expect((await post(path, { project_id: "acme/own", ...more }, service.eve)).status).toBe(403);
    const purge = await post("/cost/purge", { project_id: "other/project", query: isId(id) }, service.eve);
    expect(purge.status).toBe(200);
    expect(await listed("other/project", {}, service.eve)).toEqual([]);
    expect(await listed("acme/own")).toHaveLength(1);
  });
});

const EVALUATION = "e";
const HOUR = 3_600_000;
const START = Date.parse("2026-03-01T00:00:00Z");
const at = (hours: number) => new Date(START + hours * HOUR).toISOString();

/** A finished run with a trial for each summary, which its predict call says; trial `i` began `i` hours after the first. */
async function run(project_id: string, summaries: readonly object[], id = EVALUATION): Promise<void> {
  await service.engine.ingestCalls(
    [
      root(id, { started_at: at(0) }),
      ...summaries.flatMap((summary, i) => [
        trial(`${id}-${i}`, { i }, { ok: true }, { parent_id: id, started_at: at(i - 1), ...summary }),
        call(`${id}-${i}-p`, {
          parent_id: `${id}-${i}`,
          op_name: "model.predict",
          started_at: at(i),
          ...summary,
        }),
      ]),
    ].map((one) => ({ ...one, project_id })),
  );
}

async function spent(project: string, more: object = { include_costs: true }) {
  const request = { evaluation_call_ids: [EVALUATION], include_summary: true, ...more };
  const { rows, summary, warnings } = await service.engine.queryEvalResults(project, request);
  const trials = rows.flatMap(({ evaluations }) => evaluations.flatMap((one) => one.trials));
  const ids = trials.map(({ predict_and_score_call_id: id, total_cost }) => [id, total_cost] as const);
  const ordered = ids.toSorted(([a], [b]) => Number(a.slice(2)) - Number(b.slice(2)));
  const total = summary?.evaluations[0]?.predict_total_cost ?? null;
  return { costs: ordered.map(([, cost]) => cost), total, warnings };
}

const used = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  summary: { usage: { m: { prompt_tokens, completion_tokens, ...more } } },
});

describe("what a trial costs", () => {
  it("is its tokens times the price of the project, those of a cache too, until the price goes", async () => {
    const project = "acme/priced";
    const caches = { cache_read_input_tokens: 8, cache_creation_input_tokens: 16 };
    await run(project, [used(1, 2), used(3, 4, caches), used(5, 6, { ...caches, cost: 0.25 }), {}]);
    expect(await spent(project)).toMatchObject({ costs: [null, null, 0.25, null], total: 0.25 });
    const [id] = await add(project, {
      m: sdkCost(0.5, 4, { cache_read_input_token_cost: 0.125, cache_creation_input_token_cost: 2 }),
    });
    expect(await spent(project)).toEqual({
      costs: [8.5, 1.5 + 16 + 1 + 32, 0.25, null],
      total: 8.5 + 50.5 + 0.25,
      warnings: [],
    });
    // A price that changes does not change what calls state.
    await add(project, { m: sdkCost(1, 8, { effective_date: "2026-11-30T00:00:00Z" }) });
    expect((await spent(project)).costs).toEqual([17, 35, 0.25, null]);
    expect((await spent("acme/elsewhere")).costs).toEqual([]);
    const all = (await listed(project)).map((price) => price["id"]);
    expect(all).toContain(id);
    await post("/cost/purge", { project_id: project, query: among(all) });
    expect(await spent(project)).toEqual({
      costs: [null, null, 0.25, null],
      total: 0.25,
      warnings: ['no price for the model "m": 2 trials have no cost'],
    });
  });

  it("is by the prices of the request before those of the project, which name a model exactly", async () => {
    const project = "acme/order";
    await run(project, [
      used(1, 1),
      { summary: { usage: { M: { input_tokens: 1, output_tokens: 1 } } } },
      { summary: { usage: { m: { prompt_tokens: 1, total_tokens: 2 } } } },
      { summary: { usage: { m: { prompt_tokens: 1, completion_tokens: 1 }, other: {} } } },
    ]);
    await add(project, { m: sdkCost(1, 2), "m ": sdkCost(9, 9) });
    expect(await spent(project)).toEqual({
      costs: [3, null, null, null],
      total: 3,
      warnings: [
        'no price for the model "M": 1 trial has no cost',
        '"m" has a price, but its calls tell no input and output tokens: 1 trial has no cost',
        'no price for the model "other": 1 trial has no cost',
      ],
    });
    const prices = { m: { input: 4e6, output: 0 }, other: { input: 1, output: 1 } };
    expect((await spent(project, { prices })).costs).toEqual([4, null, null, null]);
    expect((await spent(project, { prices: { M: { input: 1e6, output: 2e6 } } })).costs).toEqual([
      3,
      3,
      null,
      null,
    ]);
    expect((await spent(project, {})).costs).toEqual([null, null, null, null]);
  });

  const seed = Number(process.env["SEED"] ?? 404);
  it(`is by the price in force when its call began, else by the latest (SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    for (let round = 0; round < 6; round++) {
      const project = `acme/force-${round}`;
      const count = 12;
      await run(
        project,
        Array.from({ length: count }, () => used(1, 0)),
      );
      const prices: { since: number; price: number }[] = [];
      for (let i = 0; i < round + 1; i++) {
        const one = { since: Math.floor(random() * 18) - 3, price: i + 1 };
        prices.push(one);
        await add(project, { m: sdkCost(one.price, 0, { effective_date: at(one.since) }) });
      }
      // The last of those that are equally late, in the order of creation.
      const latest = (some: typeof prices) =>
        some.reduce<(typeof prices)[number] | null>(
          (best, one) => (best === null || one.since >= best.since ? one : best),
          null,
        );
      const expected = Array.from({ length: count }, (_, i) => {
        const begun = prices.filter(({ since }) => since <= i);
        return (latest(begun) ?? latest(prices))?.price ?? null;
      });
      expect((await spent(project)).costs).toEqual(expected);
    }
  });

  it("is the same in leaderboards, comparisons, tables and usage", async () => {
    const project = "acme/doors";
    await run(project, [used(1, 2), used(3, 4), used(5, 6)]);
    await add(project, { m: sdkCost(0.1, 0.7) });
    const { engine } = service;
    const { total } = await spent(project);
    const { entries } = await engine.leaderboard(project, { costs: true });
    expect(entries[0]?.cost).toEqual({ total, trial_count: 3, carried_count: 0 });
    const request = { evaluation_call_ids: [EVALUATION], include_costs: true } as const;
    const table = await engine.queryTable(project, request);
    const column = table.schema.fields.findIndex(({ name }) => name === "total_cost");
    const values = Array.from(table.getChildAt(column) ?? [], Number);
    expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(Number(total), 12);
    const plain = await engine.queryTable(project, { evaluation_call_ids: [EVALUATION] });
    expect(plain.schema.fields.map(({ name }) => name)).not.toContain("total_cost");
    const usage = await engine.queryEvalResults(project, {
      ...request,
      include_summary: true,
      include_usage: true,
    });
    expect(usage.summary?.evaluations[0]?.usage?.cost?.mean).toBeCloseTo(Number(total) / 3, 12);
    await run(project, [used(11, 2), used(13, 4), used(15, 6)], "f");
    const asked = { baseline: EVALUATION, candidates: ["f"], costs: true };
    const { comparisons } = await engine.compareEvaluations(project, asked);
    const cost = comparisons.find(({ scorer_key: key }) => key === "cost");
    expect(cost?.baseline_mean).toBeCloseTo(Number(total) / 3, 12);
    expect(cost?.difference).toBeCloseTo(1, 12);
  });

  it("is in an export that does not ask for it only where a call states it", async () => {
    const project = "acme/exported";
    await run(project, [used(1, 2), used(1, 2, { cost: 0.25 })]);
    await add(project, { m: sdkCost(1, 1) });
    const exported = async (more: object) => {
      const path = scratchPath("results.csv");
      const request = { evaluation_call_ids: [EVALUATION], ...more };
      await service.engine.exportResults(project, request, { format: "csv", path });
      const [names = "", ...lines] = readFileSync(path, "utf8").replaceAll('"', "").trim().split("\n");
      const column = names.split(",").indexOf("total_cost");
      return new Set(lines.map((line) => line.split(",")[column]));
    };
    expect(await exported({})).toEqual(new Set(["", "0.25"]));
    expect(await exported({ include_costs: true })).toEqual(new Set(["0.25", "3.0"]));
  });

  it("is gone with its call, and stays by its price where another price goes", async () => {
    const project = "acme/gone";
    await run(project, [used(1, 0), used(1, 0)]);
    await add(project, { m: sdkCost(2, 0) });
    const [other] = await add(project, { n: sdkCost(5, 0) });
    expect((await spent(project)).total).toBe(4);
    await service.engine.deleteCalls(project, ["e-1"]);
    expect(await spent(project)).toMatchObject({ costs: [2], total: 2 });
    await post("/cost/purge", { project_id: project, query: isId(other) });
    expect((await spent(project)).total).toBe(2);
  });
});
