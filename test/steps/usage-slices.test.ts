import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type CompareRequest, type Engine } from "../../src/index.ts";
import { countedRuns, PROJECT } from "./counted-runs.ts";

/** The two runs, and one before them whose trials lack a row; all have one name. */
function threeRuns(): CallRecord[] {
  const named = countedRuns().map((call) =>
    call.parent_id == null ? { ...call, display_name: "agent" } : call,
  );
  const older = named
    .filter(({ id }) => /^two(-|$)/.test(id) && !/^two-(0|12)(-|$)/.test(id))
    .map((call) => ({
      ...call,
      id: `old${call.id?.slice(3)}`,
      ...(call.parent_id == null
        ? { started_at: "2026-03-01T00:00:00Z" }
        : { parent_id: `old${call.parent_id.slice(3)}` }),
    }));
  const ended = [...named, ...older].filter(({ parent_id: parent }) => parent == null);
  const ends = ended.map(({ id }) => ({ id, project_id: PROJECT, ended_at: "2026-04-02T00:00:00Z" }));
  return [...named, ...older, ...(ends as CallRecord[])];
}

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(threeRuns());
});
afterAll(() => engine.close());

const compare = (by: CompareRequest["by"], more: CompareRequest = {}) =>
  engine.compareEvaluations(PROJECT, {
    baseline: "one",
    candidates: ["two"],
    scorers: ["ok"],
    ...more,
    by,
  });

interface Counted {
  readonly example?: { readonly q: number };
}
interface Scored {
  readonly scores?: { readonly same?: { readonly count: number } };
}

/** The slice of each row, from the numbers that the trials of a run store as scores. */
function slicesBy(run: string, bins: number) {
  const own = new Map<number, number[]>();
  for (const call of threeRuns()) {
    const count = (call.output as Scored | undefined)?.scores?.same?.count;
    const q = (call.inputs as Counted | undefined)?.example?.q;
    if (call.parent_id !== run || count === undefined || q === undefined) continue;
    own.set(q, [...(own.get(q) ?? []), count]);
  }
  const means = [...own].map(([q, counts]) => ({ q, mean: counts.reduce((a, b) => a + b) / counts.length }));
  return means.map((one) => ({
    ...one,
    slice: 1 + Math.floor((bins * means.filter(({ mean }) => mean < one.mean).length) / means.length),
  }));
}

describe("slices by what a row took", () => {
  it.each([2, 3, 5])("are what the rows of each of %i have by themselves", async (bins) => {
    const { slicing, comparisons } = await compare({ usage: "steps.count", bins, of: "old" });
    expect(slicing).toMatchObject({ fields: ["steps.count"], of: "old", bins, judged: true });
    const rows = slicesBy("old", bins);
    const slices = comparisons[0]?.slices ?? [];
    expect(new Set(slices.map(({ value }) => value[0]))).toEqual(
      new Set(rows.map(({ slice }) => `${slice} of ${bins}`)),
    );
    expect(comparisons[0]?.n_without_field).toBe(1);
    for (const { value, range, n_common, difference, p_value } of slices) {
      const own = rows.filter(({ slice }) => value[0] === `${slice} of ${bins}`);
      const means = own.map(({ mean }) => mean);
      expect(range).toEqual([Math.min(...means), Math.max(...means)]);
      expect(n_common).toBe(own.length);
      if (own.length < 2) continue;
      const alone = await compare(null, {
        filters: [
          { query: { $expr: { $in: [{ $getField: "inputs.q" }, own.map(({ q }) => ({ $literal: q }))] } } },
        ] as unknown as NonNullable<CompareRequest["filters"]>,
      });
      expect(alone.comparisons[0]).toMatchObject({ n_common, difference, p_value });
    }
  });

  it("are of the run before the baseline where none is named", async () => {
    const { slicing, notes } = await compare({ usage: "steps.count" });
    expect(slicing).toMatchObject({ of: "old", bins: 3, judged: true });
    expect(notes).toBeUndefined();
    expect((await compare({ usage: "steps.count", of: "previous" })).slicing).toEqual(slicing);
  });

  it.each(["one", "two"])("are judged in no way where %s, which is compared, makes them", async (of) => {
    const { slicing, comparisons, notes } = await compare({ usage: "steps.count", of }, { margin: 0.1 });
    expect(slicing).toMatchObject({ of, judged: false, family_size: 0 });
    expect(notes).toEqual([expect.stringContaining("name an earlier run")]);
    expect(comparisons[0]?.explained_by).toBeNull();
    for (const slice of comparisons[0]?.slices ?? []) {
      expect(slice.n_common).toBeGreaterThan(0);
      expect(slice.difference).not.toBeNull();
      expect(slice).toMatchObject({
        standard_error: null,
        confidence_interval: null,
        equivalence_interval: null,
        p_value: null,
        p_value_adjusted: null,
        verdict: "inconclusive",
        reason: "sliced by trials that are compared",
      });
    }
  });

  it("are of the baseline where it is the first run", async () => {
    const first = await compare({ usage: "steps.count" }, { baseline: "old", candidates: ["one"] });
    expect(first.slicing).toMatchObject({ of: "old", judged: false });
  });

  it("judge the pairs alone that have no part in them", async () => {
    const { slicing, comparisons } = await compare(
      { usage: "steps.count", of: "two" },
      { candidates: ["two", "old"] },
    );
    expect(slicing?.judged).toBe(false);
    const [own, other] = comparisons;
    expect(own?.slices?.every(({ reason }) => reason !== undefined)).toBe(true);
    expect(other?.slices?.every(({ reason }) => reason === undefined)).toBe(true);
    expect(other?.slices?.some(({ p_value: p }) => p !== null)).toBe(true);
    expect(slicing?.family_size).toBe(other?.slices?.filter(({ p_value: p }) => p !== null).length);
  });

  it("are of one tool, whatever its name", async () => {
    const { slicing } = await compare({ usage: String.raw`steps.tool.fs\.read.calls`, bins: 2, of: "old" });
    expect(slicing?.fields).toEqual([String.raw`steps.tool.fs\.read.calls`]);
    expect(slicing?.slice_count).toBeGreaterThan(0);
  });

  it.each([
    [{ usage: "steps.counts" }, "did you mean"],
    [{ usage: "total_tokns" }, "did you mean"],
    [{ usage: "steps.count", bins: 11 }, "bins"],
    [{ usage: "steps.count", bins: 1 }, "bins"],
    [{ usage: "steps.count", of: "nobody" }, "nobody"],
    [{ usage: "steps.count", off: "old" }, "off"],
    [{ usage: "total_tokens", of: "old" }, "no row that both have has total_tokens"],
  ])("refuse %j", async (by, said) => {
    await expect(compare(by as CompareRequest["by"])).rejects.toThrow(said);
  });

  it("do not go together with models or a number of slices", async () => {
    await expect(compare({ usage: "steps.count" }, { max_slices: 3 })).rejects.toThrow("max_slices");
  });
});
