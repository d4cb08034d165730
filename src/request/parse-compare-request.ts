import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import type { InputPath } from "../errors.ts";
import { isByModel, isByUsage } from "../model/field-path.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { withIds, type EvalRequest } from "./eval-request.ts";
import type { EvaluationName, IdOf } from "./evaluation-name.ts";
import { PREVIOUS } from "./find-evaluation.ts";
import { meaningless } from "./meaningless.ts";
import { readDimension, readDimensions, readSides, stepsAmong, type NamedPlace } from "./named-places.ts";
import { readBy, readUsageBy } from "./slice-by.ts";
import { parseRequest } from "./parse-request.ts";
import { checkWeights, readConditions, type RootCondition, type TaskWeights } from "./where.ts";
import { groupSides, pairedSides, sidesOf, type Grouping, type Side } from "./compared-sides.ts";
import type { PriceList } from "./wire.ts";
import {
  ofBaseline,
  ofPairs,
  type Adjustment,
  type CompareRequest,
  type PairAdjustment,
} from "./compare-request.ts";

/** A baseline with its candidates, and how they are compared. */
export interface CompareGroup {
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** Where the request names each of the candidates. */
  readonly places: readonly InputPath[];
  readonly baselinePlace: InputPath;
  /** null where evaluations are compared. */
  readonly models: { readonly where: readonly RootCondition[]; readonly weights: TaskWeights } | null;
  /** null means all. */
  readonly scorers: readonly NamedPlace[] | null;
  /** Whether scores that they lack and rows that they do not share are no fault of the request. */
  readonly lenient: boolean;
  readonly confidence: number;
  readonly adjust: Adjustment;
  /** How all pairs are adjusted where the baseline was chosen for its mean; else null. */
  readonly ranking: PairAdjustment | null;
  readonly margin: number | null;
  /** Of slices by cost; where no cost is a dimension, too. */
  readonly prices: PriceList;
  readonly lowerIsBetter: readonly NamedPlace[];
  readonly higherIsBetter: readonly NamedPlace[];
  /** Whether rows that the two sides hold differently are left out; then there is one candidate. */
  readonly leavesOutEdited: boolean;
  readonly isOnePair: boolean;
  /** The score of people that corrects the others; null where none does. */
  readonly correctedBy: NamedPlace | null;
  /** Selects the evaluations, baseline first, and the rows. */
  readonly request: EvalRequest;
}

/** How evaluations are compared, whichever they are. */
type Comparing<Evaluation> = Omit<CompareGroup, keyof ReturnType<typeof ofSides> | "request"> & {
  readonly request: EvalRequest<Evaluation>;
};

/** A comparison request after it is checked. */
export interface ParsedComparison<Evaluation = string> {
  readonly sides: readonly Side[];
  /** Whether the run before is the baseline of each candidate. */
  readonly isWithPrevious: boolean;
  readonly grouping: Grouping;
  readonly comparing: Comparing<Evaluation>;
}

/** Checks a comparison request. Throws `RequestError` with every issue found. */
export function parseCompareRequest(input: unknown): ParsedComparison<EvaluationName> {
  const whole = isJsonObject(input) ? withDefaults(input) : input;
  const inPairs = isJsonObject(whole) && whole["pairs"] != null;
  const asked = checkArgument(whole, inPairs ? ofPairs : ofBaseline);
  const { baseline, candidates, pairs, ...options } = asked;
  const sides = pairs == null ? sidesOf(baseline ?? "", candidates ?? []) : pairedSides(pairs);
  const { edited_rows, baseline_is_best, by } = options;
  const grouping = { inPairs, edited_rows, baseline_is_best, by };
  groupSides(sides, grouping);
  const isWithPrevious = baseline === PREVIOUS && !isByModel(by);
  return { sides, isWithPrevious, grouping, comparing: readComparing(options) };
}

/** Without a baseline, each candidate is compared with the run before; without candidates, the latest evaluation. */
function withDefaults(input: JsonObject): JsonObject {
  if (input["pairs"] != null || isByModel(input["by"])) return input;
  return { ...input, baseline: input["baseline"] ?? PREVIOUS, candidates: input["candidates"] ?? ["latest"] };
}

/** The request with an id for each name; models keep theirs. */
export function comparisonWithIds(asked: ParsedComparison<EvaluationName>, idOf: IdOf): ParsedComparison {
  const { sides, comparing } = asked;
  const named = (name: EvaluationName) => (comparing.models === null ? { ...name, text: idOf(name) } : name);
  return {
    ...asked,
    sides: sides.map(({ baseline, candidate }) => ({
      baseline: named(baseline),
      candidate: named(candidate),
    })),
    comparing: { ...comparing, request: withIds(comparing.request, idOf) },
  };
}

