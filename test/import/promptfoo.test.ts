import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { answerOf, importBytes, importFile } from "./imports.ts";
import { promptfooLog, result } from "./promptfoo-logs.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

const LOGS = fileURLToPath(new URL("peer-logs/promptfoo/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;

describe.skipIf(missing !== null)(`real logs of promptfoo${because(missing)}`, () => {
  it("agree with their own figures, and change nothing when they are imported again", async () => {
    let agree = 0;
    for (const name of readdirSync(LOGS).filter((one) => /\.jsonl?$/.test(one))) {
      const first = await importFile(engine, path.join(LOGS, name));
      const again = await importFile(engine, path.join(LOGS, name));
      agree += first.checks.agree;
      expect({ name, differ: first.checks.differ, stored: again.stored }).toEqual({
        name,
        differ: [],
        stored: 0,
      });
    }
    expect(agree).toBe(56);
  });

  it("that round their scores are refused with what to do", async () => {
    const csv = importFile(engine, path.join(LOGS, "generated__0.123.1.csv"));
    await expect(csv).rejects.toThrow(/rounds scores.*-o log\.json/);
  });
});

describe("a log of promptfoo", () => {
  const columns = [
    [result(0, 0, 1), result(0, 1, 0.25), result(0, 2, 0.75)],
    [result(1, 0, 0), result(1, 1, 1), result(1, 2, 1)],
  ];

  it("becomes an evaluation a prompt, on shared rows", async () => {
    const imported = await importBytes(engine, JSON.stringify(promptfooLog(columns)));
    expect(imported).toMatchObject({
      format: "promptfoo",
      tool_version: "0.123.1",
      evaluations: [
        {
          evaluation_call_id: "promptfoo:eval-1:0",
          task: "words",
          model: "openai:m",
          label: "prompt 0",
          trials: 3,
        },
        { evaluation_call_id: "promptfoo:eval-1:1", label: "prompt 1", rows: 3 },
      ],
      checks: { agree: 14, differ: [] },
    });
    const { rows, summary } = await answerOf(engine, "promptfoo:eval-1:0", "promptfoo:eval-1:1");
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2, 2]);
    expect(rows[0]?.raw_data_row).toMatchObject({ metadata: { band: "a" } });
    expect(JSON.stringify(rows)).not.toMatch(/sessionId|_run/);
    expect(summary?.evaluations[0]).toMatchObject({ display_name: "words: openai:m [prompt 0]" });
    expect(rows[0]?.evaluations[0]?.trials[0]).toMatchObject({ total_tokens: 5 });
    const kept = await engine.sql("acme/qa", "select attributes from calls where id = 'promptfoo:eval-1:0'");
    expect(String(kept.get(0)?.["attributes"])).not.toContain("secret");
  });

  it("gives an error no scores, and a failed assertion its scores", async () => {
    const failed = result(0, 1, 0, { failureReason: 2, error: "upstream 503\nagain", namedScores: {} });
    const log = { ...promptfooLog([[result(0, 0, 0.25), failed]]), evalId: "eval-2" };
    const imported = await importBytes(engine, JSON.stringify(log), { check: "off" });
    expect(imported.evaluations).toMatchObject([{ trials: 2, errors: 1 }]);
    const { rows } = await answerOf(engine, "promptfoo:eval-2:0");
    const scores = rows.map((row) => row.evaluations[0]?.trials[0]?.scores);
    expect(scores).toContainEqual({ pass: false, score: 0.25, correct: 0.25 });
    expect(scores).toContainEqual({});
  });

  it("counts repeats of a test as trials of one row", async () => {
    const repeats = [0, 1, 2].map((testIdx) =>
      result(0, testIdx, 1, {
        vars: { word: "w" },
        testCase: {},
        response: { output: testIdx, cached: testIdx === 0 },
      }),
    );
    const log = { ...promptfooLog([repeats]), evalId: "eval-3" };
    const imported = await importBytes(engine, JSON.stringify(log), { check: "off" });
    expect(imported.evaluations).toMatchObject([{ rows: 1, trials: 3 }]);
    const { rows } = await answerOf(engine, "promptfoo:eval-3:0");
    const trials = rows[0]?.evaluations[0]?.trials ?? [];
    expect(trials.map((trial) => [trial.model_output, trial.model_latency_seconds])).toEqual([
      [0, null],
      [1, 0.2],
      [2, 0.3],
    ]);
  });

  it("is read from lines, in any order, and from the results alone", async () => {
    const lines = columns.flat().map((one) => JSON.stringify(one));
    const first = await importBytes(engine, lines.join("\n"));
    const again = await importBytes(engine, `${lines.toReversed().join("\r\n")}\n\n`);
    expect(first.evaluations).toMatchObject([{ trials: 3 }, { trials: 3 }]);
    expect([again.stored, again.unchanged]).toEqual([0, first.received]);
    const alone = await importBytes(engine, JSON.stringify(promptfooLog(columns).results));
    expect(alone).toMatchObject({ format: "promptfoo", checks: { agree: 14, differ: [] } });
  });

  it.each(["whole", "results", "bare results"])(
    "is read without its figures and its time: %s",
    async (kind) => {
      const results = [result(0, 0, 1), result(0, 1, 0)];
      const inner = kind === "bare results" ? { results } : { version: 3, results };
      const log = kind === "whole" ? { evalId: "without-figures", results: inner, config: {} } : inner;
      const { format, evaluations } = await importBytes(engine, JSON.stringify(log), { dryRun: true });
      expect({ format, evaluations }).toMatchObject({
        format: "promptfoo",
        evaluations: [{ model: "openai:m", trials: 2 }],
      });
    },
  );

  it("of version 2 tells columns apart by provider and prompt", async () => {
    const old = columns.flat().map(({ promptIdx: _p, testIdx: _t, failureReason: _f, ...one }) => one);
    const log = {
      version: 2,
      timestamp: "2024-01-01T00:00:00Z",
      results: old,
      stats: {},
      table: { body: [] },
    };
    const imported = await importBytes(engine, JSON.stringify(log));
    expect(imported.evaluations).toMatchObject([{ trials: 3 }, { trials: 3 }]);
    expect((await importBytes(engine, JSON.stringify(log))).stored).toBe(0);
  });

  it("with a result that has no outcome is refused by its place, or read without it", async () => {
    const broken = [result(0, 0, 1), result(0, 1, 1, { success: "maybe" })];
    const log = JSON.stringify({ ...promptfooLog([broken]), evalId: "eval-4" });
    await expect(importBytes(engine, log)).rejects.toMatchObject({
      code: "invalid",
      source: "log",
      place: "results.results[0]",
    });
    expect((await answerOf(engine, "promptfoo:eval-4:0")).rows).toEqual([]);
    const rest = await importBytes(engine, log, { onInvalid: "skip" });
    expect(rest).toMatchObject({ evaluations: [{ trials: 1 }], rejected: [{ place: "results.results[0]" }] });
  });
});
