import { beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { countedRuns, PROJECT } from "../steps/counted-runs.ts";
import { connect, serviceOf, type Asker } from "./clients.ts";

let engine: Engine;
let asker: Asker;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    ...countedRuns(),
    { id: "bare", project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: "2026-01-01T00:00:00Z" },
    {
      id: "bare-1",
      project_id: PROJECT,
      op_name: "Evaluation.predict_and_score",
      parent_id: "bare",
      started_at: "2026-01-01T00:00:01Z",
      inputs: { example: { q: 1 } },
      output: { output: "x", scores: { ok: true } },
    },
  ]);
  asker = await connect("2025-11-25", serviceOf(engine).transport());
  return async () => {
    await asker.close();
    await engine.close();
  };
});

interface Told {
  readonly field: string;
  readonly type: string;
  readonly trials?: number;
}

async function stepsOf(evaluations?: readonly string[]): Promise<Told[]> {
  const asked = { ...(evaluations === undefined ? {} : { evaluations }), max_bytes: 100_000 };
  const { structured } = await asker.call("describe_fields", asked);
  return (structured.data.fields as Told[]).filter(({ field }) => field.startsWith("steps."));
}

it("describe_fields names what steps count, of tools by their names, where a trial has steps", async () => {
  const told = await stepsOf(["one"]);
  const all = ["count", "chats", "tools", "errors", "tool_errors", "repeats", "first_error"];
  const ofTools = [String.raw`tool.fs\.read`, "tool.search"].flatMap((one) => [
    `${one}.calls`,
    `${one}.errors`,
  ]);
  expect(told.map(({ field }) => field)).toEqual([...all, ...ofTools].map((name) => `steps.${name}`));
  const { evaluations } = await engine
    .steps(PROJECT, { evaluation_call_ids: ["one"] })
    .then((answer) => (answer.view === "tools" ? answer : { evaluations: [] }));
  const stepped = evaluations[0]?.trials_with_steps;
  expect(new Set(told.map(({ type, trials }) => `${type} ${trials}`))).toEqual(
    new Set([`number ${stepped}`]),
  );
  expect(await stepsOf()).toHaveLength(told.length);
  expect(await stepsOf(["bare"])).toEqual([]);
});

it("each field that is named can be filtered by", async () => {
  for (const { field } of await stepsOf()) {
    const { isError } = await asker.call("rows", { evaluations: ["one"], filters: [`${field} >= 1`] });
    expect(isError, field).not.toBe(true);
  }
});

it.each([
  ["summary", { evaluations: ["one", "two"] }],
  ["leaderboard", {}],
  ["compare", { baseline: "one", candidates: ["two"] }],
])(
  "numbers of steps that are named are scores of the tool %s, as the same numbers that are stored",
  async (tool, asked) => {
    const told = async (name: string) => {
      const { structured } = await asker.call(tool, { ...asked, scorers: [name], max_bytes: 100_000 });
      const text = JSON.stringify(structured.data, (key, value: unknown) =>
        key === "better" ? undefined : value,
      );
      expect(text).toMatch(/"(?:row|candidate)_mean":\d/);
      return text.replaceAll(/"scorer_key":"\w+"/g, "").replaceAll(name, "NAME");
    };
    expect(await told("steps.count")).toEqual(await told("same.count"));
  },
);

it("summary says at its own argument that a name counts nothing of steps", async () => {
  const asked = { evaluations: ["one"], scorers: ["ok", "steps.nope"] };
  const { isError, text } = await asker.call("summary", asked);
  expect(isError).toBe(true);
  expect(text).toContain("scorers[1]: ");
  expect(text).toMatch(/steps\.nope\W+ counts nothing; there are steps\.count,/);
  expect(text).not.toContain("step_scores");
});
