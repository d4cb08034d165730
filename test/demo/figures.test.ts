import { describe, expect, it } from "vitest";
import { decodeBits, decodeHexDigits } from "../../src/demo/figures.ts";
import { tauBenchAirline } from "../../src/demo/tau-bench-airline.ts";
import { zeroEvalGsmRuns } from "../../src/demo/zeroeval-gsm.ts";
import { sharedDataMissing } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { sharedRows, sharedRuns, sharedTrials } from "./shared-data.ts";
import type { SharedCall } from "./shared-data.ts";

describe("compact figures", () => {
  it("read bits from the highest one down", () => {
    expect(decodeBits(Buffer.from([0b10100000, 0b10000000]).toString("base64"), 9)).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it("read four outcomes from a hexadecimal digit", () => {
    expect(decodeHexDigits("4f")).toEqual([
      [false, true, false, false],
      [true, true, true, true],
    ]);
  });
});

describe.skipIf(sharedDataMissing !== null)(
  `figures of tau-bench airline${because(sharedDataMissing)}`,
  () => {
    it("are the rewards of the authors' trials", () => {
      const taskOf = new Map(sharedRows("tau-bench-airline").map((row) => [row.digest, row.val.task_id]));
      const rewards = new Map<number, boolean[]>();
      for (const trial of sharedTrials("tau-bench-airline")) {
        const task = taskOf.get(String(trial.inputs.example).replace(/^.*\//, "")) ?? -1;
        rewards.set(task, [...(rewards.get(task) ?? []), trial.output.scores?.["reward"] === 1]);
      }
      const byTask = [...rewards].toSorted(([a], [b]) => a - b);
      expect(byTask.map(([task]) => task)).toEqual(Array.from({ length: 50 }, (_, task) => task));
      expect(decodeHexDigits(tauBenchAirline.rewards)).toEqual(byTask.map(([, outcomes]) => outcomes));
    });

    it("carry the published pass^k", () => {
      const [run] = sharedRuns("tau-bench-airline");
      expect(tauBenchAirline.publishedPassHat).toEqual([1, 2, 3, 4].map((k) => run?.published[`pass^${k}`]));
    });
  },
);

describe.skipIf(sharedDataMissing !== null)(`figures of ZeroEval GSM${because(sharedDataMissing)}`, () => {
  it("are the outcomes of the authors' trials", () => {
    const trials = sharedTrials("zeroeval-gsm");
    for (const run of sharedRuns("zeroeval-gsm")) {
      const figures = zeroEvalGsmRuns.find(({ model }) => model === run.run);
      const outcomes = trials.filter((trial) => trial.parent_id === run.evaluation_call_id).map(outcomeOf);
      expect(figures?.rows).toBe(outcomes.length);
      expect(outcomes.map(({ question }) => question)).toEqual(outcomes.map((_, i) => i));
      expect(decodeBits(figures?.correct ?? "", outcomes.length)).toEqual(
        outcomes.map(({ correct }) => correct),
      );
      expect(figures?.unanswered).toEqual(outcomes.flatMap(({ answered }, i) => (answered ? [] : [i])));
    }
  });

  it("carry the published accuracy and share of missing answers", () => {
    const figures = zeroEvalGsmRuns.map(({ model, rows, published }) => [
      model,
      rows,
      published.accuracy,
      published.noAnswer,
    ]);
    expect(figures).toEqual(
      sharedRuns("zeroeval-gsm").map(({ run, trials, published }) => [
        run,
        trials,
        Number(published["Acc"]),
        Number(published["No answer"]),
      ]),
    );
  });
});

interface Outcome {
  readonly question: number;
  readonly correct: boolean;
  readonly answered: boolean;
}

function outcomeOf({ inputs, output }: SharedCall): Outcome {
  const example = inputs.example as { readonly id: string };
  const scores = output.scores as {
    readonly math_eval: { readonly correct: boolean; readonly answered: boolean };
  };
  const { correct, answered } = scores.math_eval;
  return { question: Number(example.id.replace(/^.*#/, "")), correct, answered };
}
