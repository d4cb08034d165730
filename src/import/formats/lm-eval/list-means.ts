import type { JsonObject } from "../../../model/json.ts";
import { meanOf, sumOf } from "../../check/moments.ts";
import { listAt, textAt } from "../../read/members.ts";

/** Figures of a whole task, of which a document's numbers are the material: they mean nothing by themselves. */
const OF_TASK = new Set(
  "f1 mcc matthews_corrcoef bleu chrf ter brier_score perplexity weighted_perplexity word_perplexity byte_perplexity bits_per_byte".split(
    " ",
  ),
);

/** Metrics that are a list of values in each document: its score is their mean, the figure of the task that over all lists. */
export class ListMeans {
  readonly #config: JsonObject;
  readonly #sums = new Map<string, { sum: number; count: number }>();

  constructor(config: JsonObject) {
    this.#config = config;
  }

  /** The mean of a document's list; null where it is no score. */
  add(metric: string, key: string, values: readonly (number | boolean)[]): number | null {
    const numbers = values.map(Number);
    if (numbers.length === 0 || this.#isOfTask(metric, values)) return null;
    const sums = this.#sums.get(key) ?? { sum: 0, count: 0 };
    this.#sums.set(key, sums);
    sums.sum += sumOf(numbers);
    sums.count += numbers.length;
    return meanOf(numbers);
  }

  /** The mean over all lists; null for a metric that is none. */
  find(key: string): number | null {
    const sums = this.#sums.get(key);
    return sums === undefined ? null : sums.sum / sums.count;
  }

  #isOfTask(metric: string, values: readonly (number | boolean)[]): boolean {
    if (values.every((value) => typeof value === "boolean")) return false;
    return OF_TASK.has(metric) || OF_TASK.has(aggregationOf(this.#config, metric) ?? "");
  }
}

/** How a metric becomes a figure; null where the log does not say. A metric that is only named is aggregated in its own way. */
export function aggregationOf(config: JsonObject, metric: string): string | null {
  const listed = listAt(config, "metric_list").find((one) => textAt(one, "metric") === metric);
  if (listed === undefined || metric === "acc_all") return null;
  return textAt(listed, "aggregation") ?? (metric === "perplexity" ? "perplexity" : "mean");
}
