import type { By, InputField, RowField } from "../model/field-path.ts";
import type { PriceList, WireOperand } from "./wire.ts";

import type { FeedbackBy } from "./eval-request.ts";

/**
 * An evaluation-results request. Every member is optional; null, where allowed, means left out. `WithSummary` and
 * `WithUncertainty` are the types of `include_summary` and `include_uncertainty`, on which the type of the response
 * depends.
 */
export interface EvalResultsRequest<
  WithSummary extends boolean | undefined = boolean | undefined,
  WithUncertainty extends boolean | null | undefined = boolean | null | undefined,
> {
  /** Ids of the root calls of the evaluations. */
  readonly evaluation_call_ids?: readonly string[] | null | undefined;
  /** Another name for `evaluation_call_ids`; the evaluations of both members are requested. */
  readonly evaluation_run_ids?: readonly string[] | null | undefined;
  /** Keep only rows that have a trial in every evaluation. Default false. */
  readonly require_intersection?: boolean | undefined;
  /** Return the value of each row, or a reference to it. Default false. */
  readonly include_raw_data_rows?: boolean | undefined;
  /** With `include_raw_data_rows`: return values instead of references. Default false. */
  readonly resolve_row_refs?: boolean | undefined;
  /** Return rows and their trials. Default true. */
  readonly include_rows?: boolean | undefined;
  /** Return the summary. Default false. */
  readonly include_summary?: WithSummary | undefined;
  /** `require_intersection` for the summary. Default: the value for the rows. */
  readonly summary_require_intersection?: boolean | null | undefined;
  /** Count late scores and the data of predict and score calls. Default true. */
  readonly include_predict_and_score_children?: boolean | undefined;
  /** Return with each trial the exception that ended it, or null. Default false. */
  readonly include_trial_errors?: boolean | null | undefined;
  /** Return with each trial the member `details` of its output, or null. Default false. */
  readonly include_details?: boolean | null | undefined;
  /** Return the cost of each trial, and their sum in the summary. Default false; `prices` switch it on. */
  readonly include_costs?: boolean | undefined;
  /** Prices for calls that carry no cost of their own. */
  readonly prices?: PriceList | null | undefined;
  /**
   * Return the model output of each trial. False leaves `model_output` null; `"line"` makes it a text of at most 400
   * characters: the first line of a text, of a chat that of its last assistant text, else JSON. Default true.
   */
  readonly include_outputs?: boolean | "line" | null | undefined;
  /**
   * How much of long values is returned. `"start"` cuts model outputs and raw rows of more than 64 KiB of JSON to their
   * first 64 KiB, `"head"` those of more than 4 KiB to 200 characters, each so that it is a value of the same kind;
   * `output_bytes` and `row_bytes` then tell the size of the whole. Default `"whole"`.
   */
  readonly long_values?: "whole" | "start" | "head" | null | undefined;
  /** Count feedback with a number or boolean on the call of a trial as its score `feedback.<type>`. Default false. */
  readonly include_feedback?: boolean | null | undefined;
  /**
   * What the feedback of several people on one trial counts as. `majority` (default): booleans by the majority, with no
   * value when tied, numbers by the mean. `mean`: the mean of all, true as 1. `latest`: the latest alone.
   */
  readonly feedback_by?: FeedbackBy | null | undefined;
  /**
   * Derived score dimensions by name: expressions over other dimensions, in the syntax of mathjs, or what several
   * raters say together. At most 50.
   */
  readonly derived_scores?: Readonly<Record<string, string | ConsensusOf>> | null | undefined;
  /**
   * What a trial in error counts as in the dimensions of the summary where it has no value: a number for all of them,
   * or an object from dimensions (`judge.score`) to numbers; 0 or 1 where the values are true and false. Default: it
   * counts nowhere.
   */
  readonly count_errors_as?: number | Readonly<Record<string, number>> | null | undefined;
  /** The same of a trial that is not in error and has null in the dimension, or above it: one without a verdict. */
  readonly count_nulls_as?: number | Readonly<Record<string, number>> | null | undefined;
  /** Add errors over rows, distributions and outcomes to the summary. Default false. */
  readonly include_uncertainty?: WithUncertainty | undefined;
  /**
   * A field of the row, `inputs.<path>`: rows with the same value depend on one another, and errors and intervals of
   * `include_uncertainty` are over these clusters. A row without the field is a cluster by itself.
   */
  readonly cluster_by?: InputField | null | undefined;
  /**
   * One or two fields whose values are slices: `inputs.<path>` of the row, `attributes.<path>` of the call of the
   * trial. The summary gains `slicing`, and each scorer stat `slices`. Goes with `include_summary`.
   */
  readonly by?: By | null | undefined;
  /** How many slices are told of each dimension, those with most rows: 1 to 200, default 20. */
  readonly max_slices?: number | null | undefined;
  /** Values of k, 1 to 1000, for the pass@k and pass^k of score dimensions that pass or fail. At most 50. */
  readonly pass_k?: readonly number[] | "auto" | null | undefined;
  /**
   * Ids of finished evaluations, none of the request, whose means make the field `row.difficulty`. Default: all of the
   * project but those of the request.
   */
  readonly difficulty_from?: readonly string[] | null | undefined;
  /**
   * Numbers of the steps of trials that stand among their scores: `steps.count`, `steps.tool.search.calls`, or `steps`
   * for all but those of single tools; at most 64. Where a scorer is called `steps`, they are below `evalcube.steps`.
   */
  readonly step_scores?: readonly string[] | null | undefined;
  /** Number of bins, 1 to 200, of the histograms of row values to add to score dimensions that have a number. */
  readonly histogram_bins?: number | null | undefined;
  /**
   * Add the latency and the tokens of the rows to the evaluations of the summary, and what a success took. Default
   * false.
   */
  readonly include_usage?: boolean | null | undefined;
  /** Add to the evaluations of the summary why their trials stopped, and how many of them passed. Default false. */
  readonly include_stop_reasons?: boolean | null | undefined;
  /** The score of true and false, or 0 and 1, that says whether a trial passed. Default: the first such by name. */
  readonly success?: string | null | undefined;
  /** Add to the evaluations of the summary how many of its rows they tried. Default false. */
  readonly include_row_counts?: boolean | null | undefined;
  /** Add to the evaluations of the summary their errors, grouped by text. Default false. */
  readonly include_errors?: boolean | null | undefined;
  /** Sort keys of the rows, the most significant first. Ties are broken by row digest. */
  readonly sort_by?: readonly SortKey[] | null | undefined;
  /** Keep only rows on which evaluations have different means. */
  readonly moved?: Moved | null | undefined;
  /** Keep only rows on which an evaluation has no value. */
  readonly missing?: Missing | null | undefined;
  /**
   * Keep only rows whose input, or whose `model_output` in a requested evaluation, holds this text in one of its texts,
   * numbers or booleans, letter case ignored. 1 to 1000 characters.
   */
  readonly search?: string | null | undefined;
  /** Conditions that rows must satisfy. */
  readonly filters?: readonly Filter[] | null | undefined;
  /** Whether a row must satisfy all filters (`and`, default) or one of them. */
  readonly filter_logic_operator?: "and" | "or" | null | undefined;
  /** Number of rows on the page. Default: all. */
  readonly limit?: number | null | undefined;
  /** Number of rows before the page. Default 0. */
  readonly offset?: number | undefined;
}

