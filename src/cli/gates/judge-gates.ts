import type { AgreementResponse, Comparison, LeaderboardAnswer, LeaderboardEntry } from "../../index.ts";
import { parseFieldPath } from "../../model/field-path.ts";
import { nameList, shellWord } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import { usageFault } from "../../request/meaningless.ts";
import { chanceText, counted, differenceText, outOf, sizeText } from "../../words/figures.ts";
import { scoreName, shownType, type Score } from "../../words/score.ts";
import { sliceName } from "../../words/slices.ts";
import { sideWords } from "../../words/standings.ts";
import { scoreAt, type Compared } from "../../words/comparison-words.ts";
import { agreementReason } from "./judge-agreement.ts";
import { usageReason, type PairUsage } from "./usage-gates.ts";
import { isBeyond, type FigureGate, type Gate, type Threshold } from "./parse-gate.ts";

/** One reason for which a gate is met. */
interface Reason {
  /** Figure, threshold and denominator, in one line. */
  readonly text: string;
  /** The comparison at fault; null where it is the candidate as a whole. */
  readonly comparison: Comparison | null;
}

/** A gate and why it is met; not met where there is no reason. */
export interface JudgedGate {
  readonly gate: Pick<Gate, "text">;
  readonly reasons: readonly Reason[];
}

/** What gates need beside the comparison. */
interface GateFigures {
  /** Holds the baseline and the candidates; null where no gate needs it. */
  readonly board: LeaderboardAnswer | null;
  /** How far each compared judge agrees with people; none where no gate needs it. */
  readonly agreements: readonly AgreementResponse[];
  /** What each candidate used; none where no gate needs it. */
  readonly usages: readonly PairUsage[];
}

/** The scores of comparisons of which nobody says which way is good, and what that means to gates on worse verdicts. */
export function undirected(
  gates: readonly { readonly kind: string; readonly text: string }[],
  compared: Compared,
) {
  const { comparisons } = compared.answer;
  const gate = gates.find(({ kind }) => kind === "regressed" || kind === "slice-regressed");
  const unknown = comparisons.filter(({ direction }) => direction === null);
  const names = [...new Set(unknown.map((one) => scoreAt(compared, one).key))];
  const none = { fault: null, notes: [] };
  if (gate === undefined || names.length === 0) return none;
  if (unknown.length === comparisons.length) return { ...none, fault: directionFault(gate.text, names) };
  return {
    ...none,
    notes: [`${gate.text} leaves out ${nameList(names, nameText)}: nothing says which way is good`],
  };
}

/** Why a gate on worse verdicts cannot be met or passed where no score has a direction. */
export function directionFault(gate: string, names: readonly string[]): string {
  const flag = `--higher-is-better ${names.slice(0, MOST_SHOWN).map(shellWord).join(" ")}`;
  return `${gate} judges nothing: no score says which way is good. Add better: "higher" to the scorer, or ${flag}`;
}

/** Names of scores in an example of a flag. */
const MOST_SHOWN = 5;

/** What gates leave out. Throws `RequestError` where one on worse verdicts judges nothing. */
export function gateNotes(gates: readonly Gate[], compared: Compared): readonly string[] {
  const { fault, notes } = undirected(gates, compared);
  if (fault !== null) throw usageFault(["--fail-on"], fault);
  return notes;
}

/** Judges gates. */
export function judgeGates(gates: readonly Gate[], compared: Compared, figures: GateFigures): JudgedGate[] {
  return gates.map((gate) => ({ gate, reasons: reasonsOf(gate, compared, figures) }));
}

/** Whether a gate needs means, errors and rows. */
export function needsBoard({ kind }: Gate): boolean {
  return kind === "errors" || kind === "coverage" || kind === "score";
}

function reasonsOf(gate: Gate, compared: Compared, { board, agreements, usages }: GateFigures): Reason[] {
  switch (gate.kind) {
    case "regressed":
    case "not-equivalent":
    case "not-shown-as-good":
      return verdictReasons(gate.kind, gate.text, compared);
    case "slice-regressed":
      return sliceReasons(gate.text, compared);
    case "judge":
      return agreements
        .map((one) => agreementReason(gate, one))
        .filter((text) => text !== null)
        .map((text) => ({ text, comparison: null }));
    case "usage":
      return usages
        .map((one) => usageReason(gate, one, compared.names.get(one.candidate) ?? one.candidate))
        .filter((text) => text !== null)
        .map((text) => ({ text, comparison: null }));
    case "errors":
    case "coverage":
    case "score":
      return board === null ? [] : figureReasons(gate, compared, board);
  }
}

type VerdictKind = "regressed" | "not-equivalent" | "not-shown-as-good";

/** An improvement is no fault of a candidate that should be as good. */
const PASSES: Readonly<Record<VerdictKind, (one: Comparison) => boolean>> = {
  regressed: ({ verdict }) => verdict !== "regressed",
  "not-equivalent": ({ verdict }) => verdict === "improved" || verdict === "equivalent",
  "not-shown-as-good": ({ not_worse }) => not_worse === true,
};

function verdictReasons(kind: VerdictKind, text: string, compared: Compared): Reason[] {
  return compared.answer.comparisons
    .filter((one) => !PASSES[kind](one))
    .map((one) => ({ text: `${text}: ${verdictText(kind, compared, one)}`, comparison: one }));
}

