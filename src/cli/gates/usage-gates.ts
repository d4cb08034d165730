import type { CompareRequest, Engine, EvaluationUsage } from "../../index.ts";
import { counted, meanText, moneyText, outOf } from "../../words/figures.ts";
import type { Side } from "../../words/comparison-words.ts";
import { usageFault } from "../../request/meaningless.ts";
import { isBeyond, type Gate, type UsageGate } from "./parse-gate.ts";
import { comparedRows } from "./read-board.ts";

/** What a candidate and its baseline used on the rows that both tried. */
export interface PairUsage {
  readonly candidate: string;
  readonly rows: number;
  readonly usage: { readonly baseline: EvaluationUsage; readonly candidate: EvaluationUsage };
}

/** Reads what gates on costs, latency and tokens need; nothing without such a gate. */
export async function readUsages(
  engine: Engine,
  project: string,
  request: CompareRequest,
  sides: readonly Side[],
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<readonly PairUsage[]> {
  const own = gates.filter((gate) => gate.kind === "usage");
  const [first] = own;
  if (first === undefined) return [];
  if ([request.by].flat().includes("model"))
    throw usageFault(["--fail-on"], `${first.text} is for evaluations; models are compared over several`);
  const { evaluations: _all, ...rows } = comparedRows(request, sides);
  const withCosts = own.some(({ name }) => name === "cost");
  const asked = { ...SHARED, ...rows, ...(withCosts ? { include_costs: true, prices: request.prices } : {}) };
  const found: PairUsage[] = [];
  for (const { baseline, candidate } of sides) {
    const ids = { evaluation_call_ids: [baseline, candidate] };
    const { summary } = await engine.queryEvalResults(project, { ...asked, ...ids }, { signal });
    // A lone evaluation has one entry.
    const [a, b = a] = summary?.evaluations ?? [];
    if (summary == null || a?.usage === undefined || b?.usage === undefined) continue;
    const usage = { baseline: a.usage, candidate: b.usage };
    found.push({ candidate, rows: summary.row_count, usage });
  }
  return found;
}

/** Asks what is used on the rows that both have tried. */
const SHARED = {
  include_rows: false,
  include_summary: true,
  include_usage: true,
  summary_require_intersection: true,
} as const;

const MEMBERS = { cost: "cost", latency: "latency_seconds", tokens: "total_tokens" } as const;
/** A mean of less than so many of the shared rows passes nothing. */
const KNOWN_SHARE = 0.8;

/**
 * Why a gate on what rows use is met, in one line; null where it is not. Throws `RequestError` where it is unknown on a
 * fifth of the rows or more.
 */
export function usageReason(gate: UsageGate, { rows, usage }: PairUsage, label: string): string | null {
  const { name, threshold, text } = gate;
  const member = MEMBERS[name];
  const own = usage.candidate[member] ?? null;
  const other = threshold.percent ? (usage.baseline[member] ?? null) : own;
  const known = Math.min(own?.known_count ?? 0, other?.known_count ?? 0);
  if (own === null || other === null || known <= KNOWN_SHARE * rows)
    throw usageFault(
      ["--fail-on"],
      `${text} cannot be judged: ${name} of ${label} is known on ${outOf(known, rows)} shared rows${threshold.percent ? " on both sides" : ""}`,
    );
  const more = own.mean - other.mean;
  const value = threshold.percent
    ? other.mean === 0
      ? more === 0
        ? 0
        : Infinity
      : more / other.mean
    : own.mean;
  if (!isBeyond(value, threshold)) return null;
  const before = threshold.percent ? `, ${figure(name, other.mean)} before` : "";
  return `${text}: ${label} has ${SAID[name](figure(name, own.mean))}${before} (${counted(rows, "shared row")})`;
}

const SAID = {
  cost: (mean: string) => `a mean cost of ${mean} a row`,
  latency: (mean: string) => `a mean latency of ${mean} s`,
  tokens: (mean: string) => `a mean of ${mean} tokens a row`,
};

function figure(name: UsageGate["name"], mean: number): string {
  return name === "cost" ? moneyText(mean) : meanText(mean, "continuous");
}
