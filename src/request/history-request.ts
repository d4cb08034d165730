import { z } from "zod";
import { checkArgument, scoreName } from "../model/arguments.ts";
import { compareRequestWire, type CompareRequest } from "./compare-request.ts";
import { parseCompareRequest, type ParsedComparison } from "./parse-compare-request.ts";
import type { JsonObject } from "../model/json.ts";
import { withIds } from "./eval-request.ts";
import type { EvaluationName, IdOf } from "./evaluation-name.ts";
import { parseLeaderboardRequest, rankingWithIds, type Ranking } from "./leaderboard-request.ts";
import { readDimension, type NamedPlace } from "./named-places.ts";
import type { QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";

/** Members with the same meaning as in a comparison. */
const COMPARED = {
  scorers: true,
  lower_is_better: true,
  higher_is_better: true,
  confidence: true,
  adjust: true,
  margin: true,
  cluster_by: true,
  edited_rows: true,
  costs: true,
  prices: true,
} as const;

/** Which evaluations a history has, and how they are compared; null means left out. */
export interface HistoryRequest extends QueryMembers, Pick<CompareRequest, keyof typeof COMPARED> {
  /** The display name of the evaluations. Default: that of the latest evaluation. */
  readonly name?: string | null | undefined;
  /**
   * The headline score: a dimension, or a scorer of which it is the first. Default: see {@link HistoryAnswer.headline}.
   */
  readonly score?: string | null | undefined;
  /** Entries at most, 1 to 200: the latest. Default 20. */
  readonly limit?: number | null | undefined;
}

const MOST_ENTRIES = 200;
const USUAL_ENTRIES = 20;

/** The wire format of a history request. */
export const historyRequestWire = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .nullish()
      .describe("The display name of the evaluations. Default: that of the latest."),
    score: scoreName
      .nullish()
      .describe("The headline score. Default: the first of scorers, else the first that has a good side."),
    limit: z.int().min(1).max(MOST_ENTRIES).nullish().describe("Entries at most: the latest. Default 20."),
    ...compareRequestWire.pick(COMPARED).shape,
    ...scopeWire,
  })
  .meta({ id: "HistoryRequest" });

/** The names of the members; those of a comparison are checked as there. */
const historyRequest = z.strictObject({
  ...unchecked(historyRequestWire.shape),
  name: historyRequestWire.shape.name,
  score: historyRequestWire.shape.score,
  limit: historyRequestWire.shape.limit,
});

/** A history request after it is checked. */
export interface Remembering<Evaluation = string> {
  /** null: that of the latest evaluation. */
  readonly name: string | null;
  readonly score: NamedPlace | null;
  readonly limit: number;
  /** How each entry is described. */
  readonly ranking: Ranking<Evaluation>;
  /** How entries are compared: in the scores that both have. */
  readonly comparing: ParsedComparison<Evaluation>["comparing"];
}

/** The request with an id for each name. */
export function rememberingWithIds(asked: Remembering<EvaluationName>, idOf: IdOf): Remembering {
  const { ranking, comparing } = asked;
  return {
    ...asked,
    ranking: rankingWithIds(ranking, idOf),
    comparing: { ...comparing, request: withIds(comparing.request, idOf) },
  };
}

/** Checks a history request. Throws `RequestError` with every issue found. */
export function parseHistoryRequest(input: unknown): Remembering<EvaluationName> {
  const { name, score, limit, ...others } = checkArgument(input, historyRequest);
  const compared: JsonObject = others;
  const {
    confidence: _confidence,
    adjust: _adjust,
    margin: _margin,
    edited_rows: _edited,
    ...ranking
  } = compared;
  const { comparing } = parseCompareRequest({ ...compared, baseline: "", candidates: [" "] });
  const headline = score == null ? null : readDimension(score, ["score"]);
  const described = parseLeaderboardRequest(ranking);
  const scorers = described.scorers === null || headline === null ? null : [...described.scorers, headline];
  return {
    name: name ?? null,
    score: headline,
    limit: limit ?? USUAL_ENTRIES,
    ranking: scorers === null ? described : { ...described, scorers },
    comparing: { ...comparing, lenient: true },
  };
}
