import type { FeedbackRecord } from "../../../src/index.ts";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { call, PROJECT, root, trial } from "../../support/records.ts";

/** One thing that a user does; it is there wholly or not at all. */
export type Operation =
  | { readonly kind: "calls"; readonly records: readonly object[] }
  /** So many trials whose texts have so many bytes. */
  | { readonly kind: "large"; readonly id: string; readonly trials: number; readonly bytes: number }
  | { readonly kind: "rows"; readonly records: readonly object[] }
  | { readonly kind: "delete"; readonly ids: readonly string[] }
  | { readonly kind: "feedback"; readonly record: FeedbackRecord }
  | { readonly kind: "job"; readonly name: string; readonly trajectories: number }
  | { readonly kind: "event"; readonly job: string; readonly number: number }
  | { readonly kind: "checkpoint"; readonly modelId: string; readonly step: number }
  | { readonly kind: "model"; readonly name: string };

export const MODEL_ID = "0198b0d4-0000-4000-8000-00000000000a";

export function largeRecords({ id, trials, bytes }: Operation & { readonly kind: "large" }): object[] {
  const records = Array.from({ length: trials }, (_, i) =>
    trial(
      `${id}-t${i}`,
      { row: i },
      { acc: i / 7 },
      { parent_id: id, summary: { text: denseText(i, bytes) } },
    ),
  );
  return [root(id), ...records];
}

/** A text that hardly compresses. */
function denseText(salt: number, bytes: number): string {
  const words = Array.from({ length: Math.ceil(bytes / 6) }, (_, k) =>
    (Math.imul(salt * 65_537 + k + 1, 2_654_435_761) >>> 0).toString(36),
  );
  return words.join("").slice(0, bytes);
}

/** The records that a file of the operation has. */
export function recordsOf(operation: Operation): readonly object[] {
  if (operation.kind === "large") return largeRecords(operation);
  if (operation.kind === "calls" || operation.kind === "rows") return operation.records;
  throw new Error(`no file has a ${operation.kind}`);
}

type Kind =
  | "evaluation"
  | "update"
  | "late"
  | "delete"
  | "rows"
  | "feedback"
  | "job"
  | "event"
  | "checkpoint"
  | "model";

/** How often each kind is to come. */
export type Weights = Partial<Readonly<Record<Kind, number>>>;

interface Written {
  readonly trials: string[];
  readonly evaluations: string[];
  readonly jobs: string[];
  count: number;
}

/** Writes operations that know what the ones before have stored. */
export function operationWriter(
  random: Random,
  trialsEach = 20,
): (count: number, weights: Weights) => Operation[] {
  const written: Written = { trials: [], evaluations: [], jobs: [], count: 0 };
  return (count, weights) =>
    Array.from({ length: count }, () => {
      written.count++;
      const kind = written.trials.length === 0 && needsTrials(weights) ? "evaluation" : pick(weights, random);
      return WRITERS[kind](written, random, trialsEach);
    });
}

function needsTrials(weights: Weights): boolean {
  return ["update", "late", "delete"].some((kind) => (weights[kind as Kind] ?? 0) > 0);
}

function pick(weights: Weights, random: Random): Kind {
  const entries = Object.entries(weights) as [Kind, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of entries) if ((left -= weight) < 0) return kind;
  return "evaluation";
}

function some<T>(items: readonly T[], most: number, random: Random): T[] {
  const count = 1 + Math.floor(random() * most);
  return [...new Set(Array.from({ length: count }, () => items[Math.floor(random() * items.length)]))].filter(
    (item) => item !== undefined,
  );
}

const callRef = (id: string) => `svc:///${PROJECT}/call/${id}`;
const rowRef = (n: number) => `svc:///${PROJECT}/object/data:v1/attr/rows/id/r${n}`;

const WRITERS: Record<Kind, (written: Written, random: Random, trialsEach: number) => Operation> = {
  evaluation: (written, random, trialsEach) => {
    const id = `e${written.count}`;
    const ids = Array.from({ length: trialsEach }, (_, i) => `${id}-t${i}`);
    written.evaluations.push(id);
    written.trials.push(...ids);
    const trials = ids.map((one, i) =>
      trial(one, i % 3 === 0 ? rowRef(i) : { row: i }, { acc: random(), ok: i % 2 === 0 }, { parent_id: id }),
    );
    const predictions = ids.map((one) =>
      call(`${one}-p`, { parent_id: one, op_name: "Model.predict", output: one }),
    );
    return { kind: "calls", records: [root(id), ...trials, ...predictions] };
  },
  update: (written, random) => {
    // A record may say what is stored already, or only what changes.
    const same =
      random() < 0.5 ? { op_name: "Evaluation.predict_and_score", started_at: "2026-01-01T00:00:00Z" } : {};
    const records = some(written.trials, 8, random).map((id) => ({
      id,
      project_id: PROJECT,
      ...same,
      output: {
        output: `version ${written.count}`,
        scores: { acc: random(), [`v${written.count % 5}`]: null },
      },
      ...(random() < 0.1 ? { parent_id: written.evaluations[0] } : {}),
    }));
    return { kind: "calls", records };
  },
  late: (written, random) => ({
    kind: "calls",
    records: some(written.trials, 8, random).map((id) =>
      call(`${id}-s${written.count}`, {
        parent_id: id,
        op_name: `late${written.count % 3}.score`,
        attributes: { svc: { score: true } },
        output: { verdict: random() < 0.5, value: random() },
      }),
    ),
  }),
  delete: (written, random) => ({
    kind: "delete",
    ids: random() < 0.15 ? some(written.evaluations, 1, random) : some(written.trials, 4, random),
  }),
  rows: (written, random) => ({
    kind: "rows",
    records: some([0, 1, 2, 3, 6, 9, 12, 15, 18, 21], 8, random).map((n) => ({
      project_id: PROJECT,
      digest: `r${n}`,
      val: { n, version: written.count },
    })),
  }),
  feedback: (written, random) => ({
    kind: "feedback",
    record: {
      project_id: PROJECT,
      id: `f${written.count}`,
      svc_ref: callRef(some(written.trials, 1, random)[0] ?? "nothing"),
      feedback_type: "liked",
      payload: { value: random() < 0.5, text: "x".repeat(Math.floor(random() * 2000)) },
    },
  }),
  job: (written, random) => {
    const name = `job${written.count}`;
    written.jobs.push(name);
    return { kind: "job", name, trajectories: 1 + Math.floor(random() * 20) };
  },
  event: (written, random, trialsEach) => {
    const [job] = some(written.jobs, 1, random);
    return job === undefined
      ? WRITERS.job(written, random, trialsEach)
      : { kind: "event", job, number: written.count };
  },
  checkpoint: (written) => ({ kind: "checkpoint", modelId: MODEL_ID, step: written.count }),
  model: (written) => ({ kind: "model", name: `m${written.count}` }),
};
