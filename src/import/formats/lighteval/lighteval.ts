import type { Format, LogSource, ReadContext } from "../../format.ts";
import { noSamples, orRefused } from "../../read/fault.ts";
import { parseRecord } from "../../read/json-lines.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { type Detail, outputOf, readDetail, responseDetails, taskFigures, detailTrial } from "./detail.ts";
import { evaluationOf, openRun, resultsPaths } from "./run.ts";

/** Details files of lighteval, with the results file of their run. */
export const lighteval: Format = {
  name: "lighteval",
  recognises: (head) => isDetails(head) || isResults(head),
  claims: (head) => (isDetails(head) ? resultsPaths(head) : []),
  read: readLighteval,
};

function isDetails({ columns }: Head): boolean {
  return ["doc", "metric", "model_response"].every((name) =>
    /^STRUCT\([^]*\)$/.test(columns.get(name) ?? ""),
  );
}

function isResults({ json }: Head): boolean {
  return (
    isPrefixObject(json) &&
    isPrefixObject(json["config_general"]) &&
    isPrefixObject(json["results"]) &&
    "lighteval_sha" in json["config_general"]
  );
}

/** What was read of a task. */
interface Task {
  readonly evaluation: LogEvaluation;
  readonly documents: Documents;
}

async function* readLighteval(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  if (isResults(source.head))
    throw noSamples(
      "holds figures only: import the folder details of the run, which lighteval writes with --save-details",
    );
  const run = await openRun(source, context);
  const tasks = new Map<string, Task>();
  let record = 0;
  for await (const text of context.readParquet(source.file)) {
    const place = `record ${++record}`;
    const detail = orRefused(() => readDetail(parseRecord(text, place), place), place, context.refuse);
    if (detail === null) continue;
    const name = detail.task ?? run.task;
    const task = tasks.get(name) ?? { evaluation: evaluationOf(run, name), documents: new Documents() };
    tasks.set(name, task);
    yield* itemsOf(detail, task, place);
  }
  for (const { evaluation, documents } of tasks.values())
    yield* taskFigures(run.results, evaluation, context, documents.count);
}

function metricsOf({ scores, details }: Detail): string[] {
  return [...new Set([...Object.keys(scores), ...Object.keys(details)])];
}

/** A trial; of a document that was asked in another way before, scores of that trial. */
function* itemsOf(detail: Detail, { evaluation, documents }: Task, place: string): Generator<LogItem> {
  const { trial: repeat, isNew } = documents.meet(detail.id, metricsOf(detail));
  const trial = detailTrial(detail, evaluation, repeat, place);
  if (isNew) {
    yield { kind: "trial", trial };
    return;
  }
  const { response, details } = detail;
  const inputs = { output: outputOf(response), ...details, ...responseDetails(response) };
  const of = { evaluation, place, sample: trial.sample, trial: trial.trial, inputs, index: repeat };
  for (const [key, value] of Object.entries(detail.scores))
    yield { kind: "score", score: { ...of, key, value } };
}

/** Which documents of a task came, how often, and with which metrics. */
class Documents {
  /** By document, the metrics of its trials. */
  readonly #met = new Map<string, (readonly string[])[]>();
  /** One list for all trials that have the same metrics. */
  readonly #lists = new Map<string, readonly string[]>();

  get count(): number {
    return this.#met.size;
  }

  /**
   * Counts a record: the trial that it belongs to, and whether it begins it. A document that is asked in another way
   * has other metrics: these belong to the first trial that has none of them.
   */
  meet(id: string, metrics: readonly string[]): { readonly trial: number; readonly isNew: boolean } {
    const trials = this.#met.get(id) ?? [];
    if (trials.length === 0) this.#met.set(id, trials);
    const at =
      metrics.length === 0 ? -1 : trials.findIndex((met) => !metrics.some((one) => met.includes(one)));
    if (at < 0) return { trial: trials.push(this.#list(metrics)) - 1, isNew: true };
    trials[at] = this.#list([...(trials[at] ?? []), ...metrics]);
    return { trial: at, isNew: false };
  }

  #list(metrics: readonly string[]): readonly string[] {
    const key = JSON.stringify(metrics);
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, metrics);
    return known ?? metrics;
  }
}
