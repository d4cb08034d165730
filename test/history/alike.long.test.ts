import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparePairs, loadPairs } from "../../src/cli/ci/compare-pairs.ts";
import { pairSuites } from "../../src/cli/ci/pair-suites.ts";
import { readSuites } from "../../src/cli/ci/read-suites.ts";
import {
  openEngine,
  RequestError,
  type Comparison,
  type CompareRequest,
  type Engine,
  type HistoryAnswer,
  type Filter,
  type HistoryEntry,
} from "../../src/index.ts";
import { engineAnswers } from "../../src/view/answer-source.ts";
import { readAnswers } from "../../src/view/read-answers.ts";
import { root, trial } from "../support/records.ts";

const SEED = Number(process.env["SEED"] ?? 411);
const HISTORIES = Number(process.env["RUNS"] ?? 4);
/** Of so many pairs one is also that of a report, and of five times as many one that of ci. */
const EVERY = Number(process.env["EVERY"] ?? 5);

interface MadeRun {
  readonly rows: number;
  /** How likely a row is to be right, and how large numbers are. */
  readonly rate: number;
  readonly size: number;
  readonly trials: number;
  readonly missing: number;
  readonly lacks: "none" | "ok" | "cost.words" | "all numbers";
}

const madeRun: fc.Arbitrary<MadeRun> = fc.record({
  rows: fc.constantFrom(12, 12, 12, 11, 4),
  rate: fc.constantFrom(20, 80, 95),
  size: fc.constantFrom(1, 1, 1, 3.7e5, 1e-4),
  trials: fc.constantFrom(1, 1, 3),
  missing: fc.constantFrom(0, 10),
  lacks: fc.constantFrom("none", "none", "none", "ok", "cost.words", "all numbers"),
});
/** Leaves out some rows. */
const FIRST_ROWS: Filter[] = [{ query: { $expr: { $lt: [{ $getField: "inputs.row" }, { $literal: 9 }] } } }];
const history = fc.record({
  runs: fc.array(madeRun, { minLength: 2, maxLength: 12, size: "max" }),
  scorers: fc.constantFrom(null, ["ok"], ["words", "ok"], ["cost"]),
  confidence: fc.constantFrom(null, null, 0.9),
  margin: fc.constantFrom(null, null, 0.1),
  cluster_by: fc.constantFrom(null, null, "inputs.group" as const),
  filters: fc.constantFrom(null, null, FIRST_ROWS),
  edited_rows: fc.constantFrom<("compare" | "leave_out")[]>("compare", "leave_out"),
  keyed: fc.boolean(),
  adjust: fc.constantFrom<("holm" | "none" | "benjamini-hochberg")[]>("holm", "none", "benjamini-hochberg"),
  noise: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
});

const idOf = (i: number) => `run-${String(i).padStart(2, "0")}`;

interface Made {
  readonly project: string;
  readonly runs: readonly MadeRun[];
  readonly random: () => number;
  /** Whether rows have keys; some of them are edited then. */
  readonly keyed: boolean;
}

function* callsOf({ project, runs, random, keyed }: Made): Generator<object> {
  for (const [i, { rows, rate, size, trials, missing, lacks }] of runs.entries()) {
    const at = new Date(Date.UTC(2026, 6, 1 + i)).toISOString();
    yield root(idOf(i), { project_id: project, display_name: "sums", started_at: at, ended_at: at });
    for (let row = 0; row < rows; row++) {
      const group = `g${row % 5}`;
      const example = keyed ? { row, group, text: random() < 0.2 ? idOf(i) : "same" } : { row, group };
      const attributes = keyed ? { row_key: `q${row}` } : {};
      for (let t = 0; t < trials; t++) {
        const has = () => random() * 100 >= missing;
        const ok = random() * 100 < rate;
        const [words, half] = [size * Math.exp(2 * random()), size * random()];
        const scores = {
          ...(lacks === "ok" || !has() ? {} : { ok }),
          ...(lacks === "all numbers" || !has() ? {} : { words }),
          cost: { zero_one: Number(ok), ...(lacks === "cost.words" ? {} : { words: half }) },
        };
        const others = { project_id: project, parent_id: idOf(i), started_at: at, attributes };
        yield trial(`${idOf(i)}-${row}-${t}`, example, scores, others);
      }
    }
  }
}

/** Loads histories that the seed makes, each into a project of its own. */
async function load(engine: Engine) {
  const made = fc.sample(history, { seed: SEED, numRuns: HISTORIES });
  const projects = made.map(({ runs, noise, keyed, ...asked }, i) => {
    const draws = noise[Symbol.iterator]();
    const random = () => draws.next().value ?? 0;
    // A name that no run has is a fault of the request.
    const complete = runs.map((run, n) => (n === 0 ? { ...run, lacks: "none" as const } : run));
    return { project: `made/h${i}`, runs: complete, random, keyed, asked };
  });
  await engine.ingestCalls(projects.flatMap((one) => [...callsOf(one)]));
  return projects;
}

