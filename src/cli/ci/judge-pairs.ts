import type { Engine } from "../../index.ts";
import { scorePlace } from "../../model/field-path.ts";
import { counted, meanText, moneyText, outOf } from "../../words/figures.ts";
import { isAmong } from "../../words/score.ts";
import { figureText, POINT } from "../gates/figure-gates.ts";
import { judgeGates, readFigures, usageJudged, type JudgedGate } from "../gates/judge-gates.ts";
import { usageTests, type UsageByRow } from "../gates/paired-usage.ts";
import { judgedUsage, type UsageSaid } from "../gates/usage-gates.ts";
import {
  isBeyond,
  isOnSteps,
  type FigureGate,
  type Gate,
  type PairGate,
  type UsageGate,
} from "../gates/parse-gate.ts";
import { readStepMeans, stepReasons } from "../gates/step-gates.ts";
import type { Compared } from "../../words/comparison-words.ts";
import { askedOfLoaded, countedId, PROJECT, type Loaded } from "./compare-pairs.ts";
import { flakinessOf, flakyReasons } from "./flakiness.ts";
import type { Pair } from "./pair-suites.ts";
import { unknownScore, type Suite } from "./suite.ts";

/** Judges gates over all pairs: on verdicts, on candidates alone, and on figures of both sides. */
export async function judgePairs(
  engine: Engine,
  gates: readonly (Gate | PairGate)[],
  loaded: readonly Loaded[],
  compared: Compared,
  signal: AbortSignal,
): Promise<{ readonly judged: JudgedGate[]; readonly flakiness: ReturnType<typeof flakinessOf> }> {
  const judged: JudgedGate[] = [];
  const { confidence } = compared.answer;
  const isFlaky = gates.some(({ kind }) => kind === "flaky");
  const flakiness = flakinessOf(isFlaky ? loaded : [], confidence, compared.request);
  if (loaded.length === 0) return { judged, flakiness };
  const request = askedOfLoaded(compared.request, loaded);
  const usage = usageJudge(gates, loaded, confidence);
  for (const gate of gates) {
    if (gate.kind === "usage") {
      judged.push(usage(gate));
      continue;
    }
    if (isOfPairs(gate)) {
      const texts = pairReasons(gate, loaded, flakiness, confidence);
      judged.push({
        gate,
        reasons: texts.map((text) => ({ text: `${gate.text}: ${text}`, comparison: null })),
      });
      continue;
    }
    judged.push(...(await judgeOne(engine, gate, loaded, { ...compared, request }, signal)));
  }
  return { judged, flakiness };
}

/** Judges a gate on candidates alone, or on how much more steps they have than their baselines. */
async function judgeOne(
  engine: Engine,
  gate: Exclude<Gate, OfPairs>,
  loaded: readonly Loaded[],
  compared: Compared,
  signal: AbortSignal,
): Promise<JudgedGate[]> {
  const asked = gate.kind === "score" ? withScore(gate, loaded) : loaded;
  if (isOnSteps(gate) && asked.some(({ candidate }) => hasScore(candidate, gate, true)))
    return [await judgeSteps(engine, gate, asked, compared, signal)];
  if (gate.kind === "score" && !asked.some(({ candidate }) => hasScore(candidate, gate))) {
    const texts = asked.map(({ label }) => `${gate.text}: ${label} has no value, the baseline has`);
    return [{ gate, reasons: texts.map((text) => ({ text, comparison: null })) }];
  }
  const own = { ...compared, sides: asked.map(({ id }) => ({ baseline: id, candidate: id })) };
  const figures = await readFigures(engine, PROJECT, own, asked.length > 0 ? [gate] : [], signal);
  return judgeGates([gate], own, figures);
}

/** Judges a gate on how much more steps candidates have than their baselines. */
async function judgeSteps(
  engine: Engine,
  gate: FigureGate,
  asked: readonly Loaded[],
  compared: Compared,
  signal: AbortSignal,
): Promise<JudgedGate> {
  const sides = asked.flatMap(({ id, baseline, pair }) =>
    pair === null ? [] : [{ baseline: countedId(baseline), candidate: id }],
  );
  const own = { ...compared, request: { ...compared.request, pairs: sides }, sides };
  const means = await readStepMeans(engine, PROJECT, own, [gate], signal);
  const texts = stepReasons(gate, own, means);
  return { gate, reasons: texts.map((text) => ({ text, comparison: null })) };
}

