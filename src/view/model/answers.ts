import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { CompareRequest } from "../../request/compare-request.ts";
import type { By, UsageBy } from "../../model/field-path.ts";
import type { Labelled } from "../../model/labels.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import { QUERY_MEMBERS, type QueryMembers } from "../../request/query-members.ts";
import type { ItemsAnswer } from "../../respond/items/items.ts";
import type { HistoryAnswer } from "../../respond/history/history.ts";
import type { DiffAnswer } from "../../respond/steps/diff.ts";
import type { ToolsAnswer } from "../../respond/steps/tools-answer.ts";
import type { PriceList } from "../../request/wire.ts";
import type { ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { Summary } from "../../respond/summary/scorer-stats.ts";
import type { StopReasons } from "../../respond/summary/stop-reasons.ts";

/** The members of a request that say which rows and scores there are; everything that is asked for a page has them. */
export type Scope = QueryMembers;

/** What a page is about; each member means what it means in `compareEvaluations` and in a request. */
export interface Question
  extends
    Scope,
    Pick<
      CompareRequest,
      | "baseline"
      | "scorers"
      | "lower_is_better"
      | "higher_is_better"
      | "confidence"
      | "adjust"
      | "margin"
      | "cluster_by"
      | "edited_rows"
      | "max_slices"
      | "costs"
      | "prices"
    >,
    Pick<EvalResultsRequest, "pass_k"> {
  readonly evaluations?: readonly string[] | null | undefined;
  /**
   * Which evaluations it is about where none are named: `latest`, the latest finished run of one name against the one
   * before it; `names`, the latest finished run of each name; `all` finished ones. Default: `latest` where a name has
   * two finished runs and no baseline is named, else `all`.
   */
  readonly runs?: "latest" | "names" | "all" | null | undefined;
  /** With `runs: "latest"`: whose runs. Default: one whose latest run is shown worse, else the name that ran last. */
  readonly name?: string | null | undefined;
  /**
   * Whether `baseline` was chosen because it is the best, as it is where none is named of three evaluations or more.
   */
  readonly baseline_is_best?: boolean | null | undefined;
  /**
   * The score that the page begins with, as in a request. Default: the first of `scorers`, else the first whose means
   * differ.
   */
  readonly score?: string | null | undefined;
  /**
   * What slices the comparison: what `compareEvaluations` takes, `auto` (default, up to 100,000 rows), or `nothing`.
   * With one evaluation, fields slice its means.
   */
  readonly by?: By | UsageBy | "nothing" | null | undefined;
  readonly title?: string | null | undefined;
}

/** An evaluation that is left out. */
export interface LeftOut extends EvaluationEntry {
  /** Whether it ran on part of the rows, as it was told to. */
  readonly partial: boolean;
}

/** The latest finished run of a name, and how it compares with the one before it. */
export interface LatestRuns {
  readonly name: string;
  /** Id of the latest finished run. */
  readonly candidate: string;
  /** Id of the finished run before it; null where there is none that has a value. */
  readonly baseline: string | null;
  /** What `compareEvaluations` answers of the two alone; null where they cannot be compared. */
  readonly comparison: ComparisonAnswer | null;
}

/** Everything that the library answered for a page. */
export interface Answers {
  readonly project: string;
  /** What was asked. */
  readonly question: Question;
  /** How the evaluations were chosen: `chosen` where they were named. */
  readonly runs: "latest" | "names" | "all" | "chosen";
  /**
   * With `latest`, of each name: those shown worse first, then the one that ran last. The page is about the one asked
   * for, else the first with two.
   */
  readonly latest: readonly LatestRuns[];
  /**
   * What was not finished, or ran on part of the rows, and so counts in nothing unless it is named; the latest first.
   */
  readonly left_out: readonly LeftOut[];
  /** In the order of the page. */
  readonly evaluations: readonly EvaluationEntry[];
  /** Other evaluations that the page names. */
  readonly also: readonly Labelled[];
  /** Id of the evaluation that the others are compared with; null where there is none with trials. */
  readonly baseline: string | null;
  readonly summary: Summary;
  /** Remarks on the request of the summary, as on fields that no trial has. */
  readonly warnings: readonly string[];
  /**
   * The counts and scores without filters; null where none are asked for, and in a report, which has no more than it
   * shows.
   */
  readonly whole: Summary | null;
  /** Null with one evaluation, and where there is nothing to compare. */
  readonly comparison: ComparisonAnswer | null;
  /**
   * The runs of each name of a candidate that has two or more, over all of the project; of the first eight such names.
   */
  readonly histories: readonly HistoryAnswer[];
  /** The first rows in the headline score; null with fewer than three evaluations, and where nothing is to tell. */
  readonly items: ItemsAnswer | null;
  /** Absent where no trial of these evaluations has a step. */
  readonly steps?: PageSteps;
}

/** What agents did in the trials of the evaluations of a page, the first twenty, the baseline among them. */
export interface PageSteps {
  /** The first tools of each evaluation, and all whose errors go with success. */
  readonly tools: ToolsAnswer;
  /** By evaluation, without pairs; none where nothing says which trials passed. */
  readonly differences: readonly (DiffAnswer & { readonly evaluation_call_id: string })[];
  /** Why trials stopped, by evaluation; none where no trial says it. */
  readonly stopped: readonly (StopReasons & { readonly evaluation_call_id: string })[];
  /** Evaluations of which nothing is told. */
  readonly left_out: number;
}

/** The members of a question that say which rows and scores there are. */
export function scopeOf(scope: Scope): Scope {
  const names = Object.keys(QUERY_MEMBERS) as (keyof Scope)[];
  return Object.fromEntries(names.flatMap((name) => (scope[name] == null ? [] : [[name, scope[name]]])));
}

/** The members of a request for costs; null where they are not wanted. */
export function costsOf({ costs, prices }: Pick<Question, "costs" | "prices">): CostMembers | null {
  if (!(costs ?? prices != null)) return null;
  return { costs: true, ...(prices == null ? {} : { prices }) };
}

interface CostMembers {
  readonly costs: true;
  readonly prices?: PriceList;
}

/** The answers to a question without their comparison. */
export function answersOf(
  project: string,
  question: Question,
  found: Omit<Answers, "project" | "question" | "comparison" | "histories" | "items" | "steps">,
): Answers {
  return {
    project,
    // In one order, since the same options give the same report.
    question: Object.fromEntries(Object.entries(question).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...found,
    comparison: null,
    histories: [],
    items: null,
  };
}

/** What answers lack that are told early: all behind the means, or only what the sections below the verdicts show. */
export type AwaitedPart = "comparison" | "spread";

/** What a view is told first. */
export interface ToldMeans extends Pick<Answers, "runs" | "latest" | "left_out" | "also"> {
  /** All evaluations of the project. */
  readonly evaluations: readonly EvaluationEntry[];
  /** Ids of those that the page shows, in its order. */
  readonly shown: readonly string[];
  readonly baseline: string | null;
  readonly summary: Summary;
  readonly warnings: readonly string[];
  readonly whole: Summary | null;
  /** The request that `first_rows` answers; null where none were asked for. */
  readonly rows_request: EvalResultsRequest | null;
  /** Ids in the question that stand for nothing; they count as left out. */
  readonly unknown: readonly string[];
}

/** A part of what a view is told: the first is the means, the last the spread, or where there are steps, these. */
export type AnswerPart =
  | { readonly means: ToldMeans }
  | { readonly first_rows: EvalResultsResponse }
  | { readonly comparison: ComparisonAnswer | null }
  | Pick<Answers, "histories" | "items">
  /** `fields`: those of inputs, as requests name them. */
  | { readonly spread: Summary; readonly fields: readonly string[] }
  | { readonly steps: PageSteps }
  | { readonly failure: { readonly status: number; readonly reason: string } };
