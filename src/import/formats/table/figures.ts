import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { valuesByRow, type ScoreBook } from "../../check/score-book.ts";
import { SourceFault } from "../../read/fault.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { countOf, nameList } from "../../../model/messages.ts";
import { type FigureKind as Kind, kindOf, MEAN_OF, PASS_AT, PERCENT } from "./figure-names.ts";
import { halfDigit, type Meant, toleranceOf, type Values, waysOf } from "./figure-ways.ts";
import { plainName } from "./guess-names.ts";

/** A figure beside the records, or of one task of them. */
export interface Stated {
  readonly name: string;
  readonly value: number;
  /** Null for a figure of all records. */
  readonly task: string | null;
}

/** What figures of one evaluation are compared with. */
export interface Computed {
  /** Its id in the book. */
  readonly evaluation: string;
  readonly trials: number;
  /** Trials in error. */
  readonly errors: number;
  /** Whether a row has several trials. */
  readonly hasRepeats: boolean;
  readonly scores: readonly string[];
  readonly booleans: readonly string[];
  readonly book: ScoreBook;
  /** How many trials are stated; null where that is not said. */
  readonly total: number | null;
}

function valuesOf(score: string, { evaluation, book, trials, total, errors }: Computed): Values | null {
  const found = book.find(evaluation, [score]);
  if (found === null || found.texts > 0) return null;
  const byRow = valuesByRow(found);
  const known = byRow.flat();
  const without = Math.min(errors, trials - found.values.length);
  return {
    byRow,
    known,
    nulls: found.values.length - known.length,
    errors: without,
    missing: Math.max(0, (total ?? trials) - trials),
  };
}

/** A figure of a score that agrees, that a rule explains, or that differs. */
function* explained(meant: Meant, computed: Computed): Generator<LogItem> {
  const { name, stated, score, values } = meant;
  const tolerance = toleranceOf(meant);
  const figure = (value: number) => figureOf(computed.evaluation, score, name, stated, value).figure;
  const [own, ...others] = waysOf(meant);
  const { value: given = Number.NaN } = own ?? {};
  const fitting = [own, ...others].find((way) => way !== undefined && agrees(figure(way.value), tolerance));
  if (fitting === undefined && values.known.length < computed.trials) {
    const without = computed.trials - values.known.length;
    yield notChecked(name, stated, `${countOf(without, "trial")} without ${score} may count in it`);
  } else if (fitting?.rule === undefined)
    yield { kind: "figure", figure: figure(fitting?.value ?? given), tolerance };
  else {
    yield { kind: "figure", figure: { ...figure(given), explained_by: fitting.rule } };
    const gives = Number(given.toPrecision(4));
    yield { kind: "note", text: `states ${name} ${stated}, its trials give ${gives}: ${fitting.said}` };
  }
}

/** Whether some score gives the figure, though its name does not say of which, or how it is made. */
function isKnown(name: string, stated: number, computed: Computed): boolean {
  const own = kindOf(name);
  const kinds: readonly Kind[] = own === null || own === "trials" ? ["mean", "passed", "failed"] : [own];
  return (
    stated === computed.trials ||
    computed.scores.some((score) => {
      const values = valuesOf(score, computed);
      if (values === null) return false;
      const meant = kinds.map((kind): Meant => ({ name, stated, kind, score, values }));
      return meant.some((one) => [...waysOf(one)].some(({ value }) => Math.abs(value - stated) < 1e-9));
    })
  );
}

/** The share of rows of which one of `k` trials is expected to pass. */
function passAtFigure(
  name: string,
  stated: number,
  k: number,
  score: string,
  { byRow }: Values,
  computed: Computed,
): LogItem {
  const rates = byRow.flatMap((values) => {
    const failed = values.filter((value) => value !== 1).length;
    if (values.length < k) return [];
    let none = 1;
    for (let i = 0; i < k; i++) none *= Math.max(0, failed - i) / (values.length - i);
    return [1 - none];
  });
  const value = meanOf(rates);
  const figure = figureOf(computed.evaluation, score, name, stated, value);
  const tolerance = Math.max(1e-9, halfDigit(stated, false));
  if (rates.length > 0 && agrees(figure.figure, tolerance)) return { ...figure, tolerance };
  return notChecked(name, stated, "its rows may have other trials");
}

