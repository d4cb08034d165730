import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { damaged } from "./damage.ts";
import { answerOf, importBytes, importFile, recordCount } from "./imports.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const folder = newFolders()();

const LOGS = fileURLToPath(new URL("peer-logs/openai-evals/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;

describe.skipIf(missing !== null)(`real logs of OpenAI Evals${because(missing)}`, () => {
  it("agree with their own figures, and change nothing when they are imported again, in any order of lines", async () => {
    const agreed: Record<string, number> = {};
    for (const name of readdirSync(LOGS).filter((one) => one.endsWith(".jsonl"))) {
      const file = path.join(LOGS, name);
      const first = await importFile(engine, file);
      const lines = readFileSync(file, "utf8").trim().split("\n");
      const turned = path.join(folder, name);
      writeFileSync(turned, lines.toReversed().join("\r\n"));
      const again = await importFile(engine, turned);
      expect([name, again.stored, again.unchanged]).toEqual([name, 0, first.received]);
      expect(first.checks.differ).toEqual([]);
      agreed[name] = first.checks.agree;
    }
    expect(agreed).toEqual({
      "auto-gpt-benchmarks__test-match.jsonl": 1,
      "zeno-evals__crossword-turbo.jsonl": 1,
    });
  });

  it("have the figures of their reports", async () => {
    const { evaluations } = await importFile(engine, path.join(LOGS, "zeno-evals__crossword-turbo.jsonl"));
    expect(evaluations).toMatchObject([
      {
        evaluation_call_id: "openai-evals:2304181349417WZBC5D5",
        task: "partially_solved_crossword_clues.dev.v0",
        model: "gpt-3.5-turbo",
        started_at: "2023-04-18T13:49:41.645467Z",
        rows: 100,
        trials: 100,
        errors: 0,
      },
    ]);
    const { summary } = await answerOf(engine, "openai-evals:2304181349417WZBC5D5");
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([
      { scorer_key: "match", numeric_mean: 0.37 },
    ]);
  });
});

const spec = (run: string, others: object = {}) => ({
  spec: {
    completion_fns: [run],
    eval_name: "sums",
    run_id: run,
    created_at: "2024-01-01 00:00:00.5",
    ...others,
  },
});

let events = 0;
function event(run: string, sample: string | null, type: string, data: unknown, others: object = {}) {
  const number = events++;
  const at = `2024-01-01 00:00:${String(10 + (number % 50))}.000000+00:00`;
  return {
    run_id: run,
    event_id: number,
    sample_id: sample,
    type,
    data,
    created_by: "",
    created_at: at,
    ...others,
  };
}

function log(...lines: readonly unknown[]): string {
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

async function trialsOf(id: string) {
  const { rows } = await answerOf(engine, id);
  return rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
}

describe("a log of OpenAI Evals", () => {
  const small = (run: string) => {
    events = 0;
    return [
      spec(run),
      event(run, "a", "sampling", {
        prompt: "1+1",
        sampled: ["2"],
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }),
      event(run, "b", "sampling", { prompt: "1+2", sampled: ["4", "5"] }),
      event(run, "b", "match", { correct: false, expected: "3", picked: null }),
      event(run, "a", "match", { correct: true, expected: "2", picked: "2" }),
      { final_report: { accuracy: 0.1 } },
      { final_report: { accuracy: 0.5, boostrap_std: 0.3, "score/mean": 1 } },
    ];
  };

  it("becomes an evaluation whose rows other models share", async () => {
    const first = await importBytes(engine, log(...small("m1")));
    const second = await importBytes(engine, log(...small("m2")));
    expect(first).toMatchObject({
      format: "openai-evals",
      evaluations: [{ task: "sums", model: "m1", trials: 2, scorers: ["match"] }],
      checks: {
        agree: 1,
        differ: [],
        unchecked: [{ what: "boostrap_std" }, { what: "score/mean" }],
      },
      notes: ["a time without zone counts as UTC"],
    });
    const ids = [first, second].map((one) => one.evaluations[0]?.evaluation_call_id ?? "");
    const { rows } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2]);
    const row = rows.find(({ raw_data_row: raw }) => JSON.stringify(raw).includes('"a"'));
    expect(row?.raw_data_row).toEqual({ id: "a", prompt: "1+1", ideal: "2" });
    expect(row?.evaluations[0]?.trials).toMatchObject([
      { model_output: "2", scores: { match: 1 }, total_tokens: 4, model_latency_seconds: 3 },
    ]);
  });

  it("has the mean of several matches, metrics, no values and errors", async () => {
    const run = "mixed";
    const text = log(
      spec(run),
      event(run, "a", "match", { correct: true }),
      event(run, "a", "match", { correct: false }),
      event(run, "a", "metrics", { f1: 0.5, ok: true, label: "x", odd: "@nan" }),
      event(run, "a", "metrics", { f1: 1 }),
      event(run, "b", "metrics", { f1: 0, ok: null }),
      event(run, "b", "error", { type: "RateLimit", message: "slow down\nand later" }),
      event(run, null, "extra", {}),
      { final_report: { accuracy: 0.5, "f1/mean": 0.5, f2: 1 } },
    ).replace('"@nan"', "NaN");
    const result = await importBytes(engine, text);
    expect(result.evaluations).toMatchObject([{ trials: 2, errors: 1 }]);
    expect(result.checks).toMatchObject({ agree: 2, differ: [], unchecked: [{ what: "f2" }] });
    expect(result.notes).toContain("left out: 1 events of no sample");
    const trials = await trialsOf(`openai-evals:${run}`);
    expect(trials.map((trial) => trial.scores)).toEqual([
      { f1: 1, ok: 1, odd: null, match: 0.5 },
      { f1: 0, ok: null },
    ]);
    const calls = await engine.sql(
      "acme/qa",
      "select exception, output from calls where id like 'openai-evals:mixed/%' order by id",
    );
    expect(calls.get(1)?.["exception"]).toBe("RateLimit: slow down");
    expect(String(calls.get(0)?.["output"])).toContain('"metrics":{"label":"x","odd":"NaN"}');
  });

  it("that was cut is read as far as it goes, and completed when it is imported again", async () => {
    const [begin, ...rest] = small("grows");
    const half = await importBytes(engine, log(begin, ...rest.slice(0, 3)));
    expect(half.notes).toContain("the log has no final report: the run did not come to its end");
    const whole = await importBytes(engine, log(begin, ...rest));
    expect(whole.evaluations[0]?.evaluation_call_id).toBe(half.evaluations[0]?.evaluation_call_id);
    expect((await trialsOf("openai-evals:grows")).map(({ scores }) => scores)).toEqual([
      { match: 1 },
      { match: 0 },
    ]);
  });

  it("is known by its report where that stands first", async () => {
    const [begin, ...rest] = small("turned");
    const result = await importBytes(engine, log(rest.at(-1) ?? {}, begin, ...rest.slice(0, -2)));
    expect(result).toMatchObject({ format: "openai-evals", checks: { agree: 1, differ: [] } });
    expect(result.evaluations).toMatchObject([{ trials: 2 }]);
  });

  it("without a spec is known by its events, with the model that is named", async () => {
    const [, ...rest] = small("nameless");
    const result = await importBytes(engine, log(...rest), { table: { modelName: "m" }, check: "off" });
    expect(result.evaluations).toMatchObject([{ evaluation_call_id: "openai-evals:nameless", model: "m" }]);
    const old = { model_names: { completions: ["p", "q"] }, completion_fns: undefined };
    const named = await importBytes(engine, log(spec("old", old), ...small("old").slice(1)));
    expect(named.evaluations).toMatchObject([{ model: "p,q" }]);
  });

  it.each([
    ["a line that is no JSON", "{oops", "line 7", /is not JSON/],
    ["a line of something else", '{"a":1}', "line 7", /neither a spec/],
    [
      "an event of another run",
      JSON.stringify(event("other", "c", "match", { correct: true })),
      "line 7",
      /run other/,
    ],
    [
      "a match that is none",
      JSON.stringify(event("r", "c", "match", { correct: "?" })),
      "line 7, data.correct",
      /true/,
    ],
    ["an event without data", JSON.stringify(event("r", "c", "metrics", 3)), "line 7, data", /not an object/],
  ])("with %s is refused by its place, or read without it", async (_, line, place, reason) => {
    const before = await recordCount(engine);
    const text = `${log(...small("r").slice(0, 6))}${line}\n`;
    const refused = importBytes(engine, text);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({ code: "invalid", source: "log", place });
    expect(await recordCount(engine)).toBe(before);
    const rest = await importBytes(engine, text, { onInvalid: "skip", dryRun: true });
    expect(rest).toMatchObject({
      evaluations: [{ trials: 2 }],
      rejected: [{ place }],
      checks: { agree: 0, unchecked: [{ what: "final_report" }] },
    });
  });

  it("that is cut in the middle of a line stores nothing and says so", async () => {
    const cuts = [...damaged(Buffer.from(log(...small("cut"))), 10, "cut")].filter(
      (cut) => cut.at(-1) !== 10,
    );
    const before = await recordCount(engine);
    for (const cut of cuts) {
      const options = { format: "openai-evals" };
      await expect(importBytes(engine, cut, options)).rejects.toMatchObject({
        name: "ImportError",
        source: "log",
      });
    }
    expect(await recordCount(engine)).toBe(before);
  });
});
