import { expect, it } from "vitest";
import { openSteps } from "./compared-steps.ts";
import type { TreeCall } from "./oracle.ts";

const PROJECT = "own/steps";

function call(id: string, parent_id: string, attributes: NonNullable<TreeCall["attributes"]>): TreeCall {
  return { id, project_id: PROJECT, op_name: "x", started_at: "2026-03-01T00:00:00Z", parent_id, attributes };
}

const ROOTS: TreeCall[] = [
  { id: "e", project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: "2026-03-01T00:00:00Z" },
  {
    ...call("t", "e", {}),
    op_name: "Evaluation.predict_and_score",
    inputs: { example: { q: 1 } },
    output: { output: 1, scores: { ok: true } },
  },
];

it("a chain of 50,000 parents leads to its trial, and a circle of as many to none", async () => {
  const many = Array.from({ length: 50_000 }, (_, i) => i);
  const engine = await openSteps();
  await engine.ingestCalls([
    ...ROOTS,
    ...many.map((i) =>
      call(`c${i}`, i === 0 ? "t" : `c${i - 1}`, i === many.length - 1 ? { weave: { kind: "tool" } } : {}),
    ),
    ...many.map((i) => call(`o${i}`, `o${(i + 1) % many.length}`, { weave: { kind: "llm" } })),
  ]);
  const found = await engine.fromWalk();
  expect(found).toMatchObject([{ call_id: "c49999", step: 1, operation: "execute_tool" }]);
  expect(await engine.fromView()).toEqual(found);
  await engine.close();
});

it("a chain of 30,000 tools, each below the one before, is numbered alike by the walk and in SQL", async () => {
  const count = 30_000;
  const engine = await openSteps();
  await engine.ingestCalls([
    ...ROOTS,
    ...Array.from({ length: count }, (_, i) => ({
      ...call(`c${i}`, i === 0 ? "t" : `c${i - 1}`, { weave: { kind: "tool" }, "evalcube.step": i }),
      inputs: { i },
    })),
  ]);
  const found = await engine.fromWalk();
  const byId = new Map(found.map((one) => [one["call_id"], one["step"]]));
  expect(byId).toEqual(new Map(Array.from({ length: count }, (_, i) => [`c${i}`, i + 1])));
  expect(await engine.fromView()).toEqual(found);
  await engine.close();
});

it("names with control characters, quotes and lone surrogates, and arguments of 5 MB, are as they were sent", async () => {
  const names = ["\u0007bell", `"quoted"`, "__proto__", "constructor", "\ud800", "\u202egnirts", "a.b"];
  const engine = await openSteps();
  await engine.ingestCalls([
    ...ROOTS,
    ...names.map((name, i) =>
      call(`n${i}`, "t", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "evalcube.step": i,
      }),
    ),
    {
      ...call("long", "t", { weave: { kind: "tool" }, "evalcube.step": 99 }),
      inputs: { text: "x".repeat(5_000_000) },
    },
  ]);
  const found = await engine.fromWalk();
  const inOrder = found.toSorted((a, b) => Number(a["step"]) - Number(b["step"]));
  expect(inOrder.map(({ name }) => name)).toEqual([...names.map((name) => name.toWellFormed()), "x"]);
  expect(await engine.fromView()).toEqual(found);
  await engine.close();
});
