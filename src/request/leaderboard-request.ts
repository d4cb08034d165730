import { z } from "zod";
import { checkArgument, fieldName } from "../model/arguments.ts";
import type { CompareRequest, PairAdjustment } from "./compare-request.ts";
import { wantedPrices } from "./parse-compare-request.ts";
import { names, readDimensions, readSides, stepsAmong, type NamedPlace } from "./named-places.ts";
import { withIds, type EvalRequest } from "./eval-request.ts";
import { namesIn, type EvaluationName, type IdOf } from "./evaluation-name.ts";
import { parseRequest } from "./parse-request.ts";
import type { QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import { inputField, priceList, type PriceList } from "./wire.ts";
import { parseFieldPath, type By } from "../model/field-path.ts";
import { didYouMean } from "../model/nearest.ts";
import { quotedName } from "../model/name-text.ts";
import { meaningless } from "./meaningless.ts";
import { readBy, sliceWire } from "./slice-by.ts";
import {
  checkWeights,
  readConditions,
  TASK_WEIGHTS,
  whereWire,
  type RootCondition,
  type TaskWeights,
  type WhereValue,
} from "./where.ts";

const SORT_DIRECTIONS = ["asc", "desc"] as const;

const leaderboardRequest = z.strictObject({
  evaluations: z.array(z.string()).min(1).nullish(),
  ...sliceWire,
  weights: z.enum(TASK_WEIGHTS).nullish(),
  where: whereWire.nullish(),
  scorers: names,
  lower_is_better: names,
  higher_is_better: names,
  adjust: z.enum(["ranges", "holm", "benjamini-hochberg", "none"]).nullish(),
  cluster_by: inputField.nullish(),
  sort_by: z
    .array(z.strictObject({ field: fieldName, direction: z.enum(SORT_DIRECTIONS).nullish() }))
    .nullish(),
  costs: z.boolean().nullish(),
  prices: priceList.nullish(),
  ...unchecked(scopeWire),
});

/** The wire format of a leaderboard request, for descriptions; `parseLeaderboardRequest` is what checks one. */
export const leaderboardRequestWire = leaderboardRequest.extend(scopeWire).meta({ id: "LeaderboardRequest" });

/** Which evaluations a leaderboard has, and how they are ordered; null means left out. */
export interface LeaderboardRequest
  extends
    QueryMembers,
    Pick<CompareRequest, "lower_is_better" | "higher_is_better" | "cluster_by" | "costs" | "prices"> {
  /** Ids of the evaluations. Default: all of the project. */
  readonly evaluations?: readonly string[] | null | undefined;
  /**
   * What an entry stands for. `evaluation` (default): each evaluation. `model`: the latest evaluation of each model
   * that has trials, by `started_at`, then id; so no row and no trial counts twice. One or two fields beside it, as
   * `["model", "inputs.topic"]`, add the slices of each score, as in a summary; not together with `weights`.
   */
  readonly by?: By | null | undefined;
  /** How many slices are told of each score, those with most rows: 1 to 200, default 20. */
  readonly max_slices?: number | null | undefined;
  /**
   * By `model`, pools the latest evaluation of each task of the model (`inputs.self` of the root call), among those
   * that `where` keeps. `rows`: the mean over all rows. `tasks`: the mean of the tasks' means. Not together with
   * `cluster_by`.
   */
  readonly weights?: TaskWeights | null | undefined;
  /**
   * Evaluations to keep, by fields of their root call: `{ "attributes.branch": "main" }`. All fields must hold; of a
   * list one value must. Fields begin with `attributes.`, `inputs.`, `output.` or `summary.`, or are `display_name`,
   * `op_name` or `model`. Values are compared as the literals of a filter; null stands for a field that is missing.
   */
  readonly where?: Readonly<Record<string, WhereValue | readonly WhereValue[]>> | null | undefined;
  /**
   * Score dimensions, or scorers with all their dimensions: `judge.score`, `judge`. The first dimension of the first
   * one is the headline score. Default: all, and as headline score the first whose means are not all the same.
   */
  readonly scorers?: readonly string[] | null | undefined;
  /** How the p values of all pairs are adjusted, and so the standings. Default `ranges`. */
  readonly adjust?: PairAdjustment | null | undefined;
  /**
   * Order of the entries, keys in turn, then by id. Fields: `scores.<dimension>` (its mean), `pass_rate` (of the
   * headline score), `rows`, `trials`, `errors`, `tokens`, `latency`, `cost`, `started_at`, `name`, `model`. Without
   * `direction` scores and pass rates have the best first, other fields ascend. Entries without a value come last.
   * Default: the headline score.
   */
  readonly sort_by?:
    | readonly { readonly field: EntryField; readonly direction?: "asc" | "desc" | null | undefined }[]
    | null
    | undefined;
}

/** A leaderboard request after it is checked. */
export interface Ranking<Evaluation = string> {
  /** null means all of the project. */
  readonly evaluations: readonly Evaluation[] | null;
  readonly by: "evaluation" | "model";
  /** null where the tasks of a model are not pooled. */
  readonly weights: TaskWeights | null;
  readonly where: readonly RootCondition[];
  /** null means all. */
  readonly scorers: readonly NamedPlace[] | null;
  readonly lowerIsBetter: readonly NamedPlace[];
  readonly higherIsBetter: readonly NamedPlace[];
  readonly adjust: PairAdjustment;
  /** Empty means by the headline score. */
  readonly sortBy: readonly RankingKey[];
  /** null where costs are not wanted. */
  readonly prices: PriceList | null;
  /** Selects the rows; the evaluations are not known yet. */
  readonly request: EvalRequest<Evaluation>;
}

/** The request with an id for each name. */
export function rankingWithIds(asked: Ranking<EvaluationName>, idOf: IdOf): Ranking {
  const { evaluations } = asked;
  return {
    ...asked,
    evaluations: evaluations === null ? null : [...new Set(evaluations.map(idOf))],
    request: withIds(asked.request, idOf),
  };
}

/** Checks a leaderboard request. Throws `RequestError` with every issue found. */
export function parseLeaderboardRequest(input: unknown): Ranking<EvaluationName> {
  const { evaluations, weights, where, scorers, adjust, cluster_by, by, max_slices, ...others } =
    checkArgument(input, leaderboardRequest);
  const { lower_is_better, higher_is_better, sort_by, costs, prices, ...rest } = others;
  const { unit, slices } = readBy({ by, max_slices }, ["evaluation", "model"]);
  checkWeights(unit, { weights }, weights == null ? {} : { cluster_by });
  if (slices !== null && weights != null)
    throw meaningless(["by"], "slices do not go together with tasks that are pooled; leave one of them out");
  const chosen = scorers == null ? null : readDimensions(scorers, "scorers");
  const sortBy = readSortKeys(sort_by ?? []);
  const fields = [...(chosen ?? []), ...sortBy.flatMap(({ dimension }) => dimension ?? [])];
  const request = parseRequest({
    include_feedback: fields.some(({ path }) => path[0] === "feedback"),
    ...rest,
    cluster_by,
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return {
    evaluations: evaluations == null ? null : namesIn(evaluations, "evaluations"),
    by: unit,
    weights: weights ?? null,
    where: readConditions(where ?? {}),
    scorers: chosen,
    ...readSides({ lower_is_better, higher_is_better }),
    adjust: adjust ?? "ranges",
    sortBy,
    prices: wantedPrices({ costs, prices }),
    request: {
      ...request,
      slices,
      costDimension: wantedPrices({ costs, prices }),
      stepDimensions: [...request.stepDimensions, ...stepsAmong(fields)],
      difficultyOf: fields[0]?.path ?? null,
    },
  };
}

/** What entries can be ordered by, besides the means of scores. */
const SORT_FIELDS = [
  "pass_rate",
  "rows",
  "trials",
  "errors",
  "tokens",
  "latency",
  "cost",
  "started_at",
  "name",
  "model",
] as const;

type SortField = (typeof SORT_FIELDS)[number];

/** What the entries of a leaderboard are ordered by. */
type EntryField = SortField | `scores.${string}`;

/** One key of the order of entries. */
export interface RankingKey {
  readonly field: SortField | "mean";
  /** The dimension whose mean it is; null for other fields. */
  readonly dimension: NamedPlace | null;
  /** null: the best first for scores and pass rates, ascending for others. */
  readonly direction: (typeof SORT_DIRECTIONS)[number] | null;
}

interface WireKey {
  readonly field: string;
  readonly direction?: "asc" | "desc" | null | undefined;
}

/** Reads the keys of `sort_by`. Throws `RequestError` on a field that there is not. */
function readSortKeys(keys: readonly WireKey[]): RankingKey[] {
  return keys.map(({ field: name, direction = null }, i) => {
    const loc = ["sort_by", i, "field"];
    const known = SORT_FIELDS.find((one) => one === name);
    if (known !== undefined) return { field: known, dimension: null, direction };
    const field = parseFieldPath(name);
    if ("error" in field || field.root !== "scores") {
      const there = `there are scores.<name>, ${SORT_FIELDS.join(", ")}`;
      const near = didYouMean(name, SORT_FIELDS) || `; did you mean ${quotedName(`scores.${name}`)}?`;
      const meant = "error" in field ? near : "";
      throw meaningless(loc, `entries are not ordered by ${JSON.stringify(name)}; ${there}${meant}`);
    }
    const dimension = { name: name.slice("scores.".length), path: field.segments, loc };
    return { field: "mean", dimension, direction };
  });
}
