import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type LeaderboardRequest } from "../../src/index.ts";
import { importBytes, PROJECT } from "./imports.ts";

async function imported(text: string) {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  const { evaluations, notes } = await importBytes(engine, text, {}, "results.json");
  const [evaluation] = evaluations;
  const ask = async (counting: LeaderboardRequest) => {
    const { entries } = await engine.leaderboard(PROJECT, counting);
    const [score] = entries[0]?.scores ?? [];
    return [score?.trial_count, score?.row_mean, score?.error_count, score?.null_count];
  };
  return { trials: evaluation?.trials, errors: evaluation?.errors, notes, ask };
}

const csv = (cells: readonly string[], more = "") =>
  ["id,model,correct", ...cells.map((cell, i) => `${i},m,${cell}`)].join("\n") + more;
const ndjson = (cells: readonly unknown[]) =>
  cells.map((correct, id) => JSON.stringify({ id, model: "m", correct })).join("\n");

const NOTE =
  "correct: 1 of 4 trials have no verdict and count nowhere; --count-nulls-as 0 counts them as failed";

describe("a trial without a verdict", () => {
  it.each([
    ["an empty cell", csv(["true", "false", "true", ""])],
    ["NA", csv(["true", "false", "true", "NA"])],
    ["unknown", csv(["true", "false", "true", "unknown"])],
    ["Undetermined among passed and failed", csv(["passed", "failed", "pass", "Undetermined"])],
    ["not run, in JSON", ndjson([true, false, true, "not run"])],
    ["null", ndjson([true, false, true, null])],
  ])("is told, with the flag that counts it as failed: %s", async (_, text) => {
    const { notes, errors, ask } = await imported(text);
    expect(errors).toBe(0);
    expect(notes).toContain(NOTE);
    expect(notes.join("\n")).not.toContain("another value");
    expect(await ask({})).toEqual([3, 2 / 3, 0, 1]);
    expect(await ask({ count_nulls_as: 0 })).toEqual([4, 0.5, 0, 1]);
  });

  it("is a true or false column even where most have none", async () => {
    const { ask } = await imported(csv(["true", "unknown", "unknown", "not run"]));
    expect(await ask({ count_nulls_as: 0 })).toEqual([4, 0.25, 0, 3]);
  });

  it("is none where the words stand beside texts or numbers, nor where the trial is in error", async () => {
    const texts = await imported(
      ["id,model,correct,grade", "0,m,true,unknown", "1,m,false,good", "2,m,true,bad"].join("\n"),
    );
    expect(texts.notes.join("\n")).not.toContain("no verdict");
    const numbers = await imported(csv(["1", "0.5", "0.25", "unknown"]));
    expect(numbers.notes).toContain('correct: 1 of 4 records have a text and no value: line 5 "unknown"');
    const failed = await imported("id,model,correct,error\n0,m,true,\n1,m,false,\n2,m,,timeout\n");
    expect(failed.notes.join("\n")).not.toContain("no verdict");
    expect(await failed.ask({})).toEqual([2, 0.5, 1, 0]);
  });

  it.each(["status", "state", "termination_reason", "failure_mode", "exit_status", "stop_reason"])(
    "is in error where %s says so, and only there",
    async (column) => {
      const records = [
        { correct: true, [column]: "a late error" },
        { correct: false, [column]: "done" },
        { correct: null, [column]: "parse_error" },
        { correct: null, [column]: "max_turns" },
        { correct: null, [column]: "Container crashed" },
      ].map((record, id) => JSON.stringify({ id, model: "m", ...record }));
      const { trials, errors, notes, ask } = await imported(records.join("\n"));
      expect([trials, errors]).toEqual([5, 2]);
      expect(notes).toContain(NOTE.replace("of 4", "of 3"));
      expect(await ask({})).toEqual([2, 0.5, 2, 1]);
      expect(await ask({ count_errors_as: 0 })).toEqual([4, 0.25, 2, 1]);
      expect(await ask({ count_errors_as: 0, count_nulls_as: 0 })).toEqual([5, 0.2, 2, 1]);
    },
  );

  it("of Terminal-Bench counts as the tool counts it", async () => {
    const results = [true, false, false, null].map((is_resolved, i) => ({
      trial_name: `t${i}.1-of-1`,
      task_id: `t${i}`,
      instruction: `do t${i}`,
      is_resolved,
      failure_mode: is_resolved === null ? "parse_error" : "unset",
    }));
    const { trials, errors, ask } = await imported(JSON.stringify({ id: "x", results, accuracy: 0.25 }));
    expect([trials, errors]).toEqual([4, 1]);
    expect((await ask({})).slice(0, 2)).toEqual([3, 1 / 3]);
    expect((await ask({ count_errors_as: 0, count_nulls_as: 0 }))[1]).toBe(0.25);
  });
});
