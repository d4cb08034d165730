import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

type Members = Readonly<Record<string, unknown>>;

export const TIME = "2026-03-04T05-06-07.000089";

/** A record of a details file as lighteval 0.13 writes it: a document that was asked in one way. */
export function detail(id: number, metric: Members, response: Members = {}, doc: Members = {}) {
  return {
    doc: {
      query: `Question ${id}?`,
      choices: ["yes", "no"],
      gold_index: id % 2,
      instruction: null,
      specific: { level: id },
      id: String(id),
      task_name: "quiz|0",
      sampling_methods: ["GENERATIVE"],
      use_logits: false,
      num_samples: 1,
      ...doc,
    },
    metric,
    model_response: {
      input: `Prompt ${id}`,
      input_tokens: [1, 2, 3],
      text: ["yes"],
      output_tokens: [[4, 5]],
      logprobs: [0.5],
      ...response,
    },
  };
}

function metricConfig(name: string, corpus: string) {
  return { metric_name: name, corpus_level_fn: corpus };
}

/** Results of one task. */
export function lightevalResults(stated: Members, documents: number, model = "org/small") {
  return {
    config_general: { lighteval_sha: "?", model_config: { model_name: model }, model_name: model },
    results: { "quiz|0": stated, all: stated },
    versions: { "quiz|0": 2 },
    config_tasks: {
      "quiz|0": {
        metrics: [
          metricConfig("em", "mean"),
          metricConfig("acc", "mean"),
          metricConfig("bleu", "CorpusLevelTranslationMetric(metric_type=bleu, lang=)"),
        ],
        effective_num_docs: documents,
      },
    },
  };
}

/** Writes what a statement selects into a Parquet file. */
export async function writeParquet(file: string, select: string): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** Writes a details file; DuckDB makes structs of the records, with null for what a record lacks. */
export async function writeDetails(file: string, records: readonly unknown[]): Promise<void> {
  const json = `${file}.json`;
  writeFileSync(json, records.map((record) => JSON.stringify(record)).join("\n"));
  await writeParquet(file, `SELECT * FROM read_json('${json}', format = 'newline_delimited')`);
  rmSync(json);
}

/** Writes a run into the folders that lighteval makes; gives the path of the details file. */
export async function writeLightevalRun(
  base: string,
  records: readonly unknown[],
  results: Members | null,
  model = "org/small",
): Promise<string> {
  const folder = path.join(base, "details", model, TIME);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `details_quiz|0_${TIME}.parquet`);
  await writeDetails(file, records);
  if (results !== null) {
    mkdirSync(path.join(base, "results", model), { recursive: true });
    writeFileSync(path.join(base, "results", model, `results_${TIME}.json`), JSON.stringify(results));
  }
  return file;
}