/** The slices that are worse, each by name. Throws `RequestError` where there are no slices. */
function sliceReasons(text: string, compared: Compared): Reason[] {
  const { slicing, comparisons } = compared.answer;
  if (slicing === undefined)
    throw usageFault(["--fail-on"], "slice-regressed needs --by, a field whose values are the slices");
  return comparisons.flatMap((one) =>
    (one.slices ?? [])
      .filter(({ verdict }) => verdict === "regressed")
      .map((slice) => {
        const where = `${scoreName(one)} where ${sliceName(slicing, slice.value)}`;
        const worse = sideWords(scoreAt(compared, one)).regressed;
        const difference = differenceText(slice.difference, shownType(one));
        const rows = counted(slice.n_common, "shared row");
        const name = compared.names.get(one.candidate) ?? one.candidate;
        const figures = `difference ${difference} (${chanceText(slice.p_value_adjusted)}, ${rows})`;
        return { text: `${text}: ${name} is ${worse} in ${where}, ${figures}`, comparison: one };
      }),
  );
}

function figureReasons(gate: FigureGate, compared: Compared, board: LeaderboardAnswer): Reason[] {
  const { kind, name: scorer, threshold, text } = gate;
  const dimension = kind === "score" ? dimensionOf(scorer, board) : -1;
  return compared.sides.flatMap(({ baseline, candidate: id }) => {
    const entry = entryOf(id, board);
    if (entry === undefined) return [];
    const { value, over } =
      kind === "errors"
        ? errorsOf(entry)
        : kind === "coverage"
          ? coverageOf(baseline, id, entry, compared, board)
          : scoreOf(entry, dimension);
    if (value !== null && !isBeyond(value, threshold)) return [];
    const shown = value === null ? "no value" : figureText(value, threshold);
    return [{ text: `${text}: ${compared.names.get(id) ?? id} has ${shown} (${over})`, comparison: null }];
  });
}

/** The entry of an evaluation, or of a model by its name. */
function entryOf(id: string, { by, entries }: LeaderboardAnswer): LeaderboardEntry | undefined {
  return entries.find((one) => (by === "model" ? one.model : one.evaluation_call_id) === id);
}

function verdictText(kind: VerdictKind, compared: Compared, one: Comparison): string {
  const name = compared.names.get(one.candidate) ?? one.candidate;
  const score = scoreAt(compared, one);
  const ofLoss = kind === "not-shown-as-good";
  const isWorse = one.verdict === "regressed" && !ofLoss;
  const what = isWorse ? `is ${sideWords(score).regressed}` : "is not shown to be as good";
  const equivalence = ofLoss ? (one.not_worse_p_value_adjusted ?? null) : one.equivalence_p_value_adjusted;
  const p = isWorse ? one.p_value_adjusted : equivalence;
  const difference = differenceText(one.difference, score.value_type);
  const rows = counted(one.n_common, "shared row");
  const loss = ofLoss ? `: ${lossText(one, score)}` : "";
  return `${name} ${what} in ${scoreName(one)}${loss}, difference ${difference} (${chanceText(p)}, ${rows})`;
}

function lossText({ direction, worst_loss: loss, reason }: Comparison, { value_type: type }: Score): string {
  if (direction === null) return "nothing says which way is good";
  return loss == null ? (reason ?? "all differences are equal") : `it may be ${sizeText(loss, type)} worse`;
}

/** The index of the one dimension with this name. Throws `RequestError` where the name stands for several. */
function dimensionOf(name: string, { dimensions }: LeaderboardAnswer): number {
  const field = parseFieldPath(`scores.${name}`);
  const wanted = "error" in field ? name : field.segments.join(".");
  const names = dimensions.map(scoreName);
  const exact = names.indexOf(wanted);
  if (exact !== -1) return exact;
  const below = names.filter((one) => one.startsWith(`${wanted}.`));
  if (below.length === 1) return names.indexOf(below[0] ?? "");
  throw usageFault(
    ["--fail-on"],
    `${JSON.stringify(name)} stands for ${below.length} scores; name one: ${below.slice(0, MOST_NAMED).join(", ")}`,
  );
}

const MOST_NAMED = 20;

interface Figure {
  readonly value: number | null;
  /** What the figure is of. */
  readonly over: string;
}

function errorsOf({ error_count, trial_count }: LeaderboardEntry): Figure {
  const value = trial_count === 0 ? null : error_count / trial_count;
  return { value, over: `${error_count} of ${trial_count} trials` };
}

/** Rows that the candidate shares with the baseline, of the rows of the baseline. */
function coverageOf(
  baseline: string,
  id: string,
  { tasks }: LeaderboardEntry,
  { answer }: Compared,
  board: LeaderboardAnswer,
): Figure {
  const own = entryOf(baseline, board);
  const rows = own?.row_count ?? 0;
  const names = new Set(tasks?.map(({ name }) => name));
  const alone = own?.tasks?.reduce((sum, task) => (names.has(task.name) ? sum : sum + task.rows), 0) ?? 0;
  const missed = answer.comparisons.find(
    (one) => one.baseline === baseline && one.candidate === id,
  )?.n_only_baseline;
  const lost = missed === undefined ? rows : missed + alone;
  return {
    value: rows === 0 ? null : (rows - lost) / rows,
    over: `${rows - lost} of ${rows} rows of the baseline`,
  };
}

function scoreOf({ scores, row_count }: LeaderboardEntry, dimension: number): Figure {
  const score = scores[dimension];
  const rows = score?.scored_row_count ?? 0;
  return { value: score?.row_mean ?? null, over: `mean over ${outOf(rows, row_count)} rows` };
}

/** Six digits, so that a figure just beyond its threshold does not look like the threshold. */
export function figureText(value: number, { percent }: Threshold): string {
  return percent ? `${Number((value * 100).toPrecision(6))}%` : String(Number(value.toPrecision(6)));
}
