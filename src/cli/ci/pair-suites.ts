import type { CompareRequest } from "../../index.ts";
import { nameList } from "../../model/messages.ts";
import { counted, countText } from "../../words/figures.ts";
import { fieldText, scorePlace, splitFieldPath } from "../../model/field-path.ts";
import { shellWord } from "../../model/messages.ts";
import { isAmong } from "../../words/score.ts";
import { countedScore, pathName, sameScore, valuesOn, type Suite, type SuiteScore } from "./suite.ts";

/** What is not compared, and why. */
export interface Incomparable {
  readonly reason:
    | "no-baseline"
    | "merge-base"
    | "dataset"
    | "clusters"
    | "rows"
    | "scorer-missing"
    | "scorer-definition"
    | "scorer-kind"
    | "direction"
    | "failed"
    | "no-candidate"
    | "not-loaded"
    | "missing-evaluation";
  /** The name of the evaluation; null where it is all of them. */
  readonly evaluation: string | null;
  /** One line. */
  readonly text: string;
}

/** A candidate with its baseline. */
export interface Pair {
  readonly candidate: Suite;
  readonly baseline: Suite;
  /** The scores of the baseline that are compared. */
  readonly scores: readonly SuiteScore[];
  /** Rows on both sides, on the side of the candidate alone, and on that of the baseline alone. */
  readonly rows: Readonly<Record<"shared" | "edited" | "added" | "removed", number>>;
}

/** What is compared, what is not, and what is new in the candidates. */
interface Pairing {
  readonly pairs: readonly Pair[];
  readonly incomparable: readonly Incomparable[];
  readonly notes: readonly string[];
}

/**
 * Pairs candidates with the evaluations of a baseline, null where there is none, by name. `leftOut` are names that
 * nobody wants judged, though they ran; `asked`: the scores that are judged, and whether edited rows are.
 */
export function pairSuites(
  candidates: readonly Suite[],
  found: readonly Suite[] | null,
  leftOut: ReadonlySet<string>,
  asked: CompareRequest,
): Pairing {
  const baseline = found ?? [];
  const sides = candidates.map((candidate) => namesakeOf(candidate, candidates, baseline));
  const judged = candidates.map((candidate, i) => judge(candidate, sides[i], asked));
  const missing = baseline.filter((one) => !sides.includes(one) && !leftOut.has(one.name));
  const pairs = judged.flatMap((one) => one.pairs);
  const unlike = judged.flatMap((one) => one.incomparable);
  const incomparable = [
    ...unlike.filter(({ text }, i) => unlike.findIndex((one) => one.text === text) === i),
    ...missing.map(({ name }) => {
      const text = `${name} is in the baseline, but was not run`;
      return { reason: "missing-evaluation", evaluation: name, text } as const;
    }),
  ];
  const hasReason = found === null || pairs.length > 0 || incomparable.length > 0;
  return {
    pairs,
    incomparable: hasReason ? incomparable : [unpaired(candidates, baseline)],
    notes: judged.flatMap(({ notes }) => notes),
  };
}

/**
 * Why a candidate is no result at all: nothing ran, all trials failed, or no score has a value where gates need one;
 * null otherwise.
 */
export function failureOf({ name, rows, errors, scores }: Suite, needsScore: boolean): Incomparable | null {
  const failed = (text: string): Incomparable => ({
    reason: "failed",
    evaluation: name,
    text: `${name}: ${text}`,
  });
  const trials = errors.flat();
  if (rows.length === 0) return failed("no rows, nothing was run");
  const all = countText(trials.length);
  if (trials.every(Boolean)) return failed(`${all} of ${all} trials failed`);
  if (scores.length > 0 || !needsScore) return null;
  return failed(`${counted(trials.length, "trial")} and no score`);
}

function unpaired(candidates: readonly Suite[], baseline: readonly Suite[]): Incomparable {
  const names = namesOf(baseline) || "none";
  const text = `the baseline has no evaluation named ${namesOf(candidates)}; it has ${names}`;
  return { reason: "no-baseline", evaluation: null, text };
}

function namesOf(list: readonly Suite[]): string {
  return nameList([...new Set(list.map(({ name }) => name))]);
}

/**
 * The last of this name in a list; for one of several candidates of that name the last of those that share its model
 * and its file.
 */
export function namesakeOf<Named extends Pick<Suite, "name" | "model" | "file">>(
  { name, model, file }: Pick<Suite, "name" | "model" | "file">,
  candidates: readonly Pick<Suite, "name">[],
  list: readonly Named[],
): Named | undefined {
  const named = list.filter((one) => one.name === name);
  const several = candidates.filter((one) => one.name === name).length > 1;
  // A baseline that an earlier version saved has no files.
  const shared = (one: Named) => Number(one.model === model) + Number((one.file ?? null) === file);
  return (several ? named.toSorted((a, b) => shared(a) - shared(b)) : named).at(-1);
}

