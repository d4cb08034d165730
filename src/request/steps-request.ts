import { z } from "zod";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import { nameText } from "../model/name-text.ts";
import type { Adjustment } from "./compare-request.ts";
import type { EvalRequest } from "./eval-request.ts";
import { nameAt, namesIn, type EvaluationName, type IdOf } from "./evaluation-name.ts";
import type { Filter } from "./eval-results-request.ts";
import { meaningless } from "./meaningless.ts";
import { parseRequest } from "./parse-request.ts";
import { unchecked } from "./scope.ts";
import { withIds } from "./eval-request.ts";
import { evalResultsRequest, priceList, type PriceList } from "./wire.ts";

const MOST_EVALUATIONS = 200;
const MOST_BESIDE = 3;
const MOST_LISTED = 10_000;
const MOST_WHOLE = 50;
const USUAL_LIMIT = 200;

const own = {
  view: z.enum(["tools", "trial", "diff"]).nullish(),
  evaluation_call_ids: z.array(z.string()).min(1).max(MOST_EVALUATIONS).nullish(),
  trials: z.array(z.string()).min(1).max(MOST_BESIDE).nullish().describe("1 of `trial`, 2 or 3 of `diff`"),
  success: scoreName.nullish().describe("says which trials passed; default: the first of true and false"),
  against: z.string().nullish().describe("of `diff`: whose passing trials count; default: each its own"),
  confidence: confidenceLevel.nullish(),
  adjust: z.enum(["holm", "benjamini-hochberg", "none"]).nullish(),
  prices: priceList.nullish(),
  texts: z
    .union([z.boolean(), z.literal("line")])
    .nullish()
    .describe("of `trial`; default: line"),
  limit: z.int().min(0).max(MOST_LISTED).nullish(),
  offset: z.int().min(0).nullish(),
};

const { filters, filter_logic_operator } = evalResultsRequest.shape;
const scope = { filters, filter_logic_operator };

const stepsRequest = z.strictObject({ ...own, ...unchecked(scope) });

/** The wire format of a request about steps, for descriptions; `parseStepsRequest` is what checks one. */
export const stepsRequestWire = z.strictObject({ ...own, ...scope }).meta({ id: "StepsRequest" });

type View = NonNullable<StepsRequest["view"]>;

/** What agents did inside trials; null means left out. */
export interface StepsRequest {
  /** Which tools fail (default), one trial, or where failing trials leave passing ones. */
  readonly view?: "tools" | "trial" | "diff" | null | undefined;
  /** 1 to 200 ids or names of evaluations; may be left out where trials are named. */
  readonly evaluation_call_ids?: readonly string[] | null | undefined;
  /** Ids of trials: one of the view `trial`, two or three of `diff`. */
  readonly trials?: readonly string[] | null | undefined;
  /** The score of true and false, or 0 and 1, that says whether a trial passed. Default: the first such by name. */
  readonly success?: string | null | undefined;
  /** Conditions that rows must satisfy. */
  readonly filters?: readonly Filter[] | null | undefined;
  /** Whether a row must satisfy all filters (`and`, default) or one of them. */
  readonly filter_logic_operator?: "and" | "or" | null | undefined;
  /** Of `diff`: the evaluation whose passing trials count. Default: of each evaluation its own. */
  readonly against?: string | null | undefined;
  /** Of `tools`: confidence level of the intervals; an association is shown at 1 less it. Default 0.95. */
  readonly confidence?: number | null | undefined;
  /** Of `tools`: how p values are adjusted for each other. Default `holm`. */
  readonly adjust?: Adjustment | null | undefined;
  /** Money per million tokens, by model, for calls that state no cost. */
  readonly prices?: PriceList | null | undefined;
  /** Of `trial`: whether steps have input and output, whole or as one line (default). */
  readonly texts?: boolean | "line" | null | undefined;
  /** How many tools of each evaluation, steps, pairs or lines: 0 to 10,000, with whole texts to 50. Default 200, 50. */
  readonly limit?: number | null | undefined;
  /** How many come before. Default 0. */
  readonly offset?: number | null | undefined;
}

