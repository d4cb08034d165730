import type { By } from "../../src/index.ts";
import { describe, expect, it } from "vitest";
import type { Comparison, ComparisonAnswer, CompareRequest, Engine, Filter, Slice } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOPICS = [1, "1", true, "true", 2.5, "law", "law", "maths", 0, -0, null, { a: 1 }, undefined];
const TAGS = ["a", "b", "c", 7];

interface Row {
  readonly i: number;
  readonly topic: unknown;
  readonly deep: { readonly level: unknown };
  readonly tags: unknown;
  readonly group: string;
}

interface Project {
  readonly rows: readonly Row[];
  readonly calls: readonly object[];
}

/** Two evaluations over some rows, some of which only one tried, with several trials here and there. */
function randomProject(random: () => number): Project {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const rows = Array.from({ length: 20 + Math.floor(random() * 40) }, (_, i): Row => ({
    i,
    topic: one(TOPICS),
    deep: { level: one([1, 2, 3, null]) },
    tags: one([[one(TAGS), one(TAGS)], one(TAGS), [], [null, "a", ["b"]], "a"]),
    group: `g${Math.floor(random() * 12)}`,
  }));
  const several = random() < 0.5;
  const calls = ["base", "next"].flatMap((id) => [
    root(id),
    ...rows.flatMap((row) => {
      const count = random() < 0.1 ? 0 : several && random() < 0.3 ? 2 : 1;
      return Array.from({ length: count }, (_, k) => {
        const scores = {
          ...(random() < 0.1 ? {} : { ok: random() < 0.6 }),
          points: random() < 0.05 ? null : one([0.1, 0.7, 0.8, 0.9, random()]),
        };
        const attributes = { shard: row.i % 3 === 0 && random() < 0.2 ? "odd" : row.i % 3 };
        return trial(`${id}-${row.i}-${k}`, row, scores, { parent_id: id, attributes });
      });
    }),
  ]);
  return { rows, calls };
}

/** The values of a field by the rule: texts, numbers, true and false, and those of a list. */
function valuesOf(value: unknown): unknown[] {
  const list = Array.isArray(value) ? value : [value];
  const kept = list.filter((one) => ["string", "number", "boolean"].includes(typeof one));
  return [...new Set(kept.map((one) => (one === 0 ? 0 : one)))];
}

const only = (rows: readonly Row[]): Filter => ({
  query: {
    $expr: {
      $in: [{ $getField: "inputs.i" }, [{ $literal: -1 }, ...rows.map(({ i }) => ({ $literal: i }))]],
    },
  },
});

const SAME = [
  "n_common",
  "baseline_mean",
  "candidate_mean",
  "difference",
  "standard_error",
  "confidence_interval",
  "method",
  "p_value",
  "rows_improved",
  "rows_regressed",
  "rows_tied",
] as const;

const picked = (one: Slice | Comparison | undefined) =>
  Object.fromEntries(SAME.map((name) => [name, one?.[name]]));

const FIELDS: readonly { readonly by: Exclude<By, string>; readonly of: (row: Row) => unknown[][] }[] = [
  { by: ["inputs.topic"], of: (row) => valuesOf(row.topic).map((one) => [one]) },
  { by: ["inputs.tags"], of: (row) => valuesOf(row.tags).map((one) => [one]) },
  {
    by: ["inputs.topic", "inputs.deep.level"],
    of: (row) =>
      valuesOf(row.topic).flatMap((topic) => valuesOf(row.deep.level).map((level) => [topic, level])),
  },
];

/** The slices of an answer with a p value. */
function testedSlices({ comparisons }: ComparisonAnswer): number {
  return comparisons.flatMap(({ slices = [] }) => slices).filter(({ p_value: p }) => p !== null).length;
}

