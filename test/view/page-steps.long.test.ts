import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import type { Answers } from "../../src/view/model/answers.ts";
import { offeredSteps } from "../../src/view/model/stepped.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { readPacked } from "../../src/view/payload/packed-rows.ts";
import { scoreKey } from "../../src/words/score.ts";
import { readPackedSteps, stepsKey } from "../../src/view/payload/packed-steps.ts";
import { agentCalls } from "../steps/agent-calls.ts";
import { PROJECT } from "../support/records.ts";
import { loaded, run } from "../support/score-runs.ts";

/** The report, and the answers inside it. */
async function reported(engine: Engine, options: object = {}) {
  const html = await renderReport(engine, PROJECT, options);
  const [, json = ""] =
    /<script type="application\/json" id="evalcube-report">(.*?)<\/script>/su.exec(html) ?? [];
  return { html, answers: JSON.parse(json) as Answers };
}

/** What a report holds of single trials. */
function heldIn(html: string) {
  const [, text = ""] = /id="evalcube-steps">(.*?)<\/script>/su.exec(html) ?? [];
  return readPackedSteps(text);
}

/** The scores of a summary. */
const keysIn = ({ summary }: Answers) =>
  [...new Set(summary.evaluations.flatMap((one) => one.scorer_stats.map(scoreKey)))].toSorted();

/** Evaluations of agents that call each tool once, one of these fails in the attempts that fail. */
const agents = (evaluations: number, tools: number) =>
  agentCalls(
    Array.from({ length: evaluations }, (_, e) =>
      [true, false].map((passed, row) => ({
        id: `run-${e}-${row}`,
        of: `run-${e}`,
        row,
        passed,
        tools: Array.from({ length: tools }, (__, i) =>
          passed ? ([`tool-${i}`, "a"] as const) : ([`tool-${i}`, "a", "Timeout"] as const),
        ),
      })),
    ).flat(),
  );

describe("a report of trials without steps", () => {
  it("has the members that it had before there were steps, and no region of them", async () => {
    const engine = await loaded([...run("a", [true, false]), ...run("b", [true, true])]);
    const { html, answers } = await reported(engine);
    expect(Object.keys(answers)).toEqual([
      "format",
      "project",
      "question",
      "runs",
      "evaluations",
      "left_out",
      "also",
      "latest",
      "baseline",
      "summary",
      "warnings",
      "whole",
      "comparison",
      "histories",
      "items",
    ]);
    expect(html).not.toContain('class="section steps"');
  });
});

