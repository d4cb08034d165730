import type { RecordBatch } from "apache-arrow";
import type { ColumnsHead } from "../../engine/table/columns.ts";
import { BOOLEAN, NULL } from "../../model/score-kind.ts";
import { scoreKey } from "../../words/score.ts";
import { once, remembered } from "../payload/once.ts";
import { startsOf, type PayloadColumns, type PayloadValue } from "../payload/packed-rows.ts";
import { bytes, doubles, integers, texts, trialPlaces, type TrialPlaces } from "./batch-columns.ts";

/** The values of all trials of a report, in columns. Trials are counted in the order row, evaluation, trial. */
export class ReportValues {
  readonly #width: number;
  /** The place of each evaluation of the result on the page. */
  readonly #evaluations: readonly number[];
  readonly #paths: ColumnsHead["dimensions"];
  /** By the id of a dimension: its name, and its column where it has one. */
  readonly #names: ReadonlyMap<number, string>;
  readonly #columns: ReadonlyMap<string, PayloadValue[]>;
  readonly #counts: number[];
  readonly #starts = once(() => startsOf(this.#counts));
  readonly #latency: (number | null)[] = [];
  readonly #tokens: (number | null)[] = [];
  readonly #errors: (string | null)[] = [];
  readonly #texts: ([string, string][] | null)[];

  /** `evaluations`: ids in the order of the page; `dimensions`: names of those that have a column. */
  constructor(head: ColumnsHead, evaluations: readonly string[], dimensions: readonly string[]) {
    this.#width = evaluations.length;
    this.#evaluations = head.evaluation_call_ids.map((id) => evaluations.indexOf(id));
    this.#paths = head.dimensions;
    // A summary joins the members of a path by dots, so that two paths may be one score.
    this.#names = new Map(head.dimensions.map(({ id, path }) => [id, nameOf(path)]));
    this.#columns = new Map(dimensions.map((name) => [name, filled<PayloadValue>(head.trial_count, "")]));
    this.#texts = filled(head.trial_count, null);
    this.#counts = filled(head.row_count * evaluations.length, 0);
  }

  /** Takes all trials, in their order, before anything else is added. */
  addTrials(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const latency = doubles(batch, "model_latency_seconds");
    const tokens = doubles(batch, "total_tokens");
    const errors = texts(batch, "error");
    for (let record = 0; record < batch.numRows; record++) {
      const cell = this.#cell(places, record);
      this.#counts[cell] = (this.#counts[cell] ?? 0) + 1;
      const error = errors(record);
      this.#errors.push(error === null ? null : DECODER.decode(error));
      this.#latency.push(latency(record));
      this.#tokens.push(tokens(record));
    }
  }

  addScores(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const dimensions = integers(batch, "dimension");
    const kinds = bytes(batch, "kind");
    const numbers = doubles(batch, "number");
    for (let record = 0; record < batch.numRows; record++) {
      const trial = this.#trial(places, record);
      const dimension = dimensions[record] ?? 0;
      const number = numbers(record) ?? 0;
      if (kinds[record] === NULL) {
        for (const below of this.#below(dimension)) if (below[trial] === "") below[trial] = null;
        continue;
      }
      const column = this.#columns.get(this.#names.get(dimension) ?? "");
      if (column !== undefined) column[trial] = kinds[record] === BOOLEAN ? number === 1 : number;
    }
  }

  /** The columns of a dimension and of all below it: where it is null, so are they. */
  readonly #below = remembered((dimension: number) => {
    const path = this.#paths.find(({ id }) => id === dimension)?.path ?? [];
    const names = this.#paths.flatMap(({ id, path: other }) =>
      path.every((member, i) => member === other[i]) ? (this.#names.get(id) ?? []) : [],
    );
    return [...new Set(names)].flatMap((name) => {
      const column = this.#columns.get(name);
      return column === undefined ? [] : [column];
    });
  }, Infinity);

  addTexts(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const dimensions = integers(batch, "dimension");
    const values = texts(batch, "text");
    for (let record = 0; record < batch.numRows; record++) {
      const text = values(record);
      const trial = this.#trial(places, record);
      if (text === null) continue;
      const name = this.#names.get(dimensions[record] ?? 0) ?? "";
      (this.#texts[trial] ??= []).push([name, DECODER.decode(text)]);
    }
  }

  /** The columns, when everything was added, but for the digests of rows. */
  columns(): Omit<PayloadColumns, "digests"> {
    return {
      counts: this.#counts,
      latency: this.#latency,
      tokens: this.#tokens,
      errors: this.#errors,
      texts: this.#texts.map((own) => own?.toSorted(([a], [b]) => (a < b ? -1 : 1)) ?? null),
    };
  }

  /** By dimension, as they were named. */
  scores(): (readonly PayloadValue[])[] {
    return [...this.#columns.values()];
  }

  #cell({ rows, evaluations }: TrialPlaces, record: number): number {
    const evaluation = this.#evaluations[evaluations[record] ?? 0] ?? 0;
    return (rows[record] ?? 0) * this.#width + evaluation;
  }

  #trial(places: TrialPlaces, record: number): number {
    return (this.#starts()[this.#cell(places, record)] ?? 0) + (places.indexes[record] ?? 0);
  }
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function nameOf([key = "", ...path]: readonly string[]): string {
  return scoreKey({ scorer_key: key, path: path.length === 0 ? null : path.join(".") });
}

function filled<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}
