import type { RecordBatch } from "apache-arrow";
import type { ColumnsHead } from "../../engine/table/columns.ts";
import { BOOLEAN, NULL } from "../../model/score-kind.ts";
import { packedSize, packNumbers } from "../payload/number-column.ts";
import { KIND, type PayloadColumn } from "../payload/payload-rows.ts";
import { ScoreStore } from "../payload/score-column.ts";
import { TextStore } from "../payload/text-store.ts";
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

/** The texts of one trial as members of an object, by their place among those wanted. */
interface Said {
  readonly trial: number;
  readonly members: string[];
}

/** The values of all trials of a report, in columns. Trials are counted in the order row, evaluation, trial. */
export class ReportValues {
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`. */
  readonly #starts: Uint32Array;
  readonly #wanted: Wanted;
  /** The place of each evaluation of the result on the page. */
  readonly #evaluations: readonly number[];
  readonly #scores: readonly ScoreStore[];
  readonly #latency: ScoreStore;
  readonly #tokens: ScoreStore;
  readonly #errors: TextStore;
  readonly #texts: TextStore;
  readonly #scoresAt: Places;
  readonly #scoresBelow: Places;
  readonly #textsAt: Places;
  /** Trials seen, and cells whose start is known. */
  #trials = 0;
  #started = 0;
  /** The texts of a trial until those of the next one come. */
  #said: Said | null = null;

  constructor(head: ColumnsHead, wanted: Wanted) {
    const trials = head.trial_count;
    this.#wanted = wanted;
    this.#starts = new Uint32Array(head.row_count * wanted.evaluations.length + 1);
    this.#evaluations = head.evaluation_call_ids.map((id) => wanted.evaluations.indexOf(id));
    this.#scores = wanted.scores.map(() => new ScoreStore(trials));
    this.#latency = new ScoreStore(trials, KIND.null);
    this.#tokens = new ScoreStore(trials, KIND.null);
    this.#errors = new TextStore(trials);
    this.#texts = new TextStore(trials);
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
      const [seconds, used, error] = [latency(record), tokens(record), errors(record)];
      if (seconds !== null) this.#latency.setNumber(trial, seconds);
      if (used !== null) this.#tokens.setNumber(trial, used);
      if (error !== null) this.#errors.add(trial, error);
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
      if (kinds[record] === NULL) this.#addNull(trial, dimension);
      else
        for (const place of this.#scoresAt.get(dimension) ?? [])
          addValue(this.#scores[place], trial, kinds[record] === BOOLEAN, numbers(record) ?? 0);
    }
  }

  #addNull(trial: number, dimension: number): void {
    for (const place of this.#scoresBelow.get(dimension) ?? []) {
      const store = this.#scores[place];
      if (store?.kind(trial) === KIND.nothing) store.setKind(trial, KIND.null);
    }
  }

  /** Takes all texts, in the order of their trials. */
  addTexts(batch: RecordBatch): void {
    const places = trialPlaces(batch);
    const dimensions = integers(batch, "dimension");
    const values = texts(batch, "text");
    for (let record = 0; record < batch.numRows; record++) {
      const text = values(record);
      const trial = this.#trial(places, record);
      for (const place of text === null ? [] : (this.#textsAt.get(dimensions[record] ?? 0) ?? [])) {
        if (this.#said?.trial !== trial) this.#keepSaid({ trial, members: [] });
        const name = JSON.stringify(this.#wanted.texts[place]?.name);
        if (this.#said !== null)
          this.#said.members[place] = `${name}:${JSON.stringify(DECODER.decode(text ?? undefined))}`;
      }
    }
  }

  /** Writes the texts of the trial before as an object. */
  #keepSaid(next: Said | null): void {
    if (this.#said !== null)
      this.#texts.add(this.#said.trial, `{${this.#said.members.filter(() => true).join(",")}}`);
    this.#said = next;
  }

  /** The columns of the block, but for rows and outputs, when everything was added. */
  columns(): PayloadColumn[] {
    this.#keepSaid(null);
    this.#startUpTo(this.#starts.length - 1, this.#trials);
    const starts = this.#starts;
    return [
      {
        name: "counts",
        size: packedSize(starts.length - 1),
        parts: () => [packNumbers(starts.subarray(1).map((end, cell) => end - (starts[cell] ?? 0)))],
      },
      ...this.#scores.flatMap((store, place) => store.columns(`kinds ${place}`, `numbers ${place}`)),
      ...this.#latency.columns("latency known", "latency"),
      ...this.#tokens.columns("tokens known", "tokens"),
      this.#errors.column("errors"),
      this.#texts.column("texts"),
    ];
  }

  /** The first trial of a row. */
  firstTrial(row: number): number {
    return this.#starts[row * this.#wanted.evaluations.length] ?? this.#trials;
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

function addValue(store: ScoreStore | undefined, trial: number, isBoolean: boolean, value: number): void {
  if (isBoolean) store?.setKind(trial, value === 1 ? KIND.yes : KIND.no);
  else store?.setNumber(trial, value);
}
