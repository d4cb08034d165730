import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Engine, ImportOptions } from "../../../src/index.ts";
import { instanceStats, requestState, stat, writeRunFolder } from "../../import/helm-logs.ts";
import { importBytes, importFile } from "../../import/imports.ts";
import { evalLog, header, jsonLog, sample } from "../../import/inspect-logs.ts";
import { detail, writeDetails, writeParquet } from "../../import/lighteval-logs.ts";
import { lmEvalResults, sampleLine, writeRun } from "../../import/lm-eval-logs.ts";
import { promptfooLog, result } from "../../import/promptfoo-logs.ts";

/** A source of one format, of which one file can be damaged. */
export interface Form {
  readonly name: string;
  readonly bytes: Buffer;
  /** Imports the source with these bytes in the place of that file. */
  readonly load: (engine: Engine, bytes: Buffer) => Promise<unknown>;
}

const lines = (...records: readonly unknown[]) => records.map((one) => JSON.stringify(one)).join("\n");

const samples = [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })];
const results = promptfooLog([[result(0, 0, 1), result(0, 1, 0)]]);
const call = (id: string, others: object) => ({
  project_id: "acme/qa",
  id,
  trace_id: "t",
  started_at: "2026-01-01T00:00:00Z",
  ...others,
});
const event = (sampleId: string, type: string, data: object) => ({
  run_id: "r",
  event_id: 0,
  sample_id: sampleId,
  type,
  data,
  created_at: "2026-01-01 00:00:00",
});
const instance = (id: string, score: number) => ({
  schema_version: "0.3.0",
  evaluation_id: "e",
  evaluation_name: "sums",
  model_id: "m",
  sample_id: id,
  input: { raw: "a?", reference: ["1"] },
  output: { raw: ["1"] },
  evaluation: { score, is_correct: true },
});

const TEXTS: readonly (readonly [string, string, Partial<ImportOptions>?])[] = [
  ["a .json log of Inspect", jsonLog(header(), samples)],
  ["a log of promptfoo", JSON.stringify(results)],
  ["lines of promptfoo", lines(...results.results.results)],
  [
    "samples of lm-eval",
    lines(sampleLine(0, "none", 1), sampleLine(1, "none", 0)),
    { table: { modelName: "m" } },
  ],
  [
    "a log of OpenAI Evals",
    lines(
      { spec: { run_id: "r", completion_fns: ["m"], eval_name: "sums", created_at: "2026-01-01 00:00:00" } },
      event("s.1", "sampling", { prompt: "a?", sampled: ["1"] }),
      event("s.1", "match", { correct: true, expected: "1", picked: "1" }),
      { final_report: { accuracy: 1 } },
    ),
  ],
  [
    "calls of Weave",
    lines(
      call("e", { op_name: "Evaluation.evaluate", inputs: { self: "s", model: "m" } }),
      call("p", {
        op_name: "Evaluation.predict_and_score",
        parent_id: "e",
        inputs: { model: "m", example: { q: "a?" } },
        output: { output: "1", scores: { match: { correct: true } } },
      }),
    ),
  ],
  [
    "a run of DeepEval",
    JSON.stringify({
      testCases: [
        {
          name: "a",
          input: "a?",
          actualOutput: "1",
          success: true,
          order: 0,
          metricsData: [{ name: "Match", score: 1, success: true, threshold: 0.5 }],
        },
      ],
      metricsScores: [{ metric: "Match", scores: [1], passes: 1, fails: 0, errors: 0 }],
      runDuration: 1.5,
      testPassed: 1,
      testFailed: 0,
    }),
  ],
  ["instances of Every Eval Ever", lines(instance("a", 1), instance("b", 0.5))],
  ["a table of CSV", 'id,model,question,score\n1,m,"a, b",0.5\n2,m,c,1\n3,n,d,\n'],
  [
    "a table of JSON",
    JSON.stringify([
      { id: "1", model: "m", score: 0.5 },
      { id: "2", model: "m", score: null },
    ]),
  ],
];

/** All formats, with files in this folder. */
export async function formsIn(folder: string): Promise<Form[]> {
  const texts = TEXTS.map(([name, text, options]) => inMemory(name, Buffer.from(text), options));
  const parquet = path.join(folder, "made.parquet");
  await writeDetails(parquet, [detail(0, { em: 1 }), detail(1, { em: 0.5 })]);
  const details = inMemory("details of lighteval", readFileSync(parquet), { table: { modelName: "m" } });
  await writeParquet(parquet, "SELECT '1' AS id, 'm' AS model, 0.5 AS score");
  const run = writeRun(folder, lmEvalResults({ "exact_match,none": 1 }), [sampleLine(0, "none", 1)]);
  const helm = writeRunFolder(folder, {
    states: [requestState("a", "yes")],
    instances: [instanceStats("a", 1)],
    stats: [stat("exact_match", 1)],
  });
  const helmFile = (name: string) =>
    inFolder(`${name} of HELM`, path.join(helm, name), path.join(helm, "run_spec.json"));
  return [
    inMemory("an .eval log of Inspect", evalLog(header(), samples)),
    ...texts,
    details,
    inMemory("a table of Parquet", readFileSync(parquet)),
    inFolder("results of lm-eval", run, run),
    helmFile("scenario_state.json"),
    helmFile("per_instance_stats.json"),
    helmFile("run_spec.json"),
  ];
}

function inMemory(name: string, bytes: Buffer, options: Partial<ImportOptions> = {}): Form {
  return { name, bytes, load: (engine, changed) => importBytes(engine, changed, options) };
}

/** A file that is read with others beside it; the file that is named stands for all. */
function inFolder(name: string, file: string, named: string): Form {
  const bytes = readFileSync(file);
  return {
    name,
    bytes,
    load: async (engine, changed) => {
      writeFileSync(file, changed);
      try {
        return await importFile(engine, named);
      } finally {
        writeFileSync(file, bytes);
      }
    },
  };
}
