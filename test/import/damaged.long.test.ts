import { afterAll, describe, expect, it } from "vitest";
import { ImportError, openEngine, type Engine } from "../../src/index.ts";
import { importBytes, recordCount } from "./imports.ts";
import { evalLog, header, jsonLog, sample } from "./inspect-logs.ts";
import { promptfooLog, result } from "./promptfoo-logs.ts";
import { zipFile } from "./zip-file.ts";

const SEED = Number(process.env["SEED"] ?? 44);
const COUNT = Number(process.env["COUNT"] ?? 20);

const inspectLog = jsonLog(header(), [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })]);
const spec = { spec: { run_id: "r", completion_fns: ["m"], eval_name: "e" } };
const event = { run_id: "r", event_id: 0, sample_id: "s", type: "match", data: { correct: true } };
const testCase = { input: "q", metricsData: [{ name: "m", score: 1, success: true }], success: true };
const item = {
  run_id: "r",
  eval_id: "e",
  datasource_item: { q: 1 },
  results: [{ name: "x", score: 1 }],
  sample: { model: "m", output: [{ content: "a" }] },
};
const lines = (...records: readonly unknown[]) => records.map((one) => JSON.stringify(one)).join("\n");

/** A sound log of each format that is one file. */
const LOGS: readonly (readonly [string, string | Buffer])[] = [
  ["Inspect, JSON", inspectLog],
  ["Inspect, zip", evalLog(header(), [sample(1, 1, { grade: "C" })])],
  ["promptfoo", JSON.stringify(promptfooLog([[result(0, 0, 1), result(0, 1, 0)]]))],
  ["promptfoo, lines", lines(result(0, 0, 1), result(0, 1, 0))],
  ["OpenAI Evals", lines(spec, event, { final_report: { accuracy: 1 } })],
  ["DeepEval", JSON.stringify({ testCases: [testCase], metricsScores: [] })],
  [
    "DeepEval, latest test run",
    JSON.stringify({ testRunData: { testCases: [testCase], metricsScores: [] } }),
  ],
  ["Evals API", lines(item, item)],
  [
    "EvalPlus",
    JSON.stringify({ date: "d", hash: "h", eval: { "H/0": [{ base_status: "pass", plus_status: "fail" }] } }),
  ],
  ["SWE-bench", JSON.stringify({ submitted_ids: ["a", "b"], resolved_ids: ["a"], unresolved_ids: ["b"] })],
  ["MT-bench", lines({ question_id: 1, model: "m", judgment: "x", score: 3, turn: 1 })],
  ["Azure", lines({ "inputs.query": "q", "outputs.response": "r", "outputs.a.b": 1 })],
  ["CSV", "id,model,score\n1,m,0.5\n2,m,1\n"],
  [
    "a zip archive",
    zipFile([
      { name: "a.json", data: inspectLog },
      { name: "b.csv", data: "id,score\n1,2\n" },
    ]),
  ],
];

/** Numbers that are the same for one seed (mulberry32). */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WORDS = ["7", "null", '"x"', "[]", "{}", "-1", "1e999", "NaN", "true", "\0", "[[[[", '{"a":', "\uFFFF"];

/** Bytes that are cut off, changed in a bit, overwritten, doubled or without a part. */
function damage(bytes: Buffer, below: (most: number) => number): Buffer {
  const at = below(bytes.length);
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at + 1 + below(8))];
  switch (below(5)) {
    case 0:
      return before;
    case 1: {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
      return changed;
    }
    case 2:
      return Buffer.concat([before, Buffer.from(WORDS[below(WORDS.length)] ?? ""), behind]);
    case 3:
      return Buffer.concat([before, behind]);
    default:
      return Buffer.concat([bytes, bytes.subarray(at)]);
  }
}

describe(`damaged logs (SEED=${SEED}, COUNT=${COUNT})`, () => {
  const opened: Engine[] = [];
  afterAll(() => Promise.all(opened.map((one) => one.close())));

  it.each(LOGS)("of %s are read, or refused in one short line with nothing stored", async (_, log) => {
    const engine = await openEngine();
    opened.push(engine);
    const below = numbersOf(SEED);
    const before = await recordCount(engine);
    let refused = 0;
    for (let i = 0; i < COUNT; i++) {
      const bytes = damage(Buffer.from(log), below);
      const failure = async (dryRun: boolean) =>
        await importBytes(engine, bytes, { dryRun }).then(
          () => null,
          (error: unknown) => error,
        );
      const dry = await failure(true);
      if (dry === null) continue;
      refused++;
      if (!(dry instanceof ImportError)) throw dry;
      expect([i, dry.message.includes("\n"), Buffer.byteLength(dry.message) < 400]).toEqual([i, false, true]);
      // What else is in an archive would be stored.
      const stored = dry.results.length > 0 ? dry : await failure(false);
      expect(stored).toBeInstanceOf(ImportError);
    }
    expect(await recordCount(engine)).toBe(before);
    expect(refused).toBeGreaterThan(0);
  });
});
