import type { RecordBatch } from "apache-arrow";
import type { ColumnsHead } from "../../engine/table/columns.ts";
import { BOOLEAN, NULL } from "../../model/score-kind.ts";
import { linesOf, type PayloadRows, type PayloadValue } from "../payload/payload-rows.ts";
import { bytes, doubles, integers, texts, trialPlaces, type TrialPlaces } from "./batch-columns.ts";
import { placesAt, placesBelow, type Places, type ScorePlace } from "./dimension-places.ts";

/** What a report holds of each trial. */
interface Wanted {
  /** Ids of the evaluations, in the order of the page. */
  readonly evaluations: readonly string[];
  readonly scores: readonly ScorePlace[];
  /** Dimensions that may hold texts. */
  readonly texts: readonly ScorePlace[];
}

/** The values of all trials of a report, in columns. Trials are counted in the order row, evaluation, trial. */
export class ReportValues {
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`. */
  readonly #starts: Uint32Array;
  readonly #wanted: Wanted;
  /** The place of each evaluation of the result on the page. */
  readonly #evaluations: readonly number[];
  readonly #scores: readonly PayloadValue[][];
  readonly #latency: PayloadValue[];
  readonly #tokens: PayloadValue[];
  /** JSON texts. */
  readonly #errors: string[];
  /** Of each trial that has some, by their place among those wanted. */
  readonly #texts = new Map<number, string[]>();
  readonly #scoresAt: Places;
  readonly #scoresBelow: Places;
  readonly #textsAt: Places;
  /** Trials seen, and cells whose start is known. */
  #trials = 0;
  #started = 0;

  constructor(head: ColumnsHead, wanted: Wanted) {
    const trials = head.trial_count;
    this.#wanted = wanted;
    this.#starts = new Uint32Array(head.row_count * wanted.evaluations.length + 1);
    this.#evaluations = head.evaluation_call_ids.map((id) => wanted.evaluations.indexOf(id));
    this.#scores = wanted.scores.map(() => filled<PayloadValue>(trials, ""));
    this.#latency = filled<PayloadValue>(trials, null);
    this.#tokens = filled<PayloadValue>(trials, null);
    this.#errors = filled(trials, "");
    this.#scoresAt = placesAt(head, wanted.scores);
    this.#scoresBelow = placesBelow(head, wanted.scores);
    this.#textsAt = placesAt(head, wanted.texts);
  }

  /** Takes all trials, in their order, before anything else is added. */
  addTrials(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const latency = doubles(batch, "model_latency_seconds");
    const tokens = doubles(batch, "total_tokens");
    const errors = texts(batch, "error");
    for (let record = 0; record < batch.numRows; record++) {
      const trial = this.#trials++;
      this.#startUpTo(this.#cell(places, record), trial);
      const error = errors(record);
      this.#latency[trial] = latency(record);
      this.#tokens[trial] = tokens(record);
      if (error !== null) this.#errors[trial] = JSON.stringify(DECODER.decode(error));
    }
  }

  /** Cells up to this one, whose start is not known yet, start at a trial. */
  #startUpTo(cell: number, trial: number): void {
    while (this.#started <= cell) this.#starts[this.#started++] = trial;
  }

  addScores(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const dimensions = integers(batch, "dimension");
    const kinds = bytes(batch, "kind");
    const numbers = doubles(batch, "number");
    for (let record = 0; record < batch.numRows; record++) {
      const trial = this.#trial(places, record);
      const dimension = dimensions[record] ?? 0;
      const kind = kinds[record];
      const number = numbers(record) ?? 0;
      if (kind === NULL) this.#addNull(trial, dimension);
      else
        for (const place of this.#scoresAt.get(dimension) ?? [])
          this.#set(place, trial, kind === BOOLEAN ? number === 1 : number);
    }
  }

  #set(place: number, trial: number, value: PayloadValue): void {
    const values = this.#scores[place];
    if (values !== undefined) values[trial] = value;
  }

  #addNull(trial: number, dimension: number): void {
    for (const place of this.#scoresBelow.get(dimension) ?? [])
      if (this.#scores[place]?.[trial] === "") this.#set(place, trial, null);
  }

  addTexts(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const dimensions = integers(batch, "dimension");
    const values = texts(batch, "text");
    for (let record = 0; record < batch.numRows; record++) {
      const text = values(record);
      if (text === null) continue;
      const trial = this.#trial(places, record);
      for (const place of this.#textsAt.get(dimensions[record] ?? 0) ?? []) {
        const members = this.#texts.get(trial) ?? [];
        members[place] =
          `${JSON.stringify(this.#wanted.texts[place]?.name)}:${JSON.stringify(DECODER.decode(text))}`;
        this.#texts.set(trial, members);
      }
    }
  }

  /** The columns of the block, but for rows and outputs, when everything was added. */
  columns(): Pick<PayloadRows, "counts" | "scores" | "latency" | "tokens" | "errors" | "texts"> {
    this.#startUpTo(this.#starts.length - 1, this.#trials);
    const starts = this.#starts;
    const said = this.#errors.map((_, trial) => {
      const members = this.#texts.get(trial);
      return members === undefined ? "" : `{${members.filter(() => true).join(",")}}`;
    });
    return {
      counts: Array.from(starts.subarray(1), (end, cell) => end - (starts[cell] ?? 0)),
      scores: this.#scores,
      latency: this.#latency,
      tokens: this.#tokens,
      errors: linesOf(this.#errors),
      texts: linesOf(said),
    };
  }

  #cell({ rows, evaluations }: TrialPlaces, record: number): number {
    const evaluation = this.#evaluations[evaluations[record] ?? 0] ?? 0;
    return (rows[record] ?? 0) * this.#wanted.evaluations.length + evaluation;
  }

  #trial(places: TrialPlaces, record: number): number {
    return (this.#starts[this.#cell(places, record)] ?? 0) + (places.indexes[record] ?? 0);
  }
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function filled<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}
