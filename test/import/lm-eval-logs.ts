import { writeFileSync } from "node:fs";
import path from "node:path";

type Members = Readonly<Record<string, unknown>>;

const TIME = "2026-03-04T05-06-07.000089";

/** A line of a samples file: a document under one filter. */
export function sampleLine(docId: number, filter: string, score: unknown, others: Members = {}) {
  return {
    doc_id: docId,
    doc: { question: `q${docId}`, gold: docId % 2 },
    target: String(docId % 2),
    arguments: { gen_args_0: { arg_0: `Question: q${docId}`, arg_1: { until: ["\n"] } } },
    resps: [[`${filter} a`, "b"]],
    filtered_resps: [`${filter} a`],
    filter,
    metrics: ["exact_match"],
    doc_hash: `hash ${docId}`,
    exact_match: score,
    ...others,
  };
}

/** The same line as older versions write it: without its filter and the names of its metrics. */
export function oldLine({ filter: _f, metrics: _m, ...line }: Members) {
  return line;
}

/** Results of one task. */
export function lmEvalResults(stated: Members, others: Members = {}) {
  return {
    results: { sums: { alias: "sums", ...stated } },
    configs: { sums: { task: "sums", metric_list: [{ metric: "exact_match", aggregation: "mean" }] } },
    versions: { sums: 2 },
    "n-shot": { sums: 0 },
    config: { model: "hf", model_args: "pretrained=org/small,dtype=float" },
    date: 1_772_600_000.5,
    task_hashes: { sums: "1234" },
    model_name: "org/small",
    lm_eval_version: "0.4.9",
    ...others,
  };
}

/** Writes a run into a folder; gives the path of the results file. */
export function writeRun(folder: string, results: Members, lines: readonly unknown[]): string {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  writeFileSync(path.join(folder, `samples_sums_${TIME}.jsonl`), `${text}\n`);
  const file = path.join(folder, `results_${TIME}.json`);
  writeFileSync(file, JSON.stringify(results));
  return file;
}
