import * as fc from "fast-check";
import { call, PROJECT, root, trial } from "../support/records.ts";

export type Scores = { readonly [key: string]: unknown };

/** A trial as it is generated. `late` comes from a score call below it. */
export interface RunTrial {
  readonly row: number;
  readonly scores: Scores;
  readonly late: Scores | null;
  readonly error: "none" | "exception" | "no output" | "predict";
}

export interface ScoredRun {
  readonly id: string;
  readonly trials: readonly RunTrial[];
}

const unit = fc.constantFrom(0, 1, 1, 0, -1);
const decimal = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000);
const rating = fc.integer({ min: 1, max: 5 });
const real = fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1_234_567_891);
const anyReal = fc.double({ min: -1, max: 1, noNaN: true, noDefaultInfinity: true });
const wild = fc.constantFrom(1e300, -1e300, 1e-300, 5e-324, 1e21, 0, 1e-7, 0.1);
const none = fc.constantFrom(null, undefined, "text", { deeper: 1 }, [1]);

/** The same place of all runs mostly holds one kind of value. */
function valuesOf(kind: string): fc.Arbitrary<unknown> {
  const usual: Record<string, fc.Arbitrary<unknown>> = {
    boolean: fc.boolean(),
    zeroOne: fc.constantFrom(0, 1),
    unit,
    decimal,
    rating,
    real,
    anyReal,
    wild,
    near: fc.constantFrom(1e6, 1e6 + 2 ** -20, 1e6 - 2 ** -20),
    mixed: fc.oneof(fc.boolean(), decimal, fc.constant("text")),
  };
  return fc.oneof(
    { weight: 12, arbitrary: usual[kind] ?? none },
    { weight: 1, arbitrary: none },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

const TAME = ["boolean", "boolean", "zeroOne", "unit", "decimal", "rating", "real", "near", "mixed"];
/** Numbers of which some are too small beside others to be told from 0. */
const WILD = ["wild", "anyReal"];

function withoutUndefined(scores: Scores): Scores {
  return Object.fromEntries(Object.entries(scores).filter(([, value]) => value !== undefined));
}

function trialOf(first: string, second: string, rows: number, single: boolean): fc.Arbitrary<RunTrial> {
  return fc
    .record({
      row: fc.integer({ min: 0, max: rows - 1 }),
      a: valuesOf(first),
      b: valuesOf(second),
      judge: fc.constantFrom("object", "object", "object", "null", "absent"),
      late: fc.constantFrom(null, null, { ok: true }, { ok: false }, { ok: null }),
      error: fc.constantFrom(
        ...(["none", "none", "none", "none", "none", "exception", "no output", "predict"] as const),
      ),
    })
    .map(({ row, a, b, judge, late, error }) => ({
      row: single ? 0 : row,
      scores: withoutUndefined({
        a,
        judge: judge === "absent" ? undefined : judge === "null" ? null : withoutUndefined({ b }),
      }),
      late,
      error,
    }));
}

/** Some runs over the same rows. */
export const scoredRuns = runsOf([...TAME, ...WILD]);
export const tameRuns = runsOf(TAME);

function runsOf(kinds: readonly string[]): fc.Arbitrary<ScoredRun[]> {
  return fc
    .record({
      first: fc.constantFrom(...kinds),
      second: fc.constantFrom(...kinds),
      rows: fc.constantFrom(2, 5, 12, 40),
      single: fc.constantFrom(true, true, false),
      runs: fc.integer({ min: 2, max: 3 }),
    })
    .chain(({ first, second, rows, single, runs }) =>
      fc.tuple(
        ...Array.from({ length: runs }, (_, i) =>
          fc
            .array(trialOf(first, second, rows, single), {
              minLength: 2,
              maxLength: single ? rows : rows * 3,
              size: "max",
            })
            .map((trials) => ({
              id: `run-${i}`,
              trials: single ? trials.map((one, row) => ({ ...one, row })) : trials,
            })),
        ),
      ),
    );
}

export function callsOf(runs: readonly ScoredRun[]): object[] {
  return runs.flatMap((run) => [
    root(run.id),
    ...run.trials.flatMap((one, i) => callsOfTrial(one, run.id, `${run.id}-${String(i).padStart(4, "0")}`)),
  ]);
}

function callsOfTrial(one: RunTrial, runId: string, id: string): object[] {
  const calls: object[] = [];
  const others: Record<string, unknown> = { parent_id: runId };
  if (one.error === "exception") others["exception"] = "ValueError";
  if (one.error === "no output") others["output"] = null;
  calls.push(trial(id, { row: one.row, group: one.row % 4 }, one.scores, others));
  if (one.error === "predict")
    calls.push(call(`${id}-p`, { parent_id: id, op_name: "Model.predict", exception: "timeout" }));
  if (one.late !== null)
    calls.push(
      call(`${id}-s`, {
        parent_id: id,
        op_name: "late.score",
        attributes: { svc: { score: true } },
        output: one.late,
      }),
    );
  return calls;
}

/** The scores that count: late ones beside those of the output. */
export function scoresOf(one: RunTrial): Scores {
  const own = one.error === "no output" ? {} : one.scores;
  return one.late === null ? own : { ...own, late: one.late };
}

export { PROJECT };
