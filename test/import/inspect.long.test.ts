import { copyFileSync, existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { answerOf, importBytes, importFile } from "./imports.ts";
import { evalLog, header, jsonLog, logEntries, sample } from "./inspect-logs.ts";
import { zipFile } from "./zip-file.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const folder = newFolders()();

const LOGS = fileURLToPath(new URL("peer-logs/inspect-ai/", SHARED_DATA));
const missing = existsSync(LOGS) ? null : `no folder ${LOGS}`;
const isLog = (name: string) => /\.(eval|json)$/.test(name) && !name.includes("no-samples");

describe.skipIf(missing !== null)(`real logs of Inspect${because(missing)}`, () => {
  it("agree with their own aggregates, and change nothing when they are imported again", async () => {
    const differ: unknown[] = [];
    let agree = 0;
    for (const name of readdirSync(LOGS).filter(isLog)) {
      const first = await importFile(engine, path.join(LOGS, name));
      const again = await importFile(engine, path.join(LOGS, name));
      agree += first.checks.agree;
      differ.push(...first.checks.differ);
      expect({ name, stored: again.stored, unchanged: again.unchanged }).toEqual({
        name,
        stored: 0,
        unchanged: first.received,
      });
    }
    expect(differ).toEqual([]);
    expect(agree).toBeGreaterThan(80);
  });

  it("give the same evaluation from another folder and under another name", async () => {
    const name = "generated__0.3.285__arith.eval";
    const copy = path.join(folder, "renamed.bin");
    copyFileSync(path.join(LOGS, name), copy);
    await importFile(engine, path.join(LOGS, name));
    const { evaluations, unchanged, received, stored } = await importFile(engine, copy);
    expect(evaluations[0]).toMatchObject({ task: "arith", trials: 8, rows: 4, errors: 0 });
    expect({ stored, unchanged }).toEqual({ stored: 0, unchanged: received });
  });

  it("that say only what their samples add up to are refused", async () => {
    const refused = importFile(engine, path.join(LOGS, "2025-05-12T20-28-13-04-00_no-samples.json"));
    await expect(refused).rejects.toMatchObject({ code: "no_samples" });
  });
});

describe("an Inspect log", () => {
  const samples = [
    sample(1, 1, { grade: "C", rubric: { tone: 2, clarity: "P" }, note: "fine" }),
    sample("a/b", 1, { grade: "I", rubric: { tone: 1, clarity: null }, note: "yes" }),
    sample(1, 2, { grade: "N", rubric: { tone: 0, clarity: "0.25" }, note: [1, 2] }),
    sample(
      "a/b",
      2,
      { grade: "P" },
      { error: { message: "Gone('x')\nmore", traceback: "deep" }, output: {} },
    ),
  ];
  const results = {
    total_samples: 4,
    completed_samples: 3,
    scores: [
      { name: "grade", scorer: "grade", metrics: { accuracy: { value: 0.375 }, stderr: { value: 0.125 } } },
      {
        name: "tone",
        scorer: "rubric",
        reducer: "max",
        metrics: { mean: { value: 1.5 }, odd: { value: 1 } },
      },
    ],
  };

  it("becomes an evaluation with trials in the order of their epochs", async () => {
    const result = await importBytes(engine, jsonLog(header(results), samples));
    expect(result).toMatchObject({
      format: "inspect",
      tool_version: "0.3.200",
      evaluations: [
        { evaluation_call_id: "inspect:run-1", task: "sums", model: "m", rows: 2, trials: 4, errors: 1 },
      ],
      // The root, the rows, and of each trial itself, its predict call and a step.
      received: 1 + 2 + 12,
      checks: { agree: 4, differ: [], unchecked: [{ what: "rubric.tone odd" }] },
    });
    const { rows } = await answerOf(engine, "inspect:run-1");
    const trials = rows.map((row) =>
      row.evaluations[0]?.trials.map((one) => [one.predict_and_score_call_id, one.scores]),
    );
    expect(new Set(trials.map((one) => JSON.stringify(one)))).toEqual(
      new Set(
        [
          [
            ["inspect:run-1/1/1", { grade: 1, rubric: { tone: 2, clarity: 0.5 }, note: "fine" }],
            ["inspect:run-1/1/2", { grade: 0, rubric: { tone: 0, clarity: 0.25 }, note: { "0": 1, "1": 2 } }],
          ],
          [
            ["inspect:run-1/a%2Fb/1", { grade: 0, rubric: { tone: 1, clarity: null }, note: 1 }],
            ["inspect:run-1/a%2Fb/2", { grade: 0.5 }],
          ],
        ].map((one) => JSON.stringify(one)),
      ),
    );
    expect(rows[0]?.evaluations[0]?.trials[0]).toMatchObject({ model_latency_seconds: 0.5, total_tokens: 7 });
  });

  it("gives the same calls as .json and as .eval, whole or with samples in several entries", async () => {
    await importBytes(engine, jsonLog(header(results), samples), {}, "one");
    const whole = await importBytes(engine, evalLog(header(results), samples), {}, "one");
    const chunked = logEntries(header(results), samples).flatMap((entry) => {
      if (!entry.name.startsWith("samples/")) return [entry];
      const { metadata, events, ...shell } = JSON.parse(String(entry.data)) as {
        metadata: object;
        events: unknown[];
      };
      const name = entry.name.replace(/\.json$/, "");
      return [
        { name: `${name}/sample.json`, data: JSON.stringify(shell) },
        { name: `${name}/metadata.json`, data: JSON.stringify(metadata) },
        { name: `${name}/events/0.json`, data: "[]" },
        { name: `${name}/events/1.json`, data: JSON.stringify(events) },
      ];
    });
    const inEntries = await importBytes(engine, zipFile(chunked), {}, "one");
    expect([whole.stored, inEntries.stored, whole.unchanged]).toEqual([0, 0, whole.received]);
  });

  it("shares rows with the log of another model, whatever the run did to them", async () => {
    const other = header({}, { eval: { ...header().eval, eval_id: "run-2", model: "n" } });
    const changed = samples.map((one) => ({
      ...one,
      metadata: { band: "high" },
      input: [{ role: "user", content: one.input, id: "other" }],
    }));
    const own = samples.map((one) => ({ ...one, input: [{ role: "user", content: one.input }] }));
    const third = header({}, { eval: { ...header().eval, eval_id: "run-3" } });
    await importBytes(engine, jsonLog(other, changed));
    await importBytes(engine, jsonLog(third, own));
    const { rows } = await answerOf(engine, "inspect:run-2", "inspect:run-3");
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2]);
  });

  it("reads bare NaN as no value, in scores and elsewhere", async () => {
    const text = jsonLog(header({}, { eval: { ...header().eval, eval_id: "nan" } }), [
      // Its row is one that no other log has: a stored row stays as it is.
      sample(901, 1, { judge: "@", list: ["@"] }, { metadata: { rate: "@" } }),
    ]).replaceAll('"@"', "NaN");
    await importBytes(engine, text);
    const table = await engine.sql("acme/qa", "select output from calls where id = 'inspect:nan/901/1'");
    const output = JSON.parse(String(table.get(0)?.["output"])) as Record<string, unknown>;
    expect(output).toMatchObject({ scores: { judge: null }, details: { judge: { value: "NaN" } } });
    const { rows, summary } = await answerOf(engine, "inspect:nan");
    expect(rows[0]?.raw_data_row).toMatchObject({ id: 901, metadata: { rate: null } });
    expect(summary?.evaluations[0]?.scorer_stats).toEqual([]);
  });

  it("keeps what stopped a trial, and cuts what is too long", async () => {
    const long = { role: "user", content: "y".repeat(400_000) };
    const image = { role: "user", content: `data:image/png;base64,${"A".repeat(400)}` };
    await importBytes(
      engine,
      jsonLog(header({}, { eval: { ...header().eval, eval_id: "limits" } }), [
        sample(
          1,
          1,
          { grade: "C" },
          { limit: { type: "token", limit: 5, usage: 6 }, messages: [long, image] },
        ),
        sample(2, 1, { grade: "C" }, { limit: "context" }),
      ]),
    );
    const table = await engine.sql(
      "acme/qa",
      "select id, output, inputs from calls where starts_with(id, 'inspect:limits/') and id not like '%/step/%' order by id",
    );
    const calls = table
      .toArray()
      .map((one) => [one["id"], JSON.parse(String(one["output"])), String(one["inputs"])]);
    expect(calls[0]?.[1]).toMatchObject({ limit: { type: "token", limit: 5 } });
    expect(calls[2]?.[1]).toMatchObject({ limit: { type: "context", limit: null } });
    expect(calls[1]?.[2]).toContain("characters left out");
    expect(calls[1]?.[2]).toContain("<data: image/png, 300 bytes>");
  });

  it("is read without its header after a crash, and without its directory where what is invalid is skipped", async () => {
    const head = header({}, { eval: { ...header().eval, eval_id: "crash" } });
    const entries = logEntries(head, samples).slice(0, -2);
    const crashed = await importBytes(engine, zipFile(entries));
    expect(crashed.evaluations[0]?.trials).toBe(4);
    expect(crashed.notes.join()).toContain("did not end");
    const cut = evalLog(head, samples);
    const broken = cut.subarray(0, cut.indexOf("summaries.json") - 30);
    await expect(importBytes(engine, broken)).rejects.toMatchObject({ code: "truncated" });
    const rest = await importBytes(engine, broken, { onInvalid: "skip" });
    expect(rest.evaluations[0]?.trials).toBe(4);
  });

  it("stores nothing with check fail where a figure differs, and notes it otherwise", async () => {
    const wrong = {
      total_samples: 4,
      scores: [{ name: "grade", scorer: "grade", metrics: { accuracy: { value: 0.4 } } }],
    };
    const log = jsonLog(header(wrong, { eval: { ...header().eval, eval_id: "wrong" } }), samples);
    await expect(importBytes(engine, log, { check: "fail" })).rejects.toMatchObject({ code: "check_failed" });
    expect((await answerOf(engine, "inspect:wrong")).rows).toEqual([]);
    const { checks } = await importBytes(engine, log);
    expect(checks.differ).toEqual([
      {
        evaluation_call_id: "inspect:wrong",
        scorer_key: "grade",
        path: null,
        stat: "accuracy",
        stated: 0.4,
        computed: 0.375,
      },
    ]);
    expect((await importBytes(engine, log, { check: "off" })).checks.differ).toEqual([]);
  });

  it("stores nothing in a dry run", async () => {
    const log = jsonLog(header({}, { eval: { ...header().eval, eval_id: "dry" } }), samples);
    const result = await importBytes(engine, log, { dryRun: true });
    expect(result).toMatchObject({ received: 15, stored: 0, evaluations: [{ trials: 4 }] });
    expect((await answerOf(engine, "inspect:dry")).rows).toEqual([]);
  });
});
