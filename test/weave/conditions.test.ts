import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT } from "../support/records.ts";
import { startWeave, type WeaveService } from "./service.ts";

let service: WeaveService;
beforeAll(async () => {
  service = await startWeave();
});
afterAll(() => service.stop());

const PATHS = ["/calls/stream_query", "/calls/query_stats", "/feedback/query"] as const;
const field = { $getField: "id" };
const isX = { $eq: [field, { $literal: "x" }] };

async function refusal(path: string, $expr: unknown): Promise<unknown> {
  const answer = await service.post(path, { project_id: PROJECT, query: { $expr } });
  const { detail } = (await answer.json()) as { detail?: readonly { loc: unknown; msg: unknown }[] };
  return [answer.status, detail?.[0]?.loc, detail?.[0]?.msg];
}

it.each(PATHS)("%s refuses more than 1,000 operands before it looks at any", async (path) => {
  const loc = ["body", "query", "$expr"];
  const refused = [422, loc, expect.stringMatching(/^must have at most 1000 operands, not \{/)];
  expect(await refusal(path, { $and: Array.from({ length: 20_000 }, () => isX) })).toEqual(refused);
  expect(await refusal(path, { $in: [field, Array.from({ length: 1000 }, () => 1)] })).toEqual(refused);
});

it.each(PATHS)("%s refuses operands nested more than 100 deep", async (path) => {
  let nots: object = isX;
  for (let depth = 0; depth < 400; depth++) nots = depth % 2 === 0 ? { $not: [nots] } : { $not: nots };
  const refused = [
    422,
    ["body", "query", "$expr"],
    expect.stringMatching(/^must be nested at most 100 operands deep, not \{/),
  ];
  expect(await refusal(path, nots)).toEqual(refused);
});

it.each(PATHS)("%s takes 1,000 operands, nested 100 deep", async (path) => {
  let deep: object = isX;
  for (let depth = 2; depth < 100; depth++) deep = { $not: deep };
  const wide = { $in: [field, Array.from({ length: 998 }, () => ({ $literal: "x" }))] };
  for (const $expr of [deep, wide]) {
    const answer = await service.post(path, { project_id: PROJECT, query: { $expr } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  }
});

it("says which operand is wrong, and what an operand may be", async () => {
  expect(await refusal(PATHS[1], { $or: [isX, { $eq: [field, { $literal: [1] }] }] })).toEqual([
    422,
    ["body", "query", "$expr", "$or", 1, "$eq", 1, "$literal"],
    expect.any(String),
  ]);
  expect(await refusal(PATHS[1], { $equal: [field, field] })).toEqual([
    422,
    ["body", "query", "$expr", "$equal"],
    expect.stringContaining("there are $literal, $getField"),
  ]);
  const msg = expect.stringMatching(/^must have one member, which names the operator, not \{/) as unknown;
  expect(await refusal(PATHS[1], { $and: [], $or: [] })).toEqual([422, ["body", "query", "$expr"], msg]);
});

it.each(PATHS)("%s refuses an empty list of operands, at any depth", async (path) => {
  for (const [name, $expr] of [["$and", { $and: [] }] as const, ["$or", { $not: [{ $or: [] }] }] as const]) {
    const answer = await service.post(path, { project_id: PROJECT, query: { $expr } });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining(`${name} needs at least one operand`),
    ]);
  }
});

it("compares and sorts times as times, whatever their zone and spelling", async () => {
  const project_id = "acme/times";
  const times = {
    a: "2026-01-01T02:00:00+02:00",
    b: "2026-01-01T00:00:01Z",
    c: "2025-12-31T19:00:02.5-05:00",
  };
  const batch = Object.entries(times).map(([id, started_at]) => {
    const call = { project_id, id, trace_id: id, op_name: "step", started_at, ended_at: started_at };
    return { ...call, attributes: {}, inputs: {}, summary: {} };
  });
  await service.post("/v2/acme/times/calls/complete", { batch });
  const ids = async (asked: object) => {
    const answer = await service.post("/calls/stream_query", { project_id, columns: ["id"], ...asked });
    return Array.from((await answer.text()).matchAll(/"id":"(.)"/g), ([, id]) => id).join("");
  };
  const second = Date.parse(times.b) / 1000;
  for (const name of ["started_at", "ended_at"]) {
    const than = (operator: string, $literal: unknown) =>
      ids({ query: { $expr: { [operator]: [{ $getField: name }, { $literal }] } } });
    for (const literal of [times.b, "2026-01-01T05:30:01+05:30", "2026-01-01 00:00:01", second])
      expect([await than("$gt", literal), await than("$lte", literal), await than("$eq", literal)]).toEqual([
        "c",
        "ab",
        "b",
      ]);
    expect(await than("$gte", "2026-01-01")).toBe("abc");
    expect(await ids({ sort_by: [{ field: name, direction: "desc" }] })).toBe("cba");
  }
  const note = { project_id, weave_ref: `weave:///${project_id}/call/a`, feedback_type: "any", payload: {} };
  await service.post("/feedback/create", note);
  const $gt = [{ $literal: 4e9 }, { $getField: "created_at" }];
  const found = await service.post("/feedback/query", { project_id, query: { $expr: { $gt } } });
  expect(await found.json()).toMatchObject({ total_count: 1 });
});
