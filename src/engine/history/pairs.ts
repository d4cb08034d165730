import type { Adjustment } from "../../request/compare-request.ts";
import { compareAll, type Adjusting, type ComparisonInput } from "../../respond/compare/comparison.ts";
import { familyOf, type Family } from "../../respond/compare/family.ts";
import type { Session } from "../../store/session.ts";
import { readHeadline, type Headline } from "../leaderboard/against-best.ts";

/** The entries with a value in the headline score, the latest last. */
interface ComparedEntries {
  readonly ids: readonly string[];
  /** One of the ids. */
  readonly best: string;
  readonly confidence: number;
  readonly adjust: Adjustment;
}

/** Compares each entry with the one before and with the best; all are one family, in which two evaluations are one pair. */
export async function comparePairs(
  session: Session,
  headline: Headline,
  { ids, best, confidence, adjust }: ComparedEntries,
  signal: AbortSignal | undefined,
) {
  const names: string[] = [];
  const inputs: ComparisonInput[] = [];
  for (const [i, baseline] of ids.entries()) {
    const candidates = baseline === best ? ids.filter((id) => id !== best) : ids.slice(i + 1, i + 2);
    if (candidates.length === 0) continue;
    inputs.push(...(await readHeadline(session, headline, [baseline, ...candidates])).inputs);
    names.push(...candidates.map((candidate) => pairName(baseline, candidate)));
  }
  const adjusting = onceEach(names.map(sides), adjust, 1 - confidence);
  const { familySize, comparisons } = await compareAll(
    inputs,
    { confidence, margin: null, adjusting },
    signal,
  );
  const found = new Map(comparisons.map((one, i) => [names[i], one]));
  // null for two that were not compared.
  return {
    familySize,
    of: (baseline: string, candidate: string) => found.get(pairName(baseline, candidate)) ?? null,
  };
}

function pairName(baseline: string, candidate: string): string {
  return JSON.stringify([baseline, candidate]);
}

/** The same name for a pair, whichever is the baseline. */
function sides(name: string): string {
  return JSON.stringify((JSON.parse(name) as string[]).toSorted());
}

/** Adjusts p values of which several may be of one pair: that counts once. */
function onceEach(pairs: readonly string[], adjust: Adjustment, alpha: number): Adjusting {
  const first = new Map<string, number>();
  for (const pair of pairs) if (!first.has(pair)) first.set(pair, first.size);
  const family = (p: readonly (number | null)[]): Family => {
    const distinct = [...first.keys()].map((pair) => p[pairs.indexOf(pair)] ?? null);
    const { adjusted, ...rest } = familyOf(distinct, adjust, alpha);
    return { ...rest, adjusted: pairs.map((pair) => adjusted[first.get(pair) ?? 0] ?? null) };
  };
  return { differences: family, equivalences: (p) => family(p).adjusted };
}