/** The score that a figure is of; null where its name does not say. */
function meantScore(name: string, kind: Kind | null, computed: Computed): string | null {
  const { scores } = computed;
  const plain = plainName(name).replace(PERCENT, "");
  const [, before, behind] = MEAN_OF.exec(plain) ?? [];
  const named = scores.find((score) => [plain, before ?? behind].includes(plainName(score)));
  if (named !== undefined) return named;
  const truths = kind === "passed" || kind === "failed" ? truthsOf(computed) : scores;
  return kind !== null && truths.length === 1 ? (truths[0] ?? null) : null;
}

/** Scores of booleans; where there is none, those of 0 and 1. */
function truthsOf({ scores, booleans, book, evaluation }: Computed): readonly string[] {
  if (booleans.length > 0) return booleans;
  return scores.filter((score) => {
    const known = book.find(evaluation, [score])?.values.filter((value) => !Number.isNaN(value)) ?? [];
    return known.length > 0 && known.every((value) => value === 0 || value === 1);
  });
}

function notChecked(name: string, stated: number, why: string) {
  return { ...unchecked(name, why), stated };
}

/** Compares a figure with what the trials give, where its name says what it is. */
function* compared(name: string, stated: number, computed: Computed): Generator<LogItem> {
  const { evaluation, trials, hasRepeats } = computed;
  const kind = kindOf(name);
  if (kind === "trials") {
    if (Number.isSafeInteger(stated) && (!hasRepeats || stated === trials))
      yield figureOf(evaluation, null, name, stated, trials);
    else yield notChecked(name, stated, "it may count something else than trials");
    return;
  }
  const passAt = PASS_AT.exec(name)?.[1];
  const score = meantScore(name, passAt === undefined ? kind : "passed", computed);
  const values = score === null ? null : valuesOf(score, computed);
  if (score === null || values === null)
    yield notChecked(name, stated, "its name does not say of which score it is, or how it is made");
  else if (passAt === undefined) yield* explained({ name, stated, kind, score, values }, computed);
  else yield passAtFigure(name, stated, Number(passAt), score, values, computed);
}

/** What is stated of the records of a table. */
interface StatedFigures {
  readonly figures: readonly Stated[];
  /** The evaluation of a task, or of all records; null where there are several. */
  readonly computedOf: (task: string | null) => Computed | null;
}

/** Compares all figures, and names those that are not checked. */
export function* comparedFigures({ figures, computedOf }: StatedFigures): Generator<LogItem> {
  const untold: string[] = [];
  for (const { name, value, task } of figures) {
    const computed = computedOf(task);
    const items =
      computed === null
        ? [notChecked(name, value, "the records are several evaluations")]
        : [...compared(name, value, computed)];
    for (const item of items) {
      const isOpen = item.kind === "unchecked" && (computed === null || !isKnown(name, value, computed));
      if (isOpen) untold.push(`${task === null ? "" : `${task} `}${name} ${value}`);
      yield item;
    }
  }
  if (untold.length > 0)
    yield { kind: "note", text: `states figures that are not checked: ${nameList(untold)}` };
}

/** How many trials are stated; null where that is not said. */
export function totalIn(figures: readonly Stated[]): number | null {
  return figures.find(({ name, task }) => task === null && kindOf(name) === "trials")?.value ?? null;
}

/** How many values verdicts have, and how many of them are right. */
export function verdictsOf(
  evaluations: readonly { readonly evaluation: string }[],
  shared: Omit<Computed, "evaluation" | "trials" | "errors">,
): { readonly known: number; readonly passed: number } {
  const values = evaluations.flatMap((one) => {
    const computed = { ...shared, ...one, trials: 0, errors: 0 };
    return truthsOf(computed).flatMap((score) => valuesOf(score, computed)?.known ?? []);
  });
  return { known: values.length, passed: values.filter((value) => value === 1).length };
}

/** Throws {@link SourceFault} where only failed records are in the file; says where others are missing. */
export function* missingRecords(
  figures: readonly Stated[],
  trials: number,
  { known, passed }: { readonly known: number; readonly passed: number },
): Generator<LogItem> {
  const of = (kind: Kind) => figures.find(({ name, task }) => task === null && kindOf(name) === kind)?.value;
  const total = totalIn(figures);
  if (total === null || total <= trials) return;
  const mean = of("mean");
  const right = of("passed") ?? (mean === undefined ? undefined : Math.round(mean * total));
  if (known === 0 || passed > 0) {
    yield { kind: "note", text: `states ${total} trials and holds ${trials}` };
    return;
  }
  const stated =
    right === undefined || right > total ? countOf(total, "trial") : `${right} of ${total} right`;
  throw new SourceFault(
    "invalid",
    null,
    `states ${stated} and holds ${countOf(trials, "record")}, all false: only the failed cases are in it; import the file with all answers`,
  );
}