function judge(candidate: Suite, baseline: Suite | undefined, asked: CompareRequest): Pairing {
  const { edited_rows: edited, cluster_by: field } = asked;
  const { name, dataset, rows } = candidate;
  const none = (reason: Incomparable["reason"], text: string, who = name): Pairing => ({
    pairs: [],
    incomparable: [{ reason, evaluation: name, text: `${who} ${text}` }],
    notes: [],
  });
  if (rows.length === 0) return { pairs: [], incomparable: [], notes: [] };
  const isNew = "is new: the baseline does not have it";
  if (baseline === undefined) return { pairs: [], incomparable: [], notes: [`${name} ${isNew}`] };
  if (dataset !== null && baseline.dataset !== null && dataset !== baseline.dataset)
    return none("dataset", `has dataset ${dataset}, the baseline ${baseline.dataset}`);
  if (field != null && !isSameField(baseline.clusters?.field, field)) {
    const anew = `evalcube ci --save FILE --cluster-by ${shellWord(field)}`;
    return none("clusters", `has no clusters of ${field}; save it anew: ${anew}`, "the baseline");
  }
  const { counts, compared, fault } = shareRows(candidate, baseline, edited === "leave_out");
  if (fault !== null) return none("rows", ...fault);
  const wanted = baseline.scores.filter((one) => isAsked(one, asked));
  const own = candidate.scores.filter((one) => isAsked(one, asked));
  const added = own.filter((one) => sameScore(baseline, one) === undefined);
  const faults = wanted.map((score) => faultOf(candidate, baseline, score, compared, asked));
  const nothing = wanted.length === 0 ? none("rows", "has no score with values on both sides") : null;
  return {
    pairs: [
      {
        candidate,
        baseline,
        scores: wanted.filter((_, i) => faults[i] === null),
        rows: counts,
      },
    ],
    incomparable: [
      ...faults.flatMap((one) => (one === null ? [] : none(...one).incomparable)),
      ...(nothing?.incomparable ?? []),
    ],
    notes: added.map(({ path }) => `the score ${pathName(path)} of ${name} ${isNew}`),
  };
}

/** Whether a score is compared; numbers of steps are only where they are named. */
function isAsked({ path, steps }: SuiteScore, { scorers }: CompareRequest): boolean {
  return scorers == null ? steps !== true : isAmong(scorePlace(path), scorers);
}

/**
 * The rows of both sides; `fault`: why these are not compared, with the name of the side where it is not the candidate.
 */
function shareRows(candidate: Suite, baseline: Suite, isWithoutEdited: boolean) {
  const { name, rows, contents } = candidate;
  const before = new Map(baseline.rows.map((row, i) => [row, baseline.contents[i]]));
  const common = rows.filter((row) => before.has(row));
  const same = rows.filter((row, i) => before.has(row) && before.get(row) === contents[i]);
  const [shared, edited] = [common.length, common.length - same.length];
  const counts = { shared, edited, added: rows.length - shared, removed: before.size - shared };
  const compared = isWithoutEdited ? same : common;
  const [keyed, other] = hasKeys(candidate) ? [name, "the baseline"] : ["the baseline", name];
  const isUnlike = shared === 0 && hasKeys(candidate) !== hasKeys(baseline);
  const which = `${counted(compared.length, "row")}${isWithoutEdited && edited > 0 ? " that was not edited" : ""}`;
  const fault: readonly [text: string, who?: string] | null = isUnlike
    ? [`has row keys, ${other} has none: no row is shared`, keyed]
    : compared.length < 2
      ? [`shares ${which} with the baseline; a comparison needs two`]
      : null;
  return { counts, compared, fault };
}

function isSameField(one: string | undefined, other: string): boolean {
  return one !== undefined && fieldText(splitFieldPath(one)) === fieldText(splitFieldPath(other));
}

function hasKeys({ contents }: Suite): boolean {
  return contents.some((content) => content !== null);
}

/** Why a score of the baseline is not compared; null where it is. */
function faultOf(
  candidate: Suite,
  baseline: Suite,
  score: SuiteScore,
  compared: readonly string[],
  counts: CompareRequest,
): readonly [Incomparable["reason"], string] | null {
  const name = pathName(score.path);
  const own = sameScore(candidate, score);
  if (own === undefined)
    return ["scorer-missing", `has no score ${name}: it was renamed or removed, or gave no value`];
  const hasKind = [own, score].every((one) => one.values.flat().some((value) => value != null));
  if (hasKind && own.binary !== score.binary && !(isRate(own) && isRate(score)))
    return ["scorer-kind", `has ${kindOf(own)} in ${name}, the baseline ${kindOf(score)}`];
  const [scorer = ""] = score.path;
  const [now, before] = [candidate.scorers[scorer], baseline.scorers[scorer]];
  if (now !== undefined && before !== undefined && now !== before)
    return ["scorer-definition", `has the scorer ${now} in ${name}, the baseline ${before}`];
  const values = valuesOn(compared, baseline, countedScore(baseline, score, counts));
  const both = valuesOn(compared, candidate, countedScore(candidate, own, counts)).filter(
    (one, i) => one.length > 0 && values[i]?.length !== 0,
  );
  if (both.length >= 2) return null;
  return [
    "rows",
    `has ${counted(both.length, "row")} with values of ${name} on both sides; a comparison needs two`,
  ];
}

/** Whether all values are true or false, or 0 or 1. */
function isRate({ values }: SuiteScore): boolean {
  return values.flat().every((value) => value == null || Number(value) === 0 || Number(value) === 1);
}

function kindOf({ binary }: SuiteScore): string {
  return binary ? "true and false" : "numbers";
}