/** A request about steps after it is checked. */
export interface AskedSteps<Evaluation = string> {
  readonly view: View;
  /** Empty where none is named. */
  readonly trials: readonly string[];
  readonly against: Evaluation | null;
  readonly confidence: number;
  readonly adjust: Adjustment;
  readonly texts: boolean | "line";
  readonly limit: number;
  readonly offset: number;
  readonly request: EvalRequest<Evaluation>;
}

/** The views that members are of which not all have; `beside`: not where trials are named. */
const OF_VIEWS: Readonly<Record<string, { readonly views: readonly View[]; readonly beside: boolean }>> = {
  success: { views: ["tools", "diff"], beside: true },
  filters: { views: ["tools", "diff"], beside: false },
  filter_logic_operator: { views: ["tools", "diff"], beside: false },
  against: { views: ["diff"], beside: false },
  confidence: { views: ["tools"], beside: true },
  adjust: { views: ["tools"], beside: true },
  texts: { views: ["trial"], beside: true },
};

/** Trials that a view takes: from, to. */
const TRIALS: Readonly<Record<View, readonly [least: number, most: number, said: string]>> = {
  tools: [0, 0, "tools are of evaluations: name no trial, or the view trial"],
  trial: [1, 1, "trial takes one trial"],
  diff: [2, MOST_BESIDE, "diff takes two or three trials, or evaluations"],
};

/** Checks a request about steps. Throws `RequestError` with every issue found. */
export function parseStepsRequest(input: unknown): AskedSteps<EvaluationName> {
  const asked = checkArgument(input, stepsRequest);
  const { view: named, trials: ids, confidence, adjust, texts: wanted, limit: most, offset, ...rest } = asked;
  const { evaluation_call_ids: evaluations, against, success, ...rows } = rest;
  const [view, texts] = [named ?? "tools", wanted ?? "line"];
  const trials = [...new Set(ids ?? [])];
  checkMembers(asked, view, trials.length);
  if (trials.length === 0 && evaluations == null)
    throw meaningless(["evaluation_call_ids"], "name evaluations");
  const limit = most ?? (texts === true ? MOST_WHOLE : USUAL_LIMIT);
  if (texts === true && limit > MOST_WHOLE)
    throw meaningless(["limit"], `with whole texts it is at most ${MOST_WHOLE}, not ${limit}`);
  const request = parseRequest({
    ...rows,
    success,
    include_feedback: success?.startsWith("feedback.") === true,
    include_rows: false,
    include_summary: true,
    evaluation_call_ids: evaluations,
  });
  return {
    view,
    trials,
    against: nameAt(against, ["against"]),
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    texts,
    limit,
    offset: offset ?? 0,
    request: { ...request, evaluationIds: namesIn(evaluations, "evaluation_call_ids") },
  };
}

function checkMembers(asked: Readonly<Record<string, unknown>>, view: View, trials: number): void {
  const [least, most, said] = TRIALS[view];
  const isNamed = asked["trials"] != null;
  if ((isNamed && (trials < least || trials > most)) || (view === "trial" && !isNamed))
    throw meaningless(["trials"], said);
  for (const [member, { views, beside }] of Object.entries(OF_VIEWS)) {
    if (asked[member] == null) continue;
    if (!views.includes(view))
      throw meaningless([member], `is of ${views.map((one) => nameText(one)).join(" and ")}, not of ${view}`);
    if (isNamed && !beside)
      throw meaningless([member], "does not go together with trials; leave one of them out");
  }
}

/** The request with an id for each name. */
export function stepsWithIds(asked: AskedSteps<EvaluationName>, idOf: IdOf): AskedSteps {
  const against = asked.against === null ? null : idOf(asked.against);
  return { ...asked, against, request: withIds(asked.request, idOf) };
}
