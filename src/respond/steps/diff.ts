import { grouped } from "../../model/grouped.ts";
import { compareText } from "../../model/text-order.ts";
import { partsOf } from "../../model/turns.ts";
import { commonLength } from "./align.ts";

/** A call of a tool: `action` is equal where name and arguments are. */
export interface Action {
  readonly action: string;
  readonly name: string;
  /** Its number among the steps of the trial. */
  readonly step: number;
}

/** The calls of tools of a trial, in order. */
export interface ActedTrial {
  readonly evaluationCallId: string;
  readonly rowDigest: string;
  readonly trialId: string;
  /** Microseconds since 1970. */
  readonly startedAt: bigint;
  readonly actions: readonly Action[];
}

/** Where two trials leave each other: the step and tool of either, null where it has ended. */
export interface FirstDifference {
  /** 1 where the first actions differ. */
  readonly index: number;
  /** Number of the step there; null where the trial has ended. */
  readonly step: number | null;
  /** Its tool. */
  readonly name: string | null;
  /** Number of the step of the other trial; null where that has ended. */
  readonly other_step: number | null;
  /** Its tool. */
  readonly other_name: string | null;
}

/** What two trials have in common. */
export interface CommonStart {
  /** Actions that both begin with. */
  readonly common_actions: number;
  /** Tools that both begin with, whatever their arguments. */
  readonly common_names: number;
  /** null where all actions are equal. */
  readonly first_difference: FirstDifference | null;
}

/** A failing trial and the passing trial of its row that it follows longest. */
export interface DiffPair extends CommonStart {
  /** Id of the evaluation of the failing trial. */
  readonly evaluation_call_id: string;
  /** Digest of the row. */
  readonly row_digest: string;
  /** The failing trial. */
  readonly trial_id: string;
  /** The passing trial. */
  readonly other_trial_id: string;
  /** How many actions the failing trial has. */
  readonly actions: number;
  /** How many the passing trial has. */
  readonly other_actions: number;
}

/** Sums over all pairs. */
export interface DiffTotals {
  /** Rows with a pair. */
  readonly rows: number;
  /** Failing trials in pairs. */
  readonly trials: number;
  /** Pairs without a difference. */
  readonly identical: number;
  /** Median of the indexes of first differences; null without any. */
  readonly median_index: number | null;
  /** By index, at most 50. */
  readonly at: readonly { readonly index: number; readonly trials: number; readonly rows: number }[];
  /** What failing trials call where the other calls something else; most trials first, at most 50. */
  readonly instead: readonly {
    readonly name: string | null;
    readonly other_name: string | null;
    readonly trials: number;
    readonly rows: number;
  }[];
}

