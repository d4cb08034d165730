import { usageTests, type UsageByRow } from "../../src/cli/gates/paired-usage.ts";
import { isBeyond, parseGates } from "../../src/cli/gates/parse-gate.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";

const GATES = ["cost>0%", "latency>0%", "tokens>0%"];
const NAMES = ["cost", "latency", "tokens"] as const;

interface Used {
  readonly rows: number;
  /** How much more the candidate uses: 0.2 is a fifth. */
  readonly more: number;
  readonly pairs: number;
  readonly seed: number;
}

/** The share of pairs that meet any of three gates, and of those whose figures alone are beyond. */
export function measureUsage({ rows, more, pairs, seed }: Used): {
  readonly shown: number;
  readonly point: number;
} {
  const random = seededRandom(seed);
  const gates = parseGates(GATES).filter((gate) => gate.kind === "usage");
  let [shown, point] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    const sizes = Array.from({ length: rows }, () => normal(random));
    const pair = { baseline: usedBy(sizes, 0, random), candidate: usedBy(sizes, more, random) };
    const pOf = usageTests(gates, [pair]);
    const beyond = gates.filter(({ name, threshold }) =>
      isBeyond(meanOf(pair.candidate, name) / meanOf(pair.baseline, name) - 1, threshold),
    );
    if (beyond.length > 0) point++;
    if (beyond.some((gate) => (pOf(gate, pair) ?? 1) <= 0.05)) shown++;
  }
  return { shown: shown / pairs, point: point / pairs };
}

function usedBy(sizes: readonly number[], more: number, random: Random): UsageByRow {
  return new Map(
    sizes.map((size, i) => {
      const drawn = () => Math.log(1 + more) + (size + normal(random)) / 2;
      return [String(i), { cost: Math.exp(drawn()), latency: drawn(), tokens: drawn() }] as const;
    }),
  );
}

function meanOf(used: UsageByRow, name: (typeof NAMES)[number]): number {
  const values = [...used.values()].map((one) => (name === "cost" ? one.cost : Math.exp(one[name] ?? 0)));
  return values.reduce((sum: number, value) => sum + (value ?? 0), 0) / values.length;
}