function pairReasons(
  gate: OfPairs,
  loaded: readonly Loaded[],
  flakiness: ReturnType<typeof flakinessOf>,
  confidence: number,
): string[] {
  return loaded.flatMap(({ id, pair, label }) => {
    if (pair === null) return [];
    if (gate.kind !== "flaky") return reasonsOf(gate, pair, label);
    const whose = loaded.length === 1 ? "" : ` of ${label}`;
    return flakyReasons(gate, flakiness.get(id) ?? [], { label, whose, confidence });
  });
}

type OfPairs = PairGate | (FigureGate & { readonly kind: "coverage" });

function isOfPairs(gate: Gate | PairGate): gate is OfPairs {
  return ["coverage", "flaky", "dataset-changed"].includes(gate.kind);
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

function hasScore({ scores }: Suite, { name }: FigureGate, ofSteps = false): boolean {
  return scores.some(({ path, steps }) => isAmong(scorePlace(path), [name]) && (!ofSteps || steps === true));
}

function reasonsOf(gate: Exclude<OfPairs, { kind: "flaky" }>, pair: Pair, label: string): string[] {
  const { shared, edited, added, removed } = pair.rows;
  switch (gate.kind) {
    case "coverage": {
      const over = `${shared} of ${shared + removed} rows of the baseline`;
      const share = shared / (shared + removed);
      return isBeyond(share, gate.threshold)
        ? [`${label} has ${figureText(share, gate.threshold)} (${over})${POINT}`]
        : [];
    }
    case "dataset-changed":
      if (added + removed + edited === 0) return [];
      return [
        `${label} has ${counted(added, "row")} more${edited === 0 ? ` and ${removed} fewer` : `, ${removed} fewer and ${edited} edited`}`,
      ];
  }
}

/** A cost that fewer trials tell says little of the others. */
const LEAST_KNOWN = 0.9;

/** Judges gates on costs, latency and tokens; those on differences that are to be shown are a family. */
function usageJudge(gates: readonly (Gate | PairGate)[], loaded: readonly Loaded[], confidence: number) {
  const pairs = loaded.flatMap(({ pair, label }) =>
    pair === null
      ? []
      : [{ pair, label, baseline: usageByRow(pair.baseline), candidate: usageByRow(pair.candidate) }],
  );
  const pOf = usageTests(gates, pairs);
  return (gate: UsageGate): JudgedGate =>
    usageJudged(
      gate,
      pairs.flatMap((one) => {
        const whose = pairs.length === 1 ? "" : ` of ${one.label}`;
        return usageSaid(gate, one, { p: pOf(gate, one), alpha: 1 - confidence, whose });
      }),
    );
}

function usageByRow({ rows, usage }: Suite): UsageByRow {
  return new Map(
    rows.map((row, i) => [
      row,
      { cost: usage.cost[i] ?? null, latency: usage.latency[i] ?? null, tokens: usage.tokens[i] ?? null },
    ]),
  );
}

function usageSaid(
  gate: UsageGate,
  { pair: { candidate, baseline }, label }: { readonly pair: Pair; readonly label: string },
  test: Omit<Parameters<typeof judgedUsage>[1], "value" | "said">,
): UsageSaid[] {
  const { name, threshold, text } = gate;
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
  if (unknown.length > 0) return unknown.map((why) => ({ isMet: true, text: `${text}: ${why}` }));
  const [own = 0, other = 0] = asked.map(({ suite }) => suite.figures[name].value ?? 0);
  const value = !threshold.percent ? own : own === other ? 0 : own / other - 1;
  if (!isBeyond(value, threshold)) return [];
  const said = asked.map(({ suite, who }) => `${who} ${figureOf(suite, name)}`);
  return [judgedUsage(gate, { ...test, value, said: `${text}: ${said.join(", ")} (${SAID[name]})` })];
}

const SAID = { cost: "mean cost a trial", latency: "median latency", tokens: "mean tokens a trial" };

function figureOf({ figures }: Suite, name: UsageGate["name"]): string {
  const { value, known } = figures[name];
  const text = name === "cost" ? moneyText(value ?? 0) : meanText(value, "continuous");
  return `${text}${name === "latency" ? " s" : ""} over ${counted(known, "trial")}`;
}