/** Where failing trials leave the passing ones of their row. */
export interface DiffAnswer {
  /** Which answer this is. */
  readonly view: "diff";
  /** The dimension that says whether a trial passed; null where no trial is stored. */
  readonly success: string | null;
  /** Over all pairs, whatever the page. */
  readonly totals: DiffTotals;
  /** Pairs in all. */
  readonly pair_count: number;
  /** The page: in the order of evaluations, rows, and starts of the failing trial. */
  readonly pairs: readonly DiffPair[];
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

/** What two lists of actions have in common. */
export function commonStart(own: readonly Action[], other: readonly Action[]): CommonStart {
  const common = commonLength(own, other, (one) => one?.action);
  const [left, right] = [own[common], other[common]];
  const isEqual = left === undefined && right === undefined;
  return {
    common_actions: common,
    common_names: commonLength(own, other, (one) => one?.name),
    first_difference: isEqual
      ? null
      : {
          index: common + 1,
          step: left?.step ?? null,
          name: left?.name ?? null,
          other_step: right?.step ?? null,
          other_name: right?.name ?? null,
        },
  };
}

/**
 * Sets failing trials of a row against the passing trial that each follows longest: of those with most common actions
 * that with fewest actions, then by start, then id. Works in pieces; a piece may give a pair.
 */
export function* pairTrials(
  failing: readonly ActedTrial[],
  passing: readonly ActedTrial[],
): Generator<DiffPair | null, void, undefined> {
  if (failing.length === 0 || passing.length === 0) return;
  const depth = failing.reduce((most, { actions }) => Math.max(most, actions.length), 0);
  const beginnings: Beginnings = { ids: new Map(), next: new Map(), preferred: [] };
  for (const trial of passing.toSorted(inPreference)) {
    let node = ROOT;
    beginnings.preferred[node] ??= trial;
    for (const part of partsOf(trial.actions.slice(0, depth), ACTIONS_AT_ONCE)) {
      for (const { action } of part) node = below(beginnings, node, action, trial);
      yield null;
    }
  }
  for (const trial of failing) {
    const other = yield* followed(beginnings, trial);
    yield other === undefined ? null : pairOf(trial, other);
  }
}

/** Actions between two turns. */
const ACTIONS_AT_ONCE = 1000;

/** What passing trials begin with, as a tree: `preferred` has the first trial of each node. */
interface Beginnings {
  readonly ids: Map<string, number>;
  readonly next: Map<number, number>;
  readonly preferred: ActedTrial[];
}

const ROOT = 0;
/** More than there are actions in a row. */
const MOST_ACTIONS = 2 ** 26;

/** The node below another, which is made where there is none. */
function below(
  { ids, next, preferred }: Beginnings,
  node: number,
  action: string,
  trial: ActedTrial,
): number {
  const id = ids.get(action) ?? ids.size;
  if (id === ids.size) ids.set(action, id);
  const edge = node * MOST_ACTIONS + id;
  const known = next.get(edge);
  if (known !== undefined) return known;
  next.set(edge, preferred.length);
  return preferred.push(trial) - 1;
}

/** The passing trial that a failing one follows longest. */
function* followed(
  { ids, next, preferred }: Beginnings,
  { actions }: ActedTrial,
): Generator<null, ActedTrial | undefined, undefined> {
  let node: number = ROOT;
  for (const [i, { action }] of actions.entries()) {
    const id = ids.get(action);
    const found = id === undefined ? undefined : next.get(node * MOST_ACTIONS + id);
    if (found === undefined) break;
    node = found;
    if (i % ACTIONS_AT_ONCE === 0) yield null;
  }
  return preferred[node];
}

function inPreference(a: ActedTrial, b: ActedTrial): number {
  return a.actions.length - b.actions.length || byStart(a, b);
}

/** By start, then id. */
export function byStart(a: ActedTrial, b: ActedTrial): number {
  return Number(a.startedAt - b.startedAt) || compareText(a.trialId, b.trialId);
}

function pairOf(own: ActedTrial, other: ActedTrial): DiffPair {
  return {
    evaluation_call_id: own.evaluationCallId,
    row_digest: own.rowDigest,
    trial_id: own.trialId,
    other_trial_id: other.trialId,
    actions: own.actions.length,
    other_actions: other.actions.length,
    ...commonStart(own.actions, other.actions),
  };
}

const MOST_LISTED = 50;

/** Sums over all pairs. */
export function diffTotals(pairs: readonly DiffPair[]): DiffTotals {
  const rowsOf = (some: readonly DiffPair[]) => new Set(some.map(({ row_digest: row }) => row)).size;
  const apart = pairs.flatMap((pair) => {
    const { first_difference: first } = pair;
    return first === null ? [] : [{ pair, ...first }];
  });
  const countsOf = (some: readonly (typeof apart)[number][]) => ({
    trials: some.length,
    rows: rowsOf(some.map(({ pair }) => pair)),
  });
  const indexes = apart.map(({ index }) => index).toSorted((a, b) => a - b);
  const instead = [
    ...grouped(apart, ({ name, other_name: other }) => JSON.stringify([name, other])).values(),
  ];
  return {
    rows: rowsOf(pairs),
    trials: pairs.length,
    identical: pairs.length - apart.length,
    median_index: median(indexes),
    at: [...grouped(apart, ({ index }) => index)]
      .map(([index, some]) => ({ index, ...countsOf(some) }))
      .toSorted((a, b) => a.index - b.index)
      .slice(0, MOST_LISTED),
    instead: instead
      .map((some) => ({
        name: some[0]?.name ?? null,
        other_name: some[0]?.other_name ?? null,
        ...countsOf(some),
      }))
      .toSorted(
        (a, b) =>
          b.trials - a.trials ||
          b.rows - a.rows ||
          byName(a.name, b.name) ||
          byName(a.other_name, b.other_name),
      )
      .slice(0, MOST_LISTED),
  };
}

function median(ascending: readonly number[]): number | null {
  const [low, high] = [ascending[(ascending.length - 1) >> 1], ascending[ascending.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** By code units, null last. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return Number(a > b) - Number(a < b);
}
