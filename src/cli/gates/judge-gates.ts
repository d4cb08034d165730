import type { AgreementResponse, Comparison, Engine, LeaderboardAnswer } from "../../index.ts";
import { nameList, shellWord } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import { usageFault } from "../../request/meaningless.ts";
import { chanceText, counted, differenceText, sizeText } from "../../words/figures.ts";
import { scoreName, shownType, type Score } from "../../words/score.ts";
import { sliceName } from "../../words/slices.ts";
import { sideWords } from "../../words/standings.ts";
import { scoreAt, type Compared } from "../../words/comparison-words.ts";
import { type ErrorIntervals, figureReasons, readErrors } from "./figure-gates.ts";
import { agreementReason, readAgreements } from "./judge-agreement.ts";
import { usageTests } from "./paired-usage.ts";
import { readBoard } from "./read-board.ts";
import { gatesOnSteps, readStepMeans, stepReasons, type StepMeans } from "./step-gates.ts";
import { readUsages, usageReason, type PairUsage, type UsageSaid } from "./usage-gates.ts";
import type { Gate, UsageGate } from "./parse-gate.ts";

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
  /** What is to be known of one that is not met. */
  readonly notes?: readonly string[];
}

/** What gates need beside the comparison. */
interface GateFigures {
  /** Holds the baseline and the candidates; null where no gate needs it. */
  readonly board: LeaderboardAnswer | null;
  /** How far each compared judge agrees with people; none where no gate needs it. */
  readonly agreements: readonly AgreementResponse[];
  /** What each candidate used; none where no gate needs it. */
  readonly usages: readonly PairUsage[];
  /** The gates on how much more steps there are, and what these count on both sides. */
  readonly steps: { readonly gates: readonly Gate[]; readonly means: StepMeans };
  /** Intervals of the shares of trials in error, by evaluation; none where no gate needs them. */
  readonly errors: ErrorIntervals;
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
  if (compared.answer.slicing?.judged === false && gates.some(({ kind }) => kind === "slice-regressed"))
    throw usageFault(
      ["--fail-on"],
      "slice-regressed judges nothing: trials that are compared make the slices; name an earlier run: --by-of",
    );
  return notes;
}

/** Reads what gates need beside the comparison. */
export async function readFigures(
  engine: Engine,
  project: string,
  compared: Compared,
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<GateFigures> {
  const { request, sides } = compared;
  const ofSteps = await gatesOnSteps(engine, project, compared, gates, signal);
  const means = await readStepMeans(engine, project, compared, ofSteps, signal);
  const [isBoard, isJudge] = [gates.some(needsBoard), gates.some(({ kind }) => kind === "judge")];
  return {
    board: isBoard ? await readBoard(engine, project, request, sides, gates, signal) : null,
    usages: await readUsages(engine, project, request, sides, gates, signal),
    steps: { gates: ofSteps, means },
    errors: await readErrors(engine, project, compared, gates, signal),
    agreements: isJudge ? await readAgreements(engine, project, compared, signal) : [],
  };
}

/** Judges gates. */
export function judgeGates(gates: readonly Gate[], compared: Compared, figures: GateFigures): JudgedGate[] {
  const { usages } = figures;
  const pOf = usageTests(
    gates,
    usages.map(({ rowUsage }) => rowUsage),
  );
  return gates.map((gate) => {
    if (gate.kind !== "usage") return { gate, reasons: reasonsOf(gate, compared, figures) };
    const said = usages.flatMap((one) => {
      const label = compared.names.get(one.candidate) ?? one.candidate;
      const test = { p: pOf(gate, one.rowUsage), alpha: 1 - compared.answer.confidence };
      return usageReason(gate, one, { label, ...test, isOnly: usages.length === 1 }) ?? [];
    });
    return usageJudged(gate, said);
  });
}

/** A gate on what rows use, by what it says of each pair. */
export function usageJudged(gate: UsageGate, said: readonly UsageSaid[]): JudgedGate {
  const texts = (isMet: boolean) => said.filter((one) => one.isMet === isMet).map(({ text }) => text);
  return { gate, reasons: plain(texts(true)), notes: texts(false) };
}

/** Whether a gate needs means, errors and rows. */
function needsBoard({ kind }: Gate): boolean {
  return kind === "errors" || kind === "coverage" || kind === "score";
}

function reasonsOf(
  gate: Exclude<Gate, UsageGate>,
  compared: Compared,
  { board, agreements, errors, steps }: GateFigures,
): Reason[] {
  switch (gate.kind) {
    case "regressed":
    case "not-equivalent":
    case "not-shown-as-good":
      return verdictReasons(gate.kind, gate.text, compared);
    case "slice-regressed":
      return sliceReasons(gate.text, compared);
    case "judge":
      return plain(agreements.flatMap((one) => agreementReason(gate, one) ?? []));
    case "errors":
    case "coverage":
    case "score":
      if (steps.gates.includes(gate)) return plain(stepReasons(gate, compared, steps.means));
      return board === null ? [] : plain(figureReasons(gate, compared, board, errors));
  }
}

function plain(texts: readonly string[]): Reason[] {
  return texts.map((text) => ({ text, comparison: null }));
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