/** A score that 2 to 100 raters give together; one that says nothing of a trial is left out there. */
export interface ConsensusOf {
  /** Who gives it, and how. */
  readonly consensus: {
    /** Dimensions of numbers, or of true and false, such as `["ann.ok", "bob.ok", "cy.ok"]`. */
    readonly of: readonly string[];
    /**
     * `majority`: what most raters say, no value where two values are said as often. `mean`: the mean of what they
     * say, true as 1. `dawid-skene`: the most probable of at most 50 values, from how often each rater is wrong on
     * the trials of the evaluations (Dawid and Skene 1979).
     */
    readonly method: "majority" | "mean" | "dawid-skene";
  };
}

/** A key to sort rows by. */
export interface SortKey {
  /** A field as in filters, such as `scores.judge.score` or `inputs.question`. */
  readonly field: RowField;
  /** Ascending or descending. Default `asc`. */
  readonly direction?: "asc" | "desc" | null | undefined;
  /** Sort by the values of this evaluation. Default: all requested evaluations. */
  readonly evaluation_call_id?: string | null | undefined;
  /** Sort by the value (default), or by how far the evaluations differ. */
  readonly mode?: "value" | "difference" | undefined;
}

/** Which rows moved from one evaluation to another, by the mean of the trials that each has on a row. */
export interface Moved {
  /** A field whose numbers count, below `scores`, `outputs` or `output`, such as `scores.judge.score`. */
  readonly field: string;
  /** The evaluation that the others are compared with. Default: each with each. */
  readonly baseline?: string | null | undefined;
  /**
   * Whether the mean of another evaluation differs from (`any`, default), is above (`up`) or below (`down`) that of the
   * baseline. `up` and `down` need a baseline.
   */
  readonly direction?: "any" | "up" | "down" | null | undefined;
}

/**
 * Which rows lack a value: those on which a requested evaluation has no trial with a number in the field, or no trial
 * at all.
 */
export interface Missing {
  /** A field whose numbers count, below `scores`, `outputs` or `output`, such as `scores.judge.score`. */
  readonly field: string;
}

/** A condition that rows must satisfy. */
export interface Filter {
  /** The condition; it is evaluated for each trial. */
  readonly query: { readonly $expr: Condition };
  /** Test the trials of this evaluation. Default: those of all requested evaluations. */
  readonly evaluation_call_id?: string | null | undefined;
  /** Which trials of a row must satisfy it; `mean` tests the mean of their values. Default `any`. */
  readonly quantifier?: "any" | "all" | "first" | "mean" | null | undefined;
}

/** An operation on fields and literals, such as `{ $gt: [{ $getField: "scores.points" }, { $literal: 1 }] }`. */
export type Condition = DeepReadonly<
  Exclude<WireOperand, { $literal: unknown } | { $getField: unknown } | { $convert: unknown }>
>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
