import type { StepsRequest } from "../../request/steps-request.ts";
import type { StepsAnswer } from "../../respond/steps/answer.ts";
import type { BesideAnswer } from "../../respond/steps/beside.ts";
import type { DiffAnswer, DiffPair } from "../../respond/steps/diff.ts";
import type { ToolsAnswer } from "../../respond/steps/tools-answer.ts";
import type { ShownStep, TrialAnswer } from "../../respond/steps/trial.ts";
import { counted, countText } from "../../words/figures.ts";
import { toolCount } from "../../words/steps.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, plain } from "../base/naming.ts";
import { type Answered, commandRequest, tool } from "../base/tool.ts";

export const steps = tool({
  name: "steps",
  title: "Read steps of agents",
  description: [
    "What did agents do? tools: which fail, and does that go with less success. diff: where failing attempts leave",
    "passing ones. With trials: one step by step, or two or three beside each other. Next: row with a row_digest.",
  ].join(" "),
  input: {
    ...argumentsOf("project", "view", "success", "against", "filters", "cursor"),
    evaluations: ARGUMENTS.evaluations.optional(),
    trials: ARGUMENTS.trial_ids,
  },
  quotes: true,
  run: async (asked) => {
    const { engine, project, given, signal, offset, maxBytes } = asked;
    const { evaluations: evaluation_call_ids, ...rest } = given;
    const view = rest.view ?? viewOf(rest.trials);
    const wanted = { ...rest, view, ...(evaluation_call_ids === undefined ? {} : { evaluation_call_ids }) };
    const { request, warned } = await named<StepsRequest>(asked, wanted);
    const most = Math.min(MOST_ITEMS, Math.ceil(maxBytes / SMALLEST_ITEM));
    const page = view === "tools" ? { limit: MOST_TOOLS } : { limit: most, offset };
    const answer = await engine.steps(project, { ...request, ...page }, { signal });
    const { warnings, ...told } = toldAnswer(answer);
    return {
      warnings: warned(warnings),
      ...told,
      ...(view === "tools" ? {} : { first: offset }),
      request: () => commandRequest("steps", project, request),
    };
  },
});

const MOST_ITEMS = 1000;
const MOST_TOOLS = 10_000;
/** No item takes fewer bytes. */
const SMALLEST_ITEM = 50;

/** What trials that are named ask for. */
function viewOf(trials: readonly string[] | undefined): NonNullable<StepsRequest["view"]> {
  if (trials === undefined) return "tools";
  return trials.length === 1 ? "trial" : "diff";
}

/** What an answer says, its list, and the rest; what was written by others stands in `quoted`. */
function toldAnswer(answer: StepsAnswer): Told {
  if (answer.view === "tools") return toldTools(answer);
  if (answer.view === "trial") return toldTrial(answer);
  return "lines" in answer ? toldLines(answer) : toldPairs(answer);
}

type Told = Pick<Answered, "items" | "total" | "says" | "data"> & { readonly warnings: readonly string[] };

function toldTools({ warnings, ...answer }: ToolsAnswer): Told {
  const { evaluations, ...rest } = answer;
  const items = evaluations.flatMap(({ evaluation_call_id, tools }) =>
    tools.map(({ name, error_types, ...one }) => ({
      evaluation_call_id,
      ...one,
      quoted: { name, error_types },
    })),
  );
  const sums = evaluations.map(({ tools: _tools, label: _label, ...one }) => one);
  return {
    warnings,
    items,
    says: () => [toolCount(evaluations)],
    data: (tools) => ({ ...rest, evaluations: sums, tools }),
  };
}

function toldTrial({ warnings, steps: list, error, stop_reason, ...rest }: TrialAnswer): Told {
  return {
    warnings,
    items: list.map(quotedStep),
    total: rest.step_count,
    says: (shown) => [`${counted(rest.step_count, "step")}, ${countText(shown)} shown`],
    data: (shown) => ({ ...rest, quoted: { error, stop_reason }, steps: shown }),
  };
}

function toldLines({ warnings, lines, first_difference, ...rest }: BesideAnswer): Told {
  return {
    warnings,
    items: lines,
    total: rest.line_count,
    says: () => [`${counted(rest.trials.length, "trial")} beside each other`],
    data: (shown) => ({ ...rest, quoted: { first_difference }, lines: shown }),
  };
}

function toldPairs({ warnings, pairs, totals: { instead, ...totals }, ...rest }: DiffAnswer): Told {
  const attempts = `${counted(totals.trials, "failing attempt")} on ${counted(totals.rows, "row")}`;
  return {
    warnings,
    items: pairs.map(quotedPair),
    total: rest.pair_count,
    says: () => [`${attempts} have a passing one beside them.`],
    data: (shown) => ({ ...rest, totals, quoted: { instead }, pairs: shown }),
  };
}

function quotedStep({ name, model, error_type, finish_reason, input, output, ...one }: ShownStep): object {
  return plain({ ...one, quoted: { name, model, error_type, finish_reason, input, output } }) as object;
}

function quotedPair({ first_difference, ...one }: DiffPair): object {
  return { ...one, quoted: { first_difference } };
}