/** What is compared together: groups differ in nothing but evaluations. Throws `RequestError` on sides that are one. */
export function compareGroups({ sides, grouping, comparing }: ParsedComparison): CompareGroup[] {
  return groupSides(sides, grouping).map((own) => groupOf(own, comparing, sides.length === 1));
}

/** One baseline with its candidates. */
export function groupOf(
  sides: readonly Side[],
  comparing: Comparing<string>,
  isOnePair: boolean,
): CompareGroup {
  const named = ofSides(sides, isOnePair);
  const evaluationIds = [...new Set([named.baseline, ...named.candidates])];
  return { ...comparing, ...named, request: { ...comparing.request, evaluationIds } };
}

function ofSides(sides: readonly Side[], isOnePair: boolean) {
  const [{ baseline }] = sides as readonly [Side];
  return {
    baseline: baseline.text,
    baselinePlace: baseline.place,
    candidates: sides.map(({ candidate }) => candidate.text),
    places: sides.map(({ candidate }) => candidate.place),
    isOnePair,
  };
}

type Options = Omit<
  z.output<typeof ofBaseline> | z.output<typeof ofPairs>,
  "baseline" | "candidates" | "pairs"
>;

function readComparing(options: Options): Comparing<EvaluationName> {
  const { scorers, confidence, adjust, margin, baseline_is_best, edited_rows, ...others } = options;
  const { lower_is_better, higher_is_better, cluster_by, corrected_by, by, max_slices, ...rows } = others;
  const { where, weights, costs, prices, ...rest } = rows;
  const { unit, slices } = readCompared({ by, max_slices, where, weights, cluster_by, corrected_by });
  const chosen = scorers == null ? null : readDimensions(scorers, "scorers");
  const correctedBy =
    corrected_by == null ? null : readCorrection(corrected_by.human, others, baseline_is_best);
  const feedback = [...(chosen ?? []), ...(correctedBy === null ? [] : [correctedBy])].some(
    ({ path }) => path[0] === "feedback",
  );
  const request = parseRequest({
    include_feedback: feedback,
    ...rest,
    cluster_by,
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return {
    models: unit === "model" ? { where: readConditions(where ?? {}), weights: weights ?? "rows" } : null,
    scorers: chosen,
    lenient: false,
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    ranking: baseline_is_best === true ? (adjust ?? "ranges") : null,
    margin: margin ?? null,
    prices: prices ?? {},
    ...readSides({ lower_is_better, higher_is_better }),
    leavesOutEdited: edited_rows === "leave_out",
    correctedBy,
    request: {
      ...request,
      slices,
      costDimension: wantedPrices({ costs, prices }),
      stepDimensions: [...request.stepDimensions, ...stepsAmong(chosen ?? [])],
      difficultyOf: chosen?.[0]?.path ?? null,
    },
  };
}

/** What is compared. Slices are of evaluations, and of the scores as they are. */
function readCompared({
  where,
  weights,
  cluster_by,
  corrected_by,
  by,
  max_slices,
}: Pick<Options, "where" | "weights" | "cluster_by" | "corrected_by" | "by" | "max_slices">) {
  const read = isByUsage(by)
    ? { unit: "evaluation" as const, slices: readUsageBy(by, max_slices) }
    : readBy({ by, max_slices }, ["evaluation", "model", "auto"]);
  const isModel = read.unit === "model";
  checkWeights(read.unit, { where, weights }, isModel ? { cluster_by, corrected_by } : {});
  if (read.slices !== null && isModel)
    throw meaningless(["by"], "slices are of evaluations; leave the field or model out");
  if (read.slices !== null && corrected_by != null)
    throw meaningless(["by"], "slices do not go together with corrected_by; leave one of them out");
  return read;
}

/** The prices of what trials cost; null where costs are not wanted. */
export function wantedPrices({ costs, prices }: Pick<CompareRequest, "costs" | "prices">): PriceList | null {
  return (costs ?? prices != null) ? (prices ?? {}) : null;
}

/** Corrected differences know neither clusters of rows nor all pairs of evaluations, and no label corrects a cost. */
function readCorrection(
  name: string,
  { cluster_by, ...costs }: Pick<CompareRequest, "cluster_by" | "costs" | "prices">,
  baselineIsBest: boolean | null | undefined,
): NamedPlace {
  const others = {
    cluster_by: cluster_by != null,
    baseline_is_best: baselineIsBest === true,
    costs: wantedPrices(costs) !== null,
  };
  const other = Object.entries(others).find(([, isAsked]) => isAsked)?.[0] ?? null;
  if (other !== null)
    throw meaningless([other], "does not go together with corrected_by; leave one of them out");
  return readDimension(name, ["corrected_by", "human"]);
}
