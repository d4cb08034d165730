import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf, importBytes, importFile, recordCount } from "./imports.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const folder = newFolders()();

type Members = Readonly<Record<string, unknown>>;

function instance(run: string, sample: string, score: unknown, others: Members = {}): Members {
  return {
    schema_version: "0.3.0",
    evaluation_id: run,
    model_id: `acme/${run}`,
    evaluation_name: "sums",
    sample_id: sample,
    interaction_type: "single_turn",
    input: { raw: `${sample}?`, formatted: `<user>${sample}?`, reference: ["1"], choices: null },
    output: { raw: ["1"] },
    answer_attribution: [],
    evaluation: { score, is_correct: score === 1 },
    token_usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    performance: { latency_ms: 250 },
    ...others,
  };
}

const lines = (...records: readonly Members[]) => records.map((one) => JSON.stringify(one)).join("\n");

const small = (run: string) => [
  instance(run, "a", 1),
  instance(run, "b", 0.5, { error: "timeout\nlate" }),
  instance(run, "a", 0),
  instance(run, "c", null, {
    interaction_type: "multi_turn",
    output: null,
    messages: [
      { turn_idx: 0, role: "user", content: "c?" },
      { turn_idx: 1, role: "assistant", content: "said" },
    ],
    token_usage: null,
  }),
];

const aggregate = (run: string, ...scores: readonly number[]) =>
  JSON.stringify({
    schema_version: "0.3.0",
    evaluation_id: run,
    evaluation_timestamp: "1767225600",
    eval_library: { name: "lib", version: "1.2" },
    model_info: { name: run, id: `acme/${run}` },
    evaluation_results: scores.map((score) => ({ evaluation_name: "sums", score_details: { score } })),
  });

describe("an instance file of Every Eval Ever", () => {
  it("becomes an evaluation whose rows other models share, with the figures of its aggregate", async () => {
    const ids: string[] = [];
    for (const run of ["r1", "r2"]) {
      mkdirSync(path.join(folder, run));
      writeFileSync(path.join(folder, run, "x.json"), aggregate(run, 0.5));
      writeFileSync(path.join(folder, run, "x_samples.jsonl"), lines(...small(run)));
      const results = await engine.importEvaluations(path.join(folder, run), { project: "acme/qa" });
      expect(results).toMatchObject([
        {
          format: "eee",
          tool_version: "1.2",
          evaluations: [{ task: "sums", model: `acme/${run}`, rows: 3, trials: 4, errors: 1 }],
          checks: { agree: 1, differ: [] },
          notes: [
            "score: 1 of 3 trials have no verdict and count nowhere; --count-nulls-as 0 counts them as failed",
          ],
        },
      ]);
      ids.push(results[0]?.evaluations[0]?.evaluation_call_id ?? "");
      const again = await importFile(engine, path.join(folder, run, "x_samples.jsonl"));
      expect([again.stored, again.unchanged]).toEqual([0, results[0]?.received]);
    }
    const { rows } = await answerOf(engine, ...ids);
    expect(rows.map((row) => row.evaluations.length)).toEqual([2, 2, 2]);
    const row = rows.find((one) => JSON.stringify(one.raw_data_row).includes('"a"'));
    expect(row?.raw_data_row).toEqual({ sample_id: "a", input: { raw: "a?", reference: ["1"] } });
    expect(row?.evaluations[0]?.trials).toMatchObject([
      {
        model_output: "1",
        scores: { score: 1, is_correct: true },
        total_tokens: 5,
        model_latency_seconds: 0.25,
      },
      { scores: { score: 0, is_correct: false } },
    ]);
    const talk = rows.find((one) => JSON.stringify(one.raw_data_row).includes('"c"'));
    expect(talk?.evaluations[0]?.trials).toMatchObject([{ model_output: "said", scores: { score: null } }]);
  });

  it("is compared only where one stated score has its name", async () => {
    mkdirSync(path.join(folder, "two"));
    const file = path.join(folder, "two", "y.jsonl");
    writeFileSync(path.join(folder, "two", "y.json"), aggregate("two", 0.5, 0.9));
    writeFileSync(file, lines(...small("two")));
    expect((await importFile(engine, file)).checks).toMatchObject({
      agree: 0,
      unchecked: [{ what: "sums", why: "several scores have this name" }, { what: "sums" }],
    });
    writeFileSync(path.join(folder, "two", "y.json"), aggregate("two", 0.9));
    await expect(importFile(engine, file, { check: "fail" })).rejects.toThrow(
      /states score mean 0\.9, .* 0\.5/,
    );
  });

  it("is needed: an aggregate alone is refused", async () => {
    await expect(importBytes(engine, aggregate("r3", 1))).rejects.toMatchObject({ code: "no_samples" });
  });

  it.each([
    ["a score that is none", instance("r4", "b", "good"), "line 2, evaluation.score", /not a number/],
    ["an instance without a sample", instance("r4", "", 1), "line 2", /lacks sample_id/],
  ])("with %s is refused by its place, or read without it", async (_, record, place, reason) => {
    const before = await recordCount(engine);
    const text = lines(instance("r4", "a", 1), record);
    await expect(importBytes(engine, text)).rejects.toThrow(reason);
    await expect(importBytes(engine, text.slice(0, -9))).rejects.toMatchObject({ name: "ImportError" });
    expect(await recordCount(engine)).toBe(before);
    const rest = await importBytes(engine, text, { onInvalid: "skip", dryRun: true });
    expect(rest).toMatchObject({ evaluations: [{ trials: 1 }], rejected: [{ place }] });
  });
});
