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
