import type { PlanRequest } from "../../request/plan-request.ts";
import { planSentences } from "../../words/plan.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";

export const plan = tool({
  name: "plan",
  title: "Plan rows",
  description:
    "How many rows does a run need to find a difference? Ask before it runs. Name a run with rows like those that are planned, better a pair over the same rows, or a rate. Next: compare, once it ran.",
  input: {
    ...argumentsOf(
      "project",
      "detect",
      "scorer",
      "evaluation",
      "rate",
      "trials",
      "power",
      "confidence",
      "cluster_by",
    ),
    baseline: ARGUMENTS.baseline.optional(),
    candidate: ARGUMENTS.evaluation.describe("with baseline"),
    candidates: ARGUMENTS.candidate_count,
  },
  quotes: false,
  run: async (asked) => {
    const { engine, project, signal } = asked;
    const { candidates, ...given } = asked.given;
    const { request: resolved, warned } = await named<PlanRequest>(asked, given);
    const request = { ...resolved, ...(candidates === undefined ? {} : { candidates }) };
    const { notes, plans, ...answer } = await engine.planRows(project, request, { signal });
    return {
      warnings: warned(notes),
      items: plans,
      says: () => planSentences({ ...answer, notes, plans }),
      data: (shown) => ({ ...answer, plans: shown }),
      request: () => commandRequest("plan", project, request),
    };
  },
});
