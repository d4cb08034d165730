import { compileCells, compileRowPatterns } from "../../compile/agreement/agreement.ts";
import { nextTurn } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import type { AgreementPlan } from "../../plan/agreement-plan.ts";
import { meaningless } from "../../request/meaningless.ts";
import { certifiedRate } from "../../stats/agreement/certificate.ts";
import type { AgreementResponse, JudgeCertificate } from "../../respond/agreement/agreement.ts";
import {
  categoriesOf,
  confusionMatrix,
  countTable,
  faultlessIntervals,
  rawAgreement,
  weightedKappas,
} from "../../respond/agreement/contingency-table.ts";
import { kendallTauBSteps } from "../../stats/agreement/correlation.ts";
import { judgeAccuracy } from "../../stats/agreement/judge-accuracy.ts";
import { cohenKappa, kappaInterval } from "../../stats/agreement/kappa.ts";
import { krippendorffAlphaOfTable } from "../../stats/agreement/krippendorff.ts";
import { bootstrapAgreement } from "../../respond/agreement/bootstrap.ts";

/** Statistics that follow from how often each pair of values occurs. */
type TableStatistics = Pick<
  AgreementResponse,
  | "raw_agreement_interval"
  | "cohen_kappa"
  | "cohen_kappa_interval"
  | "weighted_kappa"
  | "krippendorff_alpha"
  | "confusion_matrix"
  | "judge"
  | "kendall_tau_b"
  | "bootstrap"
> & { readonly certificate: JudgeCertificate | null };

interface ContingencyOptions {
  readonly seed: number;
  readonly confidence: number;
  readonly atLeast: number | null;
  /** Receives a warning for each group of statistics that is left out, with the reason. */
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
}

const MAX_CELLS = 20_000;
const MAX_PATTERNS = 100_000;

const NO_CATEGORIES = {
  raw_agreement_interval: null,
  cohen_kappa: null,
  cohen_kappa_interval: null,
  weighted_kappa: null,
  krippendorff_alpha: null,
  confusion_matrix: null,
  judge: null,
  bootstrap: null,
} as const;

export async function readTableStatistics(
  session: Session,
  agreement: AgreementPlan,
  options: ContingencyOptions,
): Promise<TableStatistics> {
  const { scale } = agreement;
  const cells = await session.all(compileCells(agreement, MAX_CELLS + 1));
  if (cells.length > MAX_CELLS) {
    options.warnings.push(
      `more than ${MAX_CELLS} different pairs of values: kendall_tau_b and what needs categories are left out`,
    );
    return { ...NO_CATEGORIES, kendall_tau_b: null, certificate: certificateOf([], false, options) };
  }
  const kendall =
    scale === "text"
      ? null
      : await inTurns(
          kendallTauBSteps(cells.map(({ a, b, count }) => ({ x: Number(a), y: Number(b), count }))),
        );
  const certificate = certificateOf(cells, scale !== "text", options);
  const categories = categoriesOf(scale, cells);
  if (categories === null) return { ...NO_CATEGORIES, kendall_tau_b: kendall, certificate };
  const table = countTable(categories, cells);
  const places = new Map(categories.map((category, i) => [category, i]));
  const seriesKey = cells.map(({ a, b }) => (places.get(a) ?? 0) * categories.length + (places.get(b) ?? 0));
  return {
    cohen_kappa: cohenKappa(table),
    weighted_kappa: scale === "number" ? weightedKappas(table) : null,
    krippendorff_alpha: krippendorffAlphaOfTable(table),
    confusion_matrix: confusionMatrix(scale, categories, table),
    judge: scale === "boolean" ? judgeAccuracy(table) : null,
    kendall_tau_b: kendall,
    certificate,
    ...(await readIntervals(session, agreement, seriesKey, table, options)),
  };
}

type Intervals = Pick<TableStatistics, "raw_agreement_interval" | "cohen_kappa_interval" | "bootstrap">;

async function readIntervals(
  session: Session,
  agreement: AgreementPlan,
  seriesKey: readonly number[],
  table: readonly (readonly number[])[],
  { seed, confidence, warnings, signal }: ContingencyOptions,
): Promise<Intervals> {
  const patterns = await session.all(compileRowPatterns(agreement, MAX_PATTERNS + 1));
  if (patterns.length > MAX_PATTERNS) {
    warnings.push(`more than ${MAX_PATTERNS} kinds of rows: the intervals of agreement are left out`);
    return { raw_agreement_interval: null, cohen_kappa_interval: null, bootstrap: null };
  }
  const rows = patterns.reduce((sum, pattern) => sum + pattern.rows, 0);
  // With one label a row, labels are independent.
  const isSingle = rows === table.flat().reduce((sum, count) => sum + count, 0);
  const direct = isSingle ? kappaInterval(table, confidence) : null;
  const ofKappa = direct === null ? {} : { cohen_kappa_interval: direct };
  if (rawAgreement(table) === 1)
    return { ...faultlessIntervals(table, rows, confidence), ...ofKappa, bootstrap: null };
  const found = await bootstrapAgreement(patterns, seriesKey, table.length, { seed, confidence }, signal);
  return {
    raw_agreement_interval: found.rawAgreement,
    cohen_kappa_interval: direct ?? found.kappa,
    bootstrap: { method: "percentile", unit: "row", resamples: found.resamples, seed },
  };
}

function isTruth(value: number | string): boolean {
  return value === 0 || value === 1;
}

/** What shows that a judge is good enough, where that is asked. Throws `RequestError` on values but true and false. */
function certificateOf(
  cells: readonly { readonly a: number | string; readonly b: number | string; readonly count: number }[],
  areNumbers: boolean,
  { atLeast, confidence }: ContingencyOptions,
): JudgeCertificate | null {
  if (atLeast === null) return null;
  if (!areNumbers || !cells.every(({ a, b }) => isTruth(a) && isTruth(b)))
    throw meaningless(["at_least"], "goes with true and false, or 0 and 1, in both a and b");
  const count = (a: number, b: number) => cells.find((one) => one.a === a && one.b === b)?.count ?? 0;
  const rate = (truth: number) => {
    const found = count(truth, truth);
    return certifiedRate(found, found + count(truth, 1 - truth), atLeast, confidence);
  };
  const [sensitivity, specificity] = [rate(1), rate(0)];
  const certified = [sensitivity, specificity].every(({ lower }) => lower !== null && lower >= atLeast);
  return { at_least: atLeast, certified, sensitivity, specificity };
}

/** Runs the steps, and lets other work run at every pause. */
async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
