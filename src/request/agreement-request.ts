import { z } from "zod";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import type { EvalRequest } from "./eval-request.ts";
import { namesIn, type EvaluationName } from "./evaluation-name.ts";
import { isJsonObject } from "../model/json.ts";
import { meaningless } from "./meaningless.ts";
import { readDimension, readDimensions, type NamedPlace } from "./named-places.ts";
import { parseRequest } from "./parse-request.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import { COUNTED, type QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import { evalResultsRequest } from "./wire.ts";

const dimension = scoreName.meta({ examples: ["judge.score", "feedback.correct"] });

const scope = {
  ...z.object(scopeWire).omit(COUNTED).shape,
  require_intersection: evalResultsRequest.shape.require_intersection,
};

const evaluations = z.array(z.string()).min(1);

const agreementRequest = z.strictObject({
  evaluations,
  a: dimension,
  b: dimension,
  confidence: confidenceLevel.nullish(),
  at_least: confidenceLevel.nullish(),
  ...unchecked(scope),
});

const MOST_RATERS = 1000;

const ratersRequest = z.strictObject({
  evaluations,
  raters: z.array(dimension).min(1).max(MOST_RATERS),
  ...unchecked(scope),
});

/** The wire format of an agreement request, for descriptions; `parseAgreementRequest` is what checks one. */
export const agreementRequestWire = z
  .union([agreementRequest.extend(scope), ratersRequest.extend(scope)])
  .meta({ id: "AgreementRequest" });

/** The members that say whose trials and which rows are compared; null means left out. */
export interface AgreementScope
  extends
    Omit<QueryMembers, "count_errors_as" | "count_nulls_as">,
    Pick<EvalResultsRequest, "require_intersection"> {
  /** Ids of the evaluations whose trials are compared. */
  readonly evaluations: readonly string[];
}

/** Several raters to compare with each other; null means left out. */
export interface RatersRequest extends AgreementScope {
  /** Two or more score dimensions; or one of feedback, such as `feedback.correct`: then each person is a rater. */
  readonly raters: readonly string[];
}

/** Two score dimensions to compare on the trials of some evaluations; null means left out. */
export interface AgreementRequest extends AgreementScope {
  /** The first score dimension, such as `feedback.correct`; it counts as the truth. */
  readonly a: string;
  /** The second score dimension, such as `judge.correct`; it counts as the judge. */
  readonly b: string;
  /** Confidence level of the intervals. Default 0.95. */
  readonly confidence?: number | null | undefined;
  /** The share of true and of false labels in `a` that a judge in `b` must be shown to find to be certified. */
  readonly at_least?: number | null | undefined;
}

/** An agreement request after it is checked. */
export interface Agreement<Evaluation = string> {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly confidence: number;
  /** null where no certificate is asked for. */
  readonly atLeast: number | null;
  /** Selects the evaluations and rows. */
  readonly request: EvalRequest<Evaluation>;
}

/** A request for raters after it is checked. */
interface AskedRaters {
  readonly raters: readonly NamedPlace[];
  readonly request: EvalRequest<EvaluationName>;
}

/** Checks an agreement request. Throws `RequestError` with every issue found. */
export function parseAgreementRequest(input: unknown): Agreement<EvaluationName> | AskedRaters {
  if (isJsonObject(input) && input["raters"] != null) return parseRaters(input);
  const {
    evaluations: ids,
    a,
    b,
    confidence,
    at_least: atLeast,
    ...rest
  } = checkArgument(input, agreementRequest);
  const [first, second] = [readDimension(a, ["a"]).path, readDimension(b, ["b"]).path];
  return {
    a: first,
    b: second,
    confidence: confidence ?? 0.95,
    atLeast: atLeast ?? null,
    request: requestOf(ids, [first, second], rest),
  };
}

function parseRaters(input: unknown): AskedRaters {
  const { evaluations: ids, raters: names, ...rest } = checkArgument(input, ratersRequest);
  const raters = readDimensions(names, "raters");
  const [first, ...others] = raters;
  const isOfPeople = others.length === 0 && first?.path[0] === "feedback";
  if (others.length === 0 && !isOfPeople)
    throw meaningless(
      ["raters"],
      "takes two dimensions or more, or one of feedback, such as feedback.correct",
    );
  const repeated = names.findIndex((name, i) => names.indexOf(name) < i);
  if (repeated !== -1) throw meaningless(["raters", repeated], "is named twice");
  return {
    raters,
    request: requestOf(
      ids,
      raters.map(({ path }) => path),
      rest,
    ),
  };
}

function requestOf(
  ids: readonly string[],
  paths: readonly (readonly string[])[],
  rest: object,
): EvalRequest<EvaluationName> {
  const request = parseRequest({
    include_feedback: paths.some(([root]) => root === "feedback"),
    ...rest,
    evaluation_call_ids: ids,
  });
  return { ...request, evaluationIds: namesIn(ids, "evaluations") };
}
