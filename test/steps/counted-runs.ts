import type { CallRecord, CompareRequest, EvalResultsRequest } from "../../src/index.ts";
import { numbersFrom } from "./random-trees.ts";

export const PROJECT = "acme/agents";
const NUMBERS = ["count", "chats", "tools", "errors", "tool_errors", "repeats", "first_error"] as const;

function time(ms: number): string {
  return new Date(Date.parse("2026-04-01T00:00:00Z") + ms).toISOString();
}

/** Two runs over the same rows, whose trials store the same numbers as scores that their steps count. */
export function countedRuns(): CallRecord[] {
  const random = numbersFrom(11);
  const calls: CallRecord[] = [];
  for (const run of ["one", "two"]) {
    calls.push({
      id: run,
      project_id: PROJECT,
      op_name: "Evaluation.evaluate",
      started_at: time(run === "one" ? 0 : 10),
    });
    for (let t = 0; t < 24; t++) {
      const id = `${run}-${t}`;
      const steps = t % 8 === 7 ? 0 : 1 + Math.floor(random() * (run === "one" ? 6 : 9));
      const counted = { count: 0, chats: 0, tools: 0, errors: 0, tool_errors: 0, repeats: 0, first_error: 0 };
      const ofTool = { search: 0, "fs.read": 0 };
      const seen = new Set<string>();
      for (let i = 0; i < steps; i++) {
        const name = random() < 0.5 ? "search" : "fs.read";
        const isTool = random() < 0.6;
        const isError = random() < 0.3;
        const query = Math.floor(random() * 3);
        const attributes = isTool
          ? { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name }
          : { "gen_ai.operation.name": "chat" };
        calls.push({
          id: `${id}-${i}`,
          project_id: PROJECT,
          op_name: "step",
          parent_id: id,
          started_at: time(100 * t + i),
          attributes,
          inputs: { query },
          ...(isError ? { exception: "Timeout" } : {}),
        });
        counted.count++;
        if (isTool) {
          counted.tools++;
          ofTool[name]++;
          if (seen.has(`${name} ${query}`)) counted.repeats++;
          seen.add(`${name} ${query}`);
        } else counted.chats++;
        if (isError) {
          counted.errors++;
          if (isTool) counted.tool_errors++;
          if (counted.first_error === 0) counted.first_error = counted.count;
        }
      }
      const same = {
        ...counted,
        first_error: counted.first_error === 0 ? null : counted.first_error,
        search: ofTool.search,
        read: ofTool["fs.read"],
      };
      calls.push({
        id,
        project_id: PROJECT,
        op_name: "Evaluation.predict_and_score",
        parent_id: run,
        started_at: time(100 * t),
        attributes: { evalcube: { stop_reason: steps > 4 ? "limit" : "" } },
        inputs: { example: { q: t % 12 }, model: run },
        output: { output: "x", scores: { ok: random() < 0.6, ...(steps === 0 ? {} : { same }) } },
      });
    }
  }
  return calls;
}

export const RUNS = ["one", "two"];

/** Fields of steps, and the scores with the same numbers. */
export const PAIRS = [
  ...NUMBERS.map((name) => [`steps.${name}`, `scores.same.${name}`] as const),
  ["steps.tool.search.calls", "scores.same.search"] as const,
  [String.raw`steps.tool.fs\.read.calls`, "scores.same.read"] as const,
];

/** Questions whose answers depend on the numbers in a field. */
export function asked(name: string): Partial<EvalResultsRequest>[] {
  const field = name as "steps.count";
  return [
    { sort_by: [{ field, direction: "desc" }] },
    { sort_by: [{ field, mode: "difference", direction: "asc" }] },
    { filters: [{ query: { $expr: { $gte: [{ $getField: name }, { $literal: 2 }] } } }] },
    { filters: [{ quantifier: "mean", query: { $expr: { $lt: [{ $getField: name }, { $literal: 3 }] } } }] },
    { moved: { field, baseline: "one", direction: "up" } },
    { missing: { field } },
  ];
}

export function comparedBy(scorer: string): CompareRequest {
  return { baseline: "one", candidates: ["two"], scorers: [scorer], lower_is_better: [scorer] };
}
