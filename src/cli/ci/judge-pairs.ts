import type { Engine } from "../../index.ts";
import { scorePlace } from "../../model/field-path.ts";
import { counted, meanText, moneyText, outOf } from "../../words/figures.ts";
import { isAmong } from "../../words/score.ts";
import { figureText, judgeGates, needsBoard, type JudgedGate } from "../gates/judge-gates.ts";
import { isBeyond, type FigureGate, type Gate, type PairGate, type UsageGate } from "../gates/parse-gate.ts";
import { readBoard } from "../gates/read-board.ts";
import type { Compared } from "../../words/comparison-words.ts";
import { PROJECT, type Loaded } from "./compare-pairs.ts";
import { type flakinessOf, flakyReasons } from "./flakiness.ts";
import type { Pair } from "./pair-suites.ts";
import { unknownScore, type Suite } from "./suite.ts";

/** Judges gates over all pairs: on verdicts, on candidates alone, and on figures of both sides. */
export async function judgePairs(
  engine: Engine,
  gates: readonly (Gate | PairGate)[],
  loaded: readonly Loaded[],
  compared: Compared,
  flakiness: ReturnType<typeof flakinessOf>,
  signal: AbortSignal,
): Promise<JudgedGate[]> {
  const judged: JudgedGate[] = [];
  const { confidence } = compared.answer;
  for (const gate of gates) {
    if (isOfPairs(gate)) {
      const texts = loaded.flatMap(({ id, pair, label }) => {
        if (pair === null) return [];
        if (gate.kind !== "flaky") return reasonsOf(gate, pair, label);
        const whose = loaded.length === 1 ? "" : ` of ${label}`;
        return flakyReasons(gate, flakiness.get(id) ?? [], { label, whose, confidence });
      });
      judged.push({
        gate,
        reasons: texts.map((text) => ({ text: `${gate.text}: ${text}`, comparison: null })),
      });
      continue;
    }
    const asked = gate.kind === "score" ? withScore(gate, loaded) : loaded;
    if (gate.kind === "score" && !asked.some(({ candidate }) => hasScore(candidate, gate))) {
      const texts = asked.map(({ label }) => `${gate.text}: ${label} has no value, the baseline has`);
      judged.push({ gate, reasons: texts.map((text) => ({ text, comparison: null })) });
      continue;
    }
    const sides = asked.map(({ id }) => ({ baseline: id, candidate: id }));
    const isRead = needsBoard(gate) && sides.length > 0;
    const board = isRead ? await readBoard(engine, PROJECT, {}, sides, [gate], signal) : null;
    judged.push(...judgeGates([gate], { ...compared, sides }, { board, agreements: [], usages: [] }));
  }
  return judged;
}

type OfPairs = PairGate | UsageGate | (FigureGate & { readonly kind: "coverage" });

function isOfPairs(gate: Gate | PairGate): gate is OfPairs {
  return ["coverage", "usage", "flaky", "dataset-changed"].includes(gate.kind);
}

/** The candidates that have the score of a gate, or whose baselines have it. Throws `RequestError` where none does. */
function withScore(gate: FigureGate, loaded: readonly Loaded[]): readonly Loaded[] {
  const asked = loaded.filter(
    ({ candidate, pair }) => hasScore(candidate, gate) || hasScore(pair?.baseline ?? candidate, gate),
  );
  if (asked.length > 0) return asked;
  const suites = loaded.flatMap(({ candidate, pair }) => [candidate, pair?.baseline ?? candidate]);
  throw unknownScore(["--fail-on"], gate.name, suites);
}

function hasScore({ scores }: Suite, { name }: FigureGate): boolean {
  return scores.some(({ path }) => isAmong(scorePlace(path), [name]));
}

function reasonsOf(gate: Exclude<OfPairs, { kind: "flaky" }>, pair: Pair, label: string): string[] {
  const { shared, edited, added, removed } = pair.rows;
  switch (gate.kind) {
    case "coverage": {
      const over = `${shared} of ${shared + removed} rows of the baseline`;
      const share = shared / (shared + removed);
      return isBeyond(share, gate.threshold)
        ? [`${label} has ${figureText(share, gate.threshold)} (${over})`]
        : [];
    }
    case "dataset-changed":
      if (added + removed + edited === 0) return [];
      return [
        `${label} has ${counted(added, "row")} more${edited === 0 ? ` and ${removed} fewer` : `, ${removed} fewer and ${edited} edited`}`,
      ];
    case "usage":
      return usageReasons(gate, pair, label);
  }
}

/** A cost that fewer trials tell says little of the others. */
const LEAST_KNOWN = 0.9;

function usageReasons(
  { name, threshold }: UsageGate,
  { candidate, baseline }: Pair,
  label: string,
): string[] {
  const sides = [
    { suite: candidate, who: label },
    { suite: baseline, who: "the baseline" },
  ];
  const asked = sides.slice(0, threshold.percent ? 2 : 1);
  const unknown = asked.flatMap(({ suite, who }) => {
    const { value, known } = suite.figures[name];
    const trials = suite.errors.flat().length;
    if (value === null) return [`${name} of ${who} is not known`];
    if (name !== "cost" || known >= LEAST_KNOWN * trials) return [];
    return [`cost of ${who} is known on ${outOf(known, trials)} trials; it takes 90%`];
  });
  if (unknown.length > 0) return unknown;
  const [own = 0, other = 0] = asked.map(({ suite }) => suite.figures[name].value ?? 0);
  const value = !threshold.percent ? own : own === other ? 0 : own / other - 1;
  if (!isBeyond(value, threshold)) return [];
  const said = asked.map(({ suite, who }) => `${who} ${figureOf(suite, name)}`);
  return [`${said.join(", ")} (${SAID[name]})`];
}

const SAID = { cost: "mean cost a trial", latency: "median latency", tokens: "mean tokens a trial" };

function figureOf({ figures }: Suite, name: UsageGate["name"]): string {
  const { value, known } = figures[name];
  const text = name === "cost" ? moneyText(value ?? 0) : meanText(value, "continuous");
  return `${text}${name === "latency" ? " s" : ""} over ${counted(known, "trial")}`;
}
