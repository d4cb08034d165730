import type { Comparison, ComparisonAnswer } from "../../index.ts";

/** Display names by evaluation id. */
export type Names = ReadonlyMap<string, string>;

/** Summarizes the answer in one plain sentence per candidate. */
export function sentences(
  answer: ComparisonAnswer,
  baseline: string,
  candidates: readonly string[],
  names: Names,
): string[] {
  const called = (id: string) => names.get(id) ?? id;
  return candidates.map((candidate) => {
    const own = answer.comparisons.filter((one) => one.candidate === candidate);
    const of = (verdict: Comparison["verdict"]) => own.filter((one) => one.verdict === verdict);
    const clauses = [
      clause("better in", of("improved"), moved),
      clause("worse in", of("regressed"), moved),
      clause("as good in", of("equivalent"), moved),
      clause("neither shown better nor worse in", of("inconclusive"), undecided),
    ].filter((text) => text !== null);
    const subject = `${called(candidate)} against ${called(baseline)}`;
    return clauses.length === 0 ? `${subject}: nothing to compare.` : `${subject}: ${clauses.join("; ")}.`;
  });
}

function clause(
  verb: string,
  comparisons: readonly Comparison[],
  detail: (one: Comparison) => string,
): string | null {
  if (comparisons.length === 0) return null;
  return `${verb} ${comparisons.map((one) => `${scoreName(one)} (${detail(one)})`).join(", ")}`;
}

/** The difference, how likely chance alone is, and the rows. */
export function moved(one: Comparison): string {
  return `${signed(one.difference)}, ${chance(one.p_value_adjusted)}, ${rows(one)}`;
}

function undecided(one: Comparison): string {
  if (one.n_common < 2) return rows(one);
  const seen =
    one.minimum_detectable_effect === null
      ? ""
      : `; ${number(one.minimum_detectable_effect)} would have shown`;
  return `${signed(one.difference)}, ${chance(one.p_value_adjusted)}, ${rows(one)}${seen}`;
}

export function scoreName({ scorer_key, path }: Pick<Comparison, "scorer_key" | "path">): string {
  return path === null ? scorer_key : `${scorer_key}.${path}`;
}

function rows({ n_common: n }: Comparison): string {
  return `${n.toLocaleString("en-US")} row${n === 1 ? "" : "s"}`;
}

/** Formats a p value as `p = 0.012`, or as `p <` the smallest value that is printed. */
export function chance(p: number | null): string {
  return p === null ? "no test" : p < SMALLEST_P ? `p < ${SMALLEST_P}` : `p = ${probability(p)}`;
}

const SMALLEST_P = 0.0001;

export function probability(p: number | null): string {
  if (p === null) return "–";
  return p < SMALLEST_P ? `<${SMALLEST_P}` : String(Number(p.toPrecision(2)));
}

/** Formats four significant digits; `–` for null. */
export function number(value: number | null): string {
  return value === null ? "–" : String(Number(value.toPrecision(4)));
}

export function signed(value: number | null): string {
  return value !== null && value > 0 ? `+${number(value)}` : number(value);
}