describe(`slices (SEED=${SEED})`, () => {
  for (const more of [{}, { cluster_by: "inputs.group" }] satisfies Partial<CompareRequest>[])
    it(`are what the same comparison answers with a filter${"cluster_by" in more ? ", in clusters too" : ""}`, async () => {
      const random = randomOf(SEED);
      for (let round = 0; round < 1; round++) {
        const { rows, calls } = randomProject(random);
        const engine = await loaded(calls);
        for (const { by, of } of FIELDS) {
          const request = { baseline: "base", candidates: ["next"], ...more };
          const answer = await engine.compareEvaluations(PROJECT, { ...request, by, max_slices: 200 });
          expect(answer.slicing?.fields).toEqual(by);
          const all = new Set(answer.comparisons[0]?.slices?.map(({ value }) => JSON.stringify(value)));
          for (const key of all) {
            const inside = rows.filter((row) => of(row).some((value) => JSON.stringify(value) === key));
            const filtered = await engine
              .compareEvaluations(PROJECT, { ...request, filters: [only(inside)] })
              .catch(() => null);
            if (filtered === null) continue;
            for (const whole of answer.comparisons) {
              const slice = whole.slices?.find(({ value }) => JSON.stringify(value) === key);
              const alone = filtered.comparisons.find(({ scorer_key: name }) => name === whole.scorer_key);
              expect(slice).toBeDefined();
              if (alone === undefined) continue;
              expect(picked(slice)).toEqual(picked(alone));
            }
          }
        }
      }
    });

  it("are chosen by rows, and their contributions add up to the difference", async () => {
    const random = randomOf(SEED + 1);
    for (let round = 0; round < 5; round++) {
      const { rows, calls } = randomProject(random);
      const tried = (id: string) => new Set(calls.flatMap((one) => rowOf(one, id)));
      const [base, next] = [tried("base"), tried("next")];
      const common = rows.filter(({ i }) => base.has(i) && next.has(i));
      const engine = await loaded(calls);
      for (const { by, of } of FIELDS) {
        const request = { baseline: "base", candidates: ["next"], by };
        const whole = await engine.compareEvaluations(PROJECT, { ...request, max_slices: 200 });
        const few = await engine.compareEvaluations(PROJECT, { ...request, max_slices: 3 });
        const counts = new Map<string, number>();
        for (const row of common)
          for (const value of of(row).map((one) => JSON.stringify(one)))
            counts.set(value, (counts.get(value) ?? 0) + 1);
        const order = [...counts].toSorted(([a, n], [b, m]) => m - n || byValue(a, b));
        const slicing = {
          fields: by,
          slice_count: counts.size,
          overlapping: common.some((row) => of(row).length > 1),
        };
        expect(whole.slicing).toEqual({ ...slicing, family_size: testedSlices(whole), others: [] });
        expect(few.slicing).toEqual({
          ...slicing,
          family_size: testedSlices(few),
          others: order.slice(3).map(([value, n]) => ({ value: JSON.parse(value) as unknown, row_count: n })),
        });
        for (const one of whole.comparisons) {
          const { slices = [], n_without_field: without = 0, difference } = one;
          expect(slices.map(({ value }) => JSON.stringify(value)).toSorted()).toEqual(
            [...counts.keys()].toSorted(),
          );
          if (slicing.overlapping || difference === null) continue;
          expect(slices.reduce((sum, slice) => sum + slice.n_common, without)).toBe(one.n_common);
          const signed = slices.map(({ contribution }) => (contribution ?? 0) * (difference < 0 ? -1 : 1));
          expect(signed).toEqual(signed.toSorted((a, b) => b - a));
          // One row without the field cannot be compared by itself.
          if (without === 1) continue;
          const { difference: rest, n_common: n } = await withoutField(
            engine,
            request,
            one,
            rows.filter((row) => of(row).length === 0),
          );
          const total = slices.reduce(
            (sum, { contribution }) => sum + (contribution ?? 0),
            ((rest ?? 0) * n) / one.n_common,
          );
          expect(n).toBe(without);
          expect(total).toBeCloseTo(difference, 12);
        }
        const chosen = new Set(order.slice(0, 3).map(([value]) => value));
        for (const [i, one] of few.comparisons.entries())
          expect(one.slices?.map(({ value, contribution }) => ({ value, contribution }))).toEqual(
            whole.comparisons[i]?.slices
              ?.filter(({ value }) => chosen.has(JSON.stringify(value)))
              .map(({ value, contribution }) => ({ value, contribution })),
          );
      }
    }
  });
});

const TYPES = ["number", "boolean", "string"];

/** Numbers, false and true, texts; of two fields by the first, then the second. */
function byValue(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => JSON.parse(text) as (string | number | boolean)[]);
  for (const [i, one] of (left ?? []).entries()) {
    const other = right?.[i] ?? "";
    const order = TYPES.indexOf(typeof one) - TYPES.indexOf(typeof other);
    if (order !== 0) return order;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function rowOf(call: object, id: string): number[] {
  const { id: own, inputs } = call as { readonly id: string; readonly inputs?: { readonly example?: Row } };
  return own.startsWith(`${id}-`) && inputs?.example !== undefined ? [inputs.example.i] : [];
}

/** The same comparison on the rows without a value. */
async function withoutField(
  engine: Engine,
  request: CompareRequest,
  whole: Comparison,
  rows: readonly Row[],
): Promise<{ readonly difference: number | null; readonly n_common: number }> {
  const { by: _by, ...plain } = request;
  const asked = { ...plain, scorers: [whole.scorer_key], filters: [only(rows)] };
  const found = await engine.compareEvaluations(PROJECT, asked).catch(() => null);
  return found?.comparisons[0] ?? { difference: 0, n_common: whole.n_without_field ?? 0 };
}
