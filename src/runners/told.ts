import type { LoggedCall, LoggedExample, Usage } from "../logging/api.ts";
import type { ScoreValue } from "../logging/scorer.ts";
import { checkDetails } from "../logging/check-options.ts";
import { isScorerName, plainJson, plainScore } from "../logging/values.ts";

/** A trial as a runner tells it, and how many members it was told with that are no JSON or no score. */
export interface ToldTrial extends LoggedExample<unknown, unknown> {
  /** Names of the scores of which higher is better unless somebody says otherwise. */
  readonly higher?: readonly string[] | undefined;
  readonly leftOut: number;
}

/** A score as a runner tells it; its name need not be the only one of its kind. */
export interface ToldScore {
  readonly name: string;
  readonly value: unknown;
  readonly reason?: string | undefined;
  /** Whether higher is better by what gives it. */
  readonly higher?: true;
}

/** Takes what can be stored, and counts what cannot. */
export interface Taking {
  leftOut: number;
}

/** Undefined where there is no value, or none that JSON can hold. */
export function takeJson(taking: Taking, value: unknown): unknown {
  return value === undefined ? undefined : take(taking, () => plainJson(value, "value").value);
}

export function takeUsage(taking: Taking, usage: unknown): Usage {
  if (usage === undefined) return undefined;
  return take(taking, () => {
    checkDetails({ usage });
    return takeJson(taking, usage) as Usage;
  });
}

export function takeCalls(taking: Taking, calls: readonly LoggedCall[]): LoggedCall[] {
  return calls.flatMap((call) => (takeJson(taking, call) as LoggedCall | undefined) ?? []);
}

/** A second score of a name gets the name with a 2, and so on. */
export function takeScores(
  taking: Taking,
  told: readonly ToldScore[],
): Required<Pick<ToldTrial, "scores" | "reasons">> & { readonly higher: readonly string[] } {
  const scores = new Map<string, ScoreValue>();
  const reasons = new Map<string, string>();
  const higher: string[] = [];
  for (const { name, value, reason, higher: isHigher } of told) {
    const score = take(
      taking,
      () => plainScore(name, isScorerName(name) ? value : undefined).value as ScoreValue,
    );
    if (score === undefined) continue;
    let free = name;
    for (let n = 2; scores.has(free); n++) free = `${name} ${n}`;
    scores.set(free, score);
    if (isHigher === true) higher.push(free);
    if (reason !== undefined) reasons.set(free, reason);
  }
  return { scores: Object.fromEntries(scores), reasons: Object.fromEntries(reasons), higher };
}

function take<T>(taking: Taking, work: () => T): T | undefined {
  try {
    return work();
  } catch {
    taking.leftOut++;
    return undefined;
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** No length is more, and no time that a call can hold, in milliseconds. */
const MOST = 1e14;

export function amountOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= MOST ? value : null;
}

/** A text that is not empty, as a call can hold it. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.replaceAll("\0", "\uFFFD") : undefined;
}

/** The sum of the amounts; undefined where there is none. */
export function sumOf(values: readonly unknown[]): number | undefined {
  const amounts = values.map(amountOf).filter((one) => one !== null);
  return amounts.length === 0 ? undefined : amounts.reduce((sum, one) => sum + one, 0);
}
