import { MOST_FIELD_CHARACTERS, MOST_SEGMENTS, splitFieldPath, stepFault } from "../../model/field-path.ts";
import { shown } from "../../model/messages.ts";
import { usageFault } from "../../request/meaningless.ts";

/** The four orders of a threshold. */
export type Order = "<" | "<=" | ">" | ">=";

/** A limit of a gate: `< 90%`. */
export interface Threshold {
  readonly order: Order;
  /** A share where `percent` is set: 0.9 for 90%. */
  readonly value: number;
  readonly percent: boolean;
}

const VERDICT_GATES = ["regressed", "slice-regressed", "not-equivalent", "not-shown-as-good"] as const;

/** A gate on the verdicts of the comparisons. */
interface VerdictGate {
  readonly kind: (typeof VERDICT_GATES)[number];
  /** As it was typed. */
  readonly text: string;
}

/** A gate on a figure of each candidate. */
export interface FigureGate {
  readonly kind: "errors" | "coverage" | "score";
  /** As it was typed. */
  readonly text: string;
  /** The score; empty for the other kinds. */
  readonly name: string;
  readonly threshold: Threshold;
  /** Whether the whole interval has to be beyond the threshold. */
  readonly shown: boolean;
}

/** A gate on the lower limit of Cohen's κ of a judge with people. */
export interface JudgeGate {
  readonly kind: "judge";
  /** As it was typed. */
  readonly text: string;
  readonly threshold: Threshold;
}

/** A gate on what a row uses at most, or with `percent` on how much more than of the baseline. */
export interface UsageGate {
  readonly kind: "usage";
  /** As it was typed. */
  readonly text: string;
  readonly name: (typeof USED)[number];
  readonly threshold: Threshold;
  /** Whether it suffices that the figures differ, shown or not. */
  readonly point: boolean;
}

/** A condition under which a command fails. */
export type Gate = VerdictGate | FigureGate | JudgeGate | UsageGate;

const FLAG = "--fail-on";
const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(\s*%)?(?:\s+(shown|point))?$/i;

/** Reads gates, several in one text parted by commas. Throws `RequestError` on a text that is none. */
export function parseGates(texts: readonly string[]): Gate[] {
  return partsOf(texts).map(parseGate);
}

/** A gate of `ci` alone, on a pair. */
export type PairGate =
  | { readonly kind: "flaky"; readonly text: string; readonly threshold: Threshold }
  | { readonly kind: "dataset-changed"; readonly text: string };

/** Reads gates of `ci`, as {@link parseGates} does. */
export function parseCiGates(texts: readonly string[]): (Gate | PairGate)[] {
  return partsOf(texts).map((text) => {
    if (text === "dataset-changed") return { kind: text, text };
    const gate = parseGate(text);
    if (gate.kind !== "score" || !/^flaky[\s<>]/.test(text)) return gate;
    const { threshold } = gate;
    if (threshold.percent && threshold.order[0] === ">" && threshold.value >= 0)
      return { kind: "flaky", text, threshold };
    throw usageFault([FLAG], `flaky is a share of rows: write flaky>2% instead of ${text}`);
  });
}

function partsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",")).map((part) => part.trim());
}

function parseGate(text: string): Gate {
  const verdictGate = VERDICT_GATES.find((kind) => kind === text);
  if (verdictGate !== undefined) return { kind: verdictGate, text };
  const at = Math.max(text.lastIndexOf("<"), text.lastIndexOf(">"));
  const order = text.slice(at, text[at + 1] === "=" ? at + 2 : at + 1);
  const [, digits, sign, how] = NUMBER.exec(text.slice(at + order.length).trimStart()) ?? [];
  if (at < 1 || !isOrder(order) || digits === undefined) throw unknownGate(text);
  const name = text.slice(0, at).trimEnd();
  const percent = sign !== undefined;
  const number = Number(digits);
  const threshold: Threshold = { order, value: percent ? number / 100 : number, percent };
  const used = USED.find((one) => one === name);
  if (how !== undefined && how !== wordFor(name, percent)) throw unknownGate(text);
  if (name === "judge") return judgeGate(text, threshold);
  if (used !== undefined) {
    if (order[0] !== ">" || threshold.value < 0) throw unknownGate(text);
    return { kind: "usage", text, name: used, threshold, point: how !== undefined };
  }
  const asksShown = how !== undefined;
  if (name !== "errors" && name !== "coverage")
    return { kind: "score", name: scoreOf(name), threshold, text, shown: asksShown };
  if (!percent)
    throw usageFault(
      [FLAG],
      `${name} are shares of a whole: write ${name}${order}${digits}% instead of ${text}`,
    );
  if (order[0] !== FAULTY[name] || threshold.value < 0 || threshold.value > 1) throw unknownGate(text);
  return { kind: name, name: "", threshold, text, shown: asksShown };
}

