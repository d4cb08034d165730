import type { CompareRequest, Engine, EvaluationUsage } from "../../index.ts";
import { chanceText, counted, meanText, moneyText, outOf } from "../../words/figures.ts";
import type { Side } from "../../words/comparison-words.ts";
import { usageFault } from "../../request/meaningless.ts";
import { isBeyond, type Gate, type UsageGate } from "./parse-gate.ts";
import { POINT } from "./figure-gates.ts";
import { needsTest, readRowUsage, type UsageByRow } from "./paired-usage.ts";
import { comparedRows } from "./read-board.ts";

/** What a candidate and its baseline used on the rows that both tried. */
export interface PairUsage {
  readonly candidate: string;
  readonly rows: number;
  readonly usage: { readonly baseline: EvaluationUsage; readonly candidate: EvaluationUsage };
  /** What their rows used; empty where no gate needs it. */
  readonly rowUsage: Readonly<Record<"baseline" | "candidate", UsageByRow>>;
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
    const read = async (id: string) =>
      own.some(needsTest)
        ? await readRowUsage(engine, project, { ...rows, prices: request.prices }, id, signal)
        : NOTHING_USED;
    const rowUsage = { baseline: await read(baseline), candidate: await read(candidate) };
    found.push({ candidate, rows: summary.row_count, usage, rowUsage });
  }
  return found;
}

const NOTHING_USED: UsageByRow = new Map();

/** Asks what is used on the rows that both have tried. */
const SHARED = {
  include_rows: false,
  include_summary: true,
  include_usage: true,
  summary_require_intersection: true,
} as const;

const MEMBERS = { cost: "cost", latency: "latency_seconds", tokens: "total_tokens" } as const;
/** A mean of less than so many of the shared rows passes nothing. */
export const KNOWN_SHARE = 0.8;

/** What a gate says of a pair: that it is met, or that a point is beyond its threshold and nothing is shown. */
export interface UsageSaid {
  readonly isMet: boolean;
  readonly text: string;
}

/**
 * What a gate on what rows use says, null where its threshold is not passed; `p` is that of a difference that is to be
 * shown. Throws `RequestError` where it is unknown on a
 * fifth of the rows or more.
 */
export function usageReason(
  gate: UsageGate,
  { rows, usage }: PairUsage,
  {
    label,
    p,
    alpha,
    isOnly,
  }: Pick<UsagePoint, "p" | "alpha"> & { readonly label: string; readonly isOnly: boolean },
): UsageSaid | null {
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
  const said = `${text}: ${label} has ${SAID[name](figure(name, own.mean))}${before} (${counted(rows, "shared row")})`;
  return judgedUsage(gate, { value, p, alpha, said, whose: isOnly ? "" : ` of ${label}` });
}

/** Where a point is beyond the threshold: whether the difference is shown, where the gate asks for that. */
export function judgedUsage(gate: UsageGate, { value, p, alpha, said, whose }: UsagePoint): UsageSaid {
  if (gate.point) return { isMet: true, text: `${said}${POINT}` };
  if (!gate.threshold.percent) return { isMet: true, text: said };
  if (p === null) return { isMet: true, text: `${said}, and too few rows tell whether that is shown` };
  if (p <= alpha) return { isMet: true, text: said };
  const above = Number.isFinite(value) ? `${Math.round(100 * value)}% above` : "above 0";
  return { isMet: false, text: `${gate.name}${whose} is ${above}, not shown (${chanceText(p)})` };
}

interface UsagePoint {
  /** By which share the figure is above that of the baseline. */
  readonly value: number;
  readonly p: number | null;
  readonly alpha: number;
  readonly said: string;
  /** Whose figure it is; empty where there is one pair. */
  readonly whose: string;
}

const SAID = {
  cost: (mean: string) => `a mean cost of ${mean} a row`,
  latency: (mean: string) => `a mean latency of ${mean} s`,
  tokens: (mean: string) => `a mean of ${mean} tokens a row`,
};

function figure(name: UsageGate["name"], mean: number): string {
  return name === "cost" ? moneyText(mean) : meanText(mean, "continuous");
}
