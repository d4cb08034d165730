import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import type { EvalRequest } from "./eval-request.ts";
import type { EvaluationName } from "./evaluation-name.ts";
import { meaningless } from "./meaningless.ts";
import { readDimension } from "./named-places.ts";
import { parseRequest } from "./parse-request.ts";
import type { InputField } from "../model/field-path.ts";
import { inputField, priceList, type PriceList } from "./wire.ts";

const MOST_TRIALS = 1000;
const MOST_CANDIDATES = 1000;

/** The wire format of a plan request. */
export const planRequestWire = z
  .strictObject({
    detect: z.number().gt(0).describe("The difference to find, in the unit of the score: 0.05 for 5 points."),
    scorer: scoreName.nullish().describe("Default: the first of true and false, else of numbers."),
    evaluation: z.string().nullish().describe("Whose rows are like those that are planned."),
    baseline: z.string().nullish().describe("With `candidate`: two runs over the same rows."),
    candidate: z.string().nullish(),
    rate: z.number().min(0).max(1).nullish().describe("Without any evaluation: the share that is right."),
    trials: z.array(z.int().min(1).max(MOST_TRIALS)).min(1).max(20).nullish().describe("Default 1, 2 and 4."),
    candidates: z
      .int()
      .min(1)
      .max(MOST_CANDIDATES)
      .nullish()
      .describe("Compared with one baseline. Default 1."),
    power: confidenceLevel.nullish().describe("How often the difference is to be found. Default 0.8."),
    confidence: confidenceLevel.nullish(),
    cluster_by: inputField.nullish(),
    prices: priceList.nullish(),
  })
  .meta({ id: "PlanRequest" });

/** Which difference a run is to find, and what is known of its rows; null means left out. */
export interface PlanRequest {
  /** The difference to find, above 0, in the unit of the score: 0.05 for 5 points. */
  readonly detect: number;
  /** A score of numbers or of true and false. Default: the first of true and false, else of numbers. */
  readonly scorer?: string | null | undefined;
  /** Id or name of an evaluation whose rows are like those that are planned; or a pair, or `rate`. */
  readonly evaluation?: string | null | undefined;
  /** With `candidate`: two evaluations of the same rows, whose differences are like those that are planned. */
  readonly baseline?: string | null | undefined;
  /** With `baseline`: the other of the two. */
  readonly candidate?: string | null | undefined;
  /** Without any evaluation: the share of answers that are right, 0 to 1; rows of two runs are then independent. */
  readonly rate?: number | null | undefined;
  /** Numbers of trials of a row, each planned for. Default 1, 2 and 4. */
  readonly trials?: readonly number[] | null | undefined;
  /** How many candidates are compared with one baseline. Default 1. */
  readonly candidates?: number | null | undefined;
  /** How often the difference is to be found, 0 to 1. Default 0.8. */
  readonly power?: number | null | undefined;
  /** Confidence level of the comparison. Default 0.95. */
  readonly confidence?: number | null | undefined;
  /** A field of the rows, `inputs.<path>`: those with the same value depend on each other. */
  readonly cluster_by?: InputField | null | undefined;
  /** Accepted beside calls that cost alike: the cheapest plan is then the one with least calls, as without. */
  readonly prices?: PriceList | null | undefined;
}

/** What a plan is to reach. */
export interface PlanTerms {
  readonly detect: number;
  /** Ascending. */
  readonly trials: readonly number[];
  readonly candidates: number;
  readonly power: number;
  /** 1 − confidence, over the candidates. */
  readonly level: number;
}

/** A plan request after it is checked. */
export interface Planned extends PlanTerms {
  readonly scorer: readonly string[] | null;
  /** null where evaluations are named. */
  readonly rate: number | null;
  readonly request: EvalRequest<EvaluationName>;
}

const USUAL_TRIALS = [1, 2, 4];

/** Checks a plan request. Throws `RequestError` with every issue found. */
export function parsePlanRequest(input: unknown): Planned {
  const asked = checkArgument(input, planRequestWire);
  const { detect, scorer, rate, cluster_by } = asked;
  const names = namesOf(asked);
  const path = scorer == null ? null : readDimension(scorer, ["scorer"]).path;
  const candidates = asked.candidates ?? 1;
  const request = parseRequest({
    evaluation_call_ids: names.map(({ text }) => text),
    include_feedback: path?.[0] === "feedback",
    ...(cluster_by == null ? {} : { cluster_by }),
  });
  if (names.length === 0 && cluster_by != null)
    throw meaningless(["cluster_by"], "goes with an evaluation, or with a pair");
  return {
    detect,
    scorer: path,
    rate: names.length === 0 ? (rate ?? null) : null,
    trials: [...new Set(asked.trials ?? USUAL_TRIALS)].toSorted((a, b) => a - b),
    candidates,
    power: asked.power ?? 0.8,
    level: (1 - (asked.confidence ?? 0.95)) / candidates,
    request: { ...request, evaluationIds: names },
  };
}

/** The evaluations that are named: none, one, or a pair. */
function namesOf({
  evaluation,
  baseline,
  candidate,
  rate,
}: z.output<typeof planRequestWire>): EvaluationName[] {
  const given: readonly (readonly [InputPath, unknown])[] = [
    [["evaluation"], evaluation],
    [["baseline"], baseline ?? candidate],
    [["rate"], rate],
  ];
  const [first, second] = given.filter(([, value]) => value != null);
  const ways = "an evaluation, a baseline and a candidate, or a rate";
  if (first === undefined) throw meaningless(["evaluation"], `is missing: name ${ways}`);
  if (second !== undefined) throw meaningless(second[0], `goes without ${String(first[0][0])}: name ${ways}`);
  if (evaluation != null) return [{ text: evaluation, place: ["evaluation"] }];
  if (rate != null) return [];
  if (baseline == null || candidate == null)
    throw meaningless([baseline == null ? "baseline" : "candidate"], "is missing: a pair has both");
  return [
    { text: baseline, place: ["baseline"] },
    { text: candidate, place: ["candidate"] },
  ];
}
