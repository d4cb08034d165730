import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import type { InputPath } from "../errors.ts";
import { isJsonObject } from "../model/json.ts";
import type { EvalRequest } from "./eval-request.ts";
import { meaningless } from "./meaningless.ts";
import { readDimension, readDimensions, readSides, type NamedPlace } from "./named-places.ts";
import { readBy } from "./slice-by.ts";
import { parseRequest } from "./parse-request.ts";
import { checkWeights, readConditions, type RootCondition, type TaskWeights } from "./where.ts";
import { checkSides, groupSides, pairedSides, sidesOf, type Side } from "./compared-sides.ts";
import type { PriceList } from "./wire.ts";
import {
  ofBaseline,
  ofPairs,
  type Adjustment,
  type CompareRequest,
  type PairAdjustment,
} from "./compare-request.ts";

/** A comparison request after it is checked: what is adjusted together. */
export interface Comparing {
  /** They differ in nothing but the evaluations. */
  readonly groups: readonly [CompareGroup, ...CompareGroup[]];
}

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

type KnownGroup = Pick<CompareGroup, "isOnePair" | "leavesOutEdited">;
type Options = Omit<
  z.output<typeof ofBaseline> | z.output<typeof ofPairs>,
  "baseline" | "candidates" | "pairs"
>;

/**
 * Checks a comparison request. `previous`: its pairs were made of candidates, which errors then name. Throws
 * `RequestError` with every issue found.
 */
export function parseCompareRequest(input: unknown, previous = false): Comparing {
  const inPairs = isJsonObject(input) && input["pairs"] != null;
  const asked = checkArgument(input, inPairs ? ofPairs : ofBaseline);
  const { baseline, candidates: named, pairs: paired, ...options } = asked;
  const sides = paired == null ? sidesOf(baseline ?? "", named ?? []) : pairedSides(paired, previous);
  checkSides(sides);
  if (paired != null && options.baseline_is_best === true)
    throw meaningless(["baseline_is_best"], "does not go together with pairs; leave one of them out");
  const [first = [], ...others] = groupSides(sides, options);
  const known = { isOnePair: sides.length === 1, leavesOutEdited: options.edited_rows === "leave_out" };
  const read = (own: readonly Side[]) => groupOf(own, options, known);
  return { groups: [read(first), ...others.map(read)] };
}

function groupOf(sides: readonly Side[], options: Options, known: KnownGroup): CompareGroup {
  const [{ baseline, baselinePlace }] = sides as readonly [Side];
  const candidates = sides.map(({ candidate }) => candidate);
  const { scorers, confidence, adjust, margin, baseline_is_best, edited_rows: _edited, ...others } = options;
  const { lower_is_better, higher_is_better, cluster_by, corrected_by, by, max_slices, ...rows } = others;
  const { where, weights, costs, prices, ...rest } = rows;
  const { unit, slices } = readCompared({ by, max_slices, where, weights, cluster_by, corrected_by });
  const chosen = scorers == null ? null : readDimensions(scorers, "scorers");
  const correctedBy =
    corrected_by == null ? null : readCorrection(corrected_by.human, others, baseline_is_best);
  const feedback = [...(chosen ?? []), ...(correctedBy === null ? [] : [correctedBy])].some(
    ({ path }) => path[0] === "feedback",
  );
  const parsedRequest = parseRequest({
    include_feedback: feedback,
    ...rest,
    cluster_by,
    evaluation_call_ids: [baseline, ...candidates],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return {
    baseline,
    candidates,
    places: sides.map(({ place }) => place),
    baselinePlace,
    models: unit === "model" ? { where: readConditions(where ?? {}), weights: weights ?? "rows" } : null,
    scorers: chosen,
    lenient: false,
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    ranking: baseline_is_best === true ? (adjust ?? "ranges") : null,
    margin: margin ?? null,
    ...readSides({ lower_is_better, higher_is_better }),
    ...known,
    correctedBy,
    request: { ...parsedRequest, slices, costDimension: wantedPrices({ costs, prices }) },
  };
}

/** What is compared. Slices are of evaluations, and of the scores as they are. */
function readCompared({
  where,
  weights,
  cluster_by,
  corrected_by,
  ...asked
}: Pick<CompareRequest, "where" | "weights" | "cluster_by" | "corrected_by"> & Parameters<typeof readBy>[0]) {
  const read = readBy(asked, ["evaluation", "model", "auto"]);
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