export const USED = ["cost", "latency", "tokens"] as const;

/** The word that may stand behind the threshold of a gate; null where there is none. */
function wordFor(name: string, percent: boolean): string | null {
  if (name === "judge" || name === "coverage") return null;
  const isUsed = USED.some((one) => one === name);
  return isUsed ? (percent ? "point" : null) : "shown";
}

/** A score with or without `scores.` before it. */
function scoreOf(name: string): string {
  const score = name.replace(/^scores\./, "");
  const bounds = `a score has at most ${MOST_SEGMENTS} segments and at most ${MOST_FIELD_CHARACTERS} characters`;
  const isLong = score.length > MOST_FIELD_CHARACTERS - "scores.".length;
  if (isLong || splitFieldPath(score).length >= MOST_SEGMENTS) throw usageFault([FLAG], bounds);
  return score;
}

/** κ is no share, and at most 1. */
function judgeGate(text: string, threshold: Threshold): JudgeGate {
  const { order, value, percent } = threshold;
  if (order[0] === "<" && !percent && Math.abs(value) <= 1) return { kind: "judge", text, threshold };
  throw usageFault(
    [FLAG],
    `judge is the kappa of a judge with people, from -1 to 1: write judge<0.6 instead of ${text}; a score called judge is scores.judge`,
  );
}

/** Throws `RequestError` on a gate on a judge where no score of people is named. */
export function refuseJudgeGates(gates: readonly Gate[]): void {
  if (gates.every(({ kind }) => kind !== "judge")) return;
  throw usageFault(
    [FLAG],
    "judge needs compare with --corrected-by, the score that people gave, or the command agreement; a score called judge is scores.judge",
  );
}

/** Throws `RequestError` on a gate that judges by the margin where there is none. */
export function refuseWithoutMargin(
  gates: readonly { readonly text: string }[],
  margin: number | null | undefined,
) {
  const gate = gates.find(({ text }) => text === "not-equivalent" || text === "not-shown-as-good");
  if (margin == null && gate !== undefined)
    throw usageFault([FLAG], `${gate.text} needs --margin, the difference that counts as none`);
}

/** On which side of its threshold a share is a fault. The other side would let pass what should fail. */
const FAULTY = { errors: ">", coverage: "<" } as const;

function isOrder(text: string | undefined): text is Order {
  return text === "<" || text === "<=" || text === ">" || text === ">=";
}

function unknownGate(text: string): Error {
  return usageFault(
    [FLAG],
    `there is no gate ${shown(text)}; there are ${VERDICT_GATES.join(", ")}, errors>N%, coverage<N%, judge<N, cost>N%, latency>N%, tokens>N% and <score><N or <score><N%, quoted for the shell, such as "correct<90%"; errors and scores may end with shown, cost>N%, latency>N% and tokens>N% with point`,
  );
}

/** Whether a gate is on how much more steps a candidate has, in percent. */
export function isOnSteps(gate: Gate | PairGate): gate is FigureGate {
  if (gate.kind !== "score" || !gate.threshold.percent) return false;
  const path = splitFieldPath(gate.name);
  const segments = path[0] === "evalcube" ? path.slice(1) : path;
  return segments[0] === "steps" && stepFault(segments.slice(1)) === null;
}

/** Whether a gate judges a candidate by what it is compared with. */
export function needsBaseline(gate: Gate): boolean {
  const { kind } = gate;
  return kind === "usage"
    ? gate.threshold.percent
    : isOnSteps(gate) || (kind !== "score" && kind !== "errors" && kind !== "judge");
}

/** Whether a value is beyond a threshold. */
export function isBeyond(value: number, { order, value: limit }: Threshold): boolean {
  switch (order) {
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
  }
}
