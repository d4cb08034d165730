import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import { importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

async function read(value: unknown, options: Partial<ImportOptions> = {}) {
  return await importBytes(engine, JSON.stringify(value), { dryRun: true, ...options }, "report.json");
}

const trials = (...verdicts: (boolean | null | "error")[]) =>
  verdicts.map((one, id) => ({
    id,
    passed: one === "error" ? null : one,
    error: one === "error" ? "timeout" : null,
  }));

const lines = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).join("\n");

describe("a stated figure that a rule explains", () => {
  const four = trials(true, false, false, null);

  it.each([
    [
      { accuracy: 0.25, results: four },
      "nulls as failures (--count-nulls-as 0)",
      "states accuracy 0.25, its trials give 0.3333: it counts the 1 trial without verdict as failed (--count-nulls-as 0)",
    ],
    [
      { unresolved: 3, results: four },
      "nulls as failures (--count-nulls-as 0)",
      "states unresolved 3, its trials give 2: it counts the 1 trial",
    ],
    [
      { pass_rate: 33.3, results: trials(true, false, "error") },
      "errors as failures (--count-errors-as 0)",
      "it counts the 1 trial in error as failed (--count-errors-as 0)",
    ],
    [
      { resolution_rate: 0.25, results: trials(true, false, "error", null) },
      "nulls and errors as failures (--count-nulls-as 0 --count-errors-as 0)",
      "it counts the 2 trials in error or without verdict as failed",
    ],
    [
      { success_rate: 0.1, total: 10, results: trials(true, false) },
      "missing trials as failures",
      "it counts the 8 trials that are stated and have no value as failed",
    ],
    [
      { accuracy: 0.8333, results: [...trials(true), ...trials(true), ...trials(false, true)] },
      "rows instead of trials",
      "it is the mean of the rows, not of the trials",
    ],
  ])("%j is told by it", async (value, rule, note) => {
    const { checks, notes } = await read(value);
    const { total: _, ...others } = value as { readonly total?: number };
    const stat = Object.keys(others)[0];
    expect(checks.differ.find((one) => one.stat === stat)).toMatchObject({ explained_by: rule });
    expect(notes.join("\n")).toContain(note);
    const refused = await read(value, { check: "fail" }).catch((error: unknown) => error);
    expect(String(refused)).not.toContain(`passed ${stat}`);
  });

  it("agrees where it is what the trials give, and differs where no rule explains it", async () => {
    const counts = { total_count: 4, correct_count: 1, n_unresolved: 2, resolved: 1 };
    const { checks } = await read({ ...counts, results: four });
    expect(checks).toMatchObject({ agree: 4, differ: [] });
    const whole = trials(true, false, false, true);
    const wrong = { score: 0.75, failed: 1, results: whole };
    expect((await read(wrong)).checks.differ.map(({ stat }) => stat)).toEqual(["score", "failed"]);
    expect((await read(wrong)).checks.differ[0]).not.toHaveProperty("explained_by");
    await expect(read(wrong, { check: "fail" })).rejects.toThrow("states passed score 0.75");
  });

  it("is pass@k by its k", async () => {
    const results = [true, false, false, false].map((passed, trial) => ({ id: trial % 2, trial, passed }));
    const { checks } = await read({ pass_at_k: { 1: 0.25, 2: 0.5 }, "pass@1": 0.25, results });
    expect(checks).toMatchObject({ agree: 2, differ: [] });
  });

  it("is named where it is not checked", async () => {
    const { notes, checks } = await read({ speed: 9, f1_macro: 0.3, seed: 7, results: trials(true, false) });
    expect(notes).toContain("states figures that are not checked: speed 9, f1_macro 0.3");
    expect(checks.unchecked.map(({ what }) => what)).toEqual(["speed", "f1_macro"]);
    const known = await read({ share: 0.5, results: trials(true, false) });
    expect(known.notes.join("\n")).not.toContain("not checked");
  });
});

describe("figures before the records", () => {
  const head = { accuracy: 0.5, correct_count: 2, total_count: 4 };

  it("are checked, and are no record", async () => {
    const records = [head, ...trials(true, true, false, false)];
    for (const text of [lines(records), JSON.stringify(records)]) {
      const { evaluations, checks, mapping } = await importBytes(engine, text, { dryRun: true });
      expect(evaluations).toMatchObject([{ trials: 4, scorers: ["passed"] }]);
      expect(checks).toMatchObject({ agree: 3, differ: [], unchecked: [] });
      expect(mapping).not.toHaveProperty("input");
    }
  });

  it("refuse a file that has only what failed, also where what is broken may be skipped", async () => {
    const stated = { accuracy: 0.8, correct_count: 8, total_count: 10 };
    const text = lines([stated, ...trials(false, false)]);
    const reason =
      "states 8 of 10 right and holds 2 records, all false: only the failed cases are in it; import the file with all answers";
    for (const onInvalid of ["fail", "skip"] as const)
      await expect(importBytes(engine, text, { onInvalid })).rejects.toThrow(reason);
    const report = { total: 10, passed: 8, results: trials(false, false) };
    await expect(read(report)).rejects.toThrow(reason);
    const rate = { total: 10, accuracy: 0.8, results: trials(false, false) };
    await expect(read(rate)).rejects.toThrow(reason);
  });

  it("tell that records are missing where some passed", async () => {
    const { notes } = await read({
      total: 10,
      passed: 8,
      results: trials(true, false, true, true, true, true),
    });
    expect(notes).toContain("states 10 trials and holds 6");
  });
});