/** A score that is named and that no run of a history has is a fault of the request. */
function nullWithoutScore(error: unknown): null {
  if (error instanceof RequestError && error.path?.[0] === "scorers") return null;
  throw error;
}

/** The comparison of the headline score; null where that is not compared. */
function headlineOf(answer: HistoryAnswer, comparisons: readonly Comparison[]): Comparison | null {
  const { scorer_key: key, path } = answer.dimensions[answer.headline ?? -1] ?? {};
  return comparisons.find((one) => one.scorer_key === key && one.path === path) ?? null;
}

const plain = (one: HistoryEntry) => ({ ...one, label: "" });

const pairsOf = ({ entries }: HistoryAnswer) =>
  entries.flatMap(({ evaluation_call_id: candidate, against_previous, against_reference }) =>
    [against_previous, against_reference].flatMap((own) => (own === null ? [] : [{ candidate, own }])),
  );

describe(`random histories (SEED=${SEED})`, () => {
  let engine: Engine;
  let made: Awaited<ReturnType<typeof load>>;
  beforeAll(async () => {
    engine = await openEngine();
    made = await load(engine);
  });
  afterAll(() => engine.close());

  it("say of each pair what compareEvaluations and a report of the two say, to the last digit", async () => {
    let compared = 0;
    for (const { project, asked } of made) {
      const answer = await engine.history(project, { ...asked, limit: 200 }).catch(nullWithoutScore);
      if (answer === null) continue;
      // A question about a pair that shares no two rows is refused.
      const few = pairsOf(answer).filter(({ own }) => own.n_common < 2);
      expect(few.every(({ own }) => own.verdict === "inconclusive" && own.p_value === null)).toBe(true);
      for (const { candidate, own } of pairsOf(answer).filter((one) => one.own.n_common > 1)) {
        const pairs = [{ baseline: own.baseline, candidate }];
        // Named scores would have to be in each pair.
        const told = await engine.compareEvaluations(project, { ...asked, pairs }).catch(nullWithoutScore);
        if (told === null) continue;
        expect(own).toEqual(headlineOf(answer, told.comparisons));
        compared++;
        if (compared % EVERY !== 0) continue;
        const question = {
          ...asked,
          evaluations: [own.baseline, candidate],
          baseline: own.baseline,
          by: "nothing",
        } as const;
        const page = await readAnswers(engineAnswers(engine, project, undefined), project, question);
        expect(headlineOf(answer, page.comparison?.comparisons ?? [])).toEqual(own);
      }
    }
    expect(compared).toBeGreaterThan(HISTORIES);
  });

  /** What ci says of a pair. */
  async function judge(
    project: string,
    request: Pick<CompareRequest, "adjust" | "confidence" | "margin" | "edited_rows">,
    pair: ReturnType<typeof pairsOf>[number],
    signal: AbortSignal,
  ): Promise<readonly Comparison[]> {
    const list = await engine.listEvaluations(project);
    const place = { engine, project, prices: undefined, signal };
    const [baseline = [], candidate = []] = await Promise.all(
      [pair.own.baseline, pair.candidate].map((id) =>
        readSuites(
          place,
          list.filter((one) => one.id === id),
        ),
      ),
    );
    const found = pairSuites(candidate, baseline, new Set(), request);
    const judging = await openEngine();
    const flagged = { request, flagged: [] };
    const loaded = await loadPairs(judging, candidate, found.pairs, flagged);
    const told = await comparePairs(judging, loaded, flagged, signal);
    await judging.close();
    return told.answer.comparisons;
  }

  it("say of a pair what ci says of it", async () => {
    const { signal } = new AbortController();
    let compared = 0;
    for (const { project, asked } of made) {
      const { adjust, confidence, margin, edited_rows } = asked;
      const request = { adjust, confidence, margin, edited_rows };
      const answer = await engine.history(project, request);
      for (const pair of pairsOf(answer)) {
        // Of fewer rows ci says that they are not comparable.
        if (pair.own.n_common < 2 || compared++ % Math.max(1, 5 * EVERY - 5) !== 0) continue;
        const told = await judge(project, request, pair, signal);
        const { baseline: _b, candidate: _c, ...figures } = pair.own;
        expect(headlineOf(answer, told)).toMatchObject(figures);
      }
    }
  });

  it("stay as they are when one more run is added, but for labels", async () => {
    for (const [i, { asked, ...one }] of made.entries()) {
      const project = `more/h${i}`;
      const calls = [...callsOf({ ...one, project })];
      const last = idOf(one.runs.length - 1);
      const isLast = (call: object) => JSON.stringify(call).includes(`"${last}`);
      await engine.ingestCalls(calls.filter((call) => !isLast(call)));
      const request = { ...asked, scorers: ["cost.zero_one"], limit: 200 };
      const before = await engine.history(project, request);
      await engine.ingestCalls(calls.filter(isLast));
      const after = await engine.history(project, request);
      expect(after.entries.slice(0, before.entries.length).map(plain)).toEqual(before.entries.map(plain));
    }
  });
});
