import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import { compareRequestWire, type Adjustment, type CompareRequest } from "./compare-request.ts";
import { parseLeaderboardRequest, type Ranking } from "./leaderboard-request.ts";
import type { QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";

/** Members with the same meaning as in a comparison. */
const COMPARED = {
  scorers: true,
  lower_is_better: true,
  higher_is_better: true,
  confidence: true,
  adjust: true,
  costs: true,
  prices: true,
} as const;

/** Which evaluations a history has, and how they are compared; null means left out. */
export interface HistoryRequest extends QueryMembers, Pick<CompareRequest, keyof typeof COMPARED> {
  /** The display name of the evaluations. Default: that of the latest evaluation. */
  readonly name?: string | null | undefined;
  /** Score dimensions, or scorers with all their dimensions. The first dimension of the first one is the headline score. */
  readonly scorers?: readonly string[] | null | undefined;
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
    limit: z.int().min(1).max(MOST_ENTRIES).nullish().describe("Entries at most: the latest. Default 20."),
    ...compareRequestWire.pick(COMPARED).shape,
    ...scopeWire,
  })
  .meta({ id: "HistoryRequest" });

/** The names of the members; those of a leaderboard are checked as there. */
const historyRequest = z.strictObject({
  ...unchecked(historyRequestWire.shape),
  name: historyRequestWire.shape.name,
  limit: historyRequestWire.shape.limit,
  confidence: historyRequestWire.shape.confidence,
  adjust: historyRequestWire.shape.adjust,
});

/** A history request after it is checked. */
export interface Remembering {
  /** null: that of the latest evaluation. */
  readonly name: string | null;
  readonly limit: number;
  readonly confidence: number;
  readonly adjust: Adjustment;
  /** How each entry is described. */
  readonly ranking: Ranking;
}

/** Checks a history request. Throws `RequestError` with every issue found. */
export function parseHistoryRequest(input: unknown): Remembering {
  const { name, limit, confidence, adjust, ...ranking } = checkArgument(input, historyRequest);
  return {
    name: name ?? null,
    limit: limit ?? USUAL_ENTRIES,
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    ranking: parseLeaderboardRequest(ranking),
  };
}