describe("a report of agents", () => {
  it("tells twenty tools, and how many more there are", async () => {
    const { html, answers } = await reported(await loaded(agents(1, 23)));
    expect(answers.steps?.tools.evaluations[0]).toMatchObject({ tool_count: 23 });
    expect(answers.steps?.tools.evaluations[0]?.tools).toHaveLength(20);
    expect(html).toContain("3 more");
    expect(html).toContain("Of 23 tools, none has errors that are shown to go with success.");
  });

  it("tells the steps of twenty evaluations, and how many are left out", async () => {
    const engine = await loaded(agents(23, 1));
    const { html, answers } = await reported(engine, { baseline: "run-22", runs: "all" });
    const ids = answers.steps?.tools.evaluations.map((one) => one.evaluation_call_id);
    expect(ids).toHaveLength(20);
    expect(ids?.[0]).toBe("run-22");
    expect(html).toContain("The steps of 3 further evaluations are not told.");
  });

  it("tells no steps where rows are filtered by what steps do not know, and says all else", async () => {
    const filters = [{ query: { $expr: { $gte: [{ $getField: "scores.half" }, { $literal: 0 }] } } }];
    const { answers } = await reported(await loaded(agents(2, 1)), {
      derived_scores: { half: "solved / 2" },
      filters,
    });
    expect(answers.summary.row_count).toBe(2);
    expect(answers.steps).toBeUndefined();
  });

  it("holds what its first trials did, within its size", async () => {
    const engine = await loaded(
      agentCalls(
        Array.from({ length: 40 }, (_, row) => ({
          id: `run-${row}`,
          of: "run",
          row,
          passed: row % 2 === 0,
          // What cannot be compressed.
          tools: [["search", createHash("sha512").update(`${row}`).digest("base64")] as const],
        })),
      ),
    );
    const { html: whole } = await reported(engine);
    const { html: none } = await reported(engine, { max_bytes: 1 });
    expect((await heldIn(none)).size).toBe(0);
    expect((await heldIn(whole)).size).toBe(40);
    const most = Buffer.byteLength(none) + 12_000;
    const { html } = await reported(engine, { max_bytes: most });
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(most);
    const held = await heldIn(html);
    expect(held.size).toBeGreaterThan(5);
    expect(held.size).toBeLessThan(40);
    const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["run"] });
    for (const [key, own] of held) {
      const row = rows.find(({ row_digest: digest }) => key === stepsKey(digest, 0, 0));
      const id = row?.evaluations[0]?.trials[0]?.predict_and_score_call_id ?? "";
      expect(await engine.steps(PROJECT, { view: "trial", trials: [id] })).toMatchObject(own);
    }
  });

  it("offers numbers of steps beside its scores, and compares those that are named", async () => {
    const engine = await loaded(agents(2, 2));
    const offered = ["solved", "steps.count", "steps.repeats", "steps.tool_errors"];
    const { html, answers } = await reported(engine);
    expect(keysIn(answers)).toEqual(offered);
    expect(JSON.stringify(answers.comparison)).not.toContain('"steps"');
    expect(answers.question.step_scores).toBeUndefined();
    const [, rows = ""] = /id="evalcube-rows">(.*?)<\/script>/su.exec(html) ?? [];
    const { header, dimensions } = await readPacked(rows);
    expect(header.dimensions).toEqual(offered);
    // Two rows in two evaluations, each a trial of two chats and two tools.
    expect(dimensions[1]?.()).toEqual([4, 4, 4, 4]);
    for (const question of [{ scorers: ["steps.tools"] }, { score: "steps.tools" }]) {
      const { answers: told } = await reported(engine, question);
      expect(keysIn(told)).toEqual([...offered, "steps.tools"].toSorted());
      const compared = told.comparison?.comparisons.map(scoreKey) ?? [];
      expect([...new Set(compared)]).toEqual(
        "score" in question ? ["solved", "steps.tools"] : ["steps.tools"],
      );
    }
  });

  it("calls them below evalcube where a scorer is called steps, which keeps its name", async () => {
    const stored = agents(2, 1).map((one) => {
      const { output } = one as { output?: { scores?: object } };
      const scores = { ...output?.scores, steps: { count: 7 } };
      return output?.scores === undefined ? one : { ...one, output: { ...output, scores } };
    });
    const engine = await loaded(stored);
    const { answers } = await reported(engine, { scorers: ["steps.count"] });
    const own = ["evalcube.steps.count", "evalcube.steps.repeats", "evalcube.steps.tool_errors"];
    expect(keysIn(answers)).toEqual([...own, "solved", "steps.count"]);
    expect(offeredSteps(answers.summary).toSorted()).toEqual(own);
    expect(answers.comparison?.comparisons).toMatchObject([{ scorer_key: "steps", baseline_mean: 7 }]);
    const { answers: named } = await reported(engine, { scorers: ["evalcube.steps.count"] });
    expect(named.comparison?.comparisons).toMatchObject([{ scorer_key: "evalcube", baseline_mean: 2 }]);
  });

  it("begins with no number of steps that nobody named, though nothing else differs", async () => {
    const engine = await loaded([
      ...agentCalls([{ id: "one", of: "run-0", row: 0, passed: true, tools: [["search", "a"]] }]),
      ...agentCalls([
        {
          id: "two",
          of: "run-1",
          row: 0,
          passed: true,
          tools: [
            ["search", "a"],
            ["open", "b"],
          ],
        },
      ]),
    ]);
    const { html } = await reported(engine);
    expect(html).toMatch(/<option[^>]* value="solved"[^>]* selected|<option selected[^>]*value="solved"/);
  });

  it("is told of the rows that pass the filters", async () => {
    const filters = [{ query: { $expr: { $eq: [{ $getField: "inputs.row" }, { $literal: 1 }] } } }];
    const { answers } = await reported(await loaded(agents(1, 1)), { filters });
    expect(answers.steps?.tools.evaluations[0]).toMatchObject({ trial_count: 1, tool_errors: 1 });
  });
});
