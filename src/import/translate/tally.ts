import type { TableMapping } from "./table-mapping.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { agrees, type ImportChecks, type StatedFigure } from "../check/agreement.ts";
import type { ImportedEvaluation } from "./import-result.ts";
import type { LogEvaluation, LogTrial } from "./log-parts.ts";
import { timesOf } from "./times.ts";

/** The roles of a table's columns: as a sentence, and as a mapping. */
export interface SettledMapping {
  /** The roles as a sentence, and as flags of the command. */
  readonly text: string;
  /** The roles as options of an import. */
  readonly mapping: TableMapping;
}

/** A shorter text of V8 does not keep alive the text that it was cut from. */
const DIGEST_CHARACTERS = 12;

/** Counts what a source holds while it is read. */
export class Tally {
  toolVersion: string | null = null;
  mapping: TableMapping | null = null;
  readonly notes = new Set<string>();
  readonly #evaluations = new Map<string, Counted>();
  /** The first sample of each row, to see when two samples are one row. */
  readonly #samples = new Map<string, string>();
  readonly #merged = new Set<string>();
  readonly #trials = new Set<string>();
  readonly #overviews: ImportedEvaluation[] = [];
  readonly #differ: StatedFigure[] = [];
  readonly #unchecked: { what: string; why: string }[] = [];
  readonly #compares: boolean;
  readonly #onMapping: (settled: SettledMapping) => void;
  #agree = 0;

  /** `compares`: whether figures are compared. `onMapping` hears the roles of a table's columns before anything is stored. */
  constructor(compares: boolean, onMapping: (settled: SettledMapping) => void = () => {}) {
    this.#compares = compares;
    this.#onMapping = onMapping;
  }

  settle({ text, mapping }: SettledMapping): void {
    this.mapping = mapping;
    this.notes.add(text);
    this.#onMapping({ text, mapping });
  }

  /** `key`: its id in the log. */
  evaluation(key: string, evaluation: LogEvaluation): void {
    this.#evaluations.set(key, {
      evaluation,
      rows: new Set(),
      trials: 0,
      errors: 0,
      scorers: new Set(),
      lastEnd: evaluation.startedAt ?? 0n,
    });
  }

  /** When the last trial of an evaluation ended. */
  lastEnd(id: string): string {
    return formatTimestamp(this.#evaluations.get(id)?.lastEnd ?? 0n);
  }

  find(id: string): LogEvaluation {
    const found = this.#evaluations.get(id);
    if (found === undefined) throw new Error(`a trial of an evaluation that was not begun: ${id}`);
    return found.evaluation;
  }

  /** The id of a call of a trial, or of one more trial under the same id. */
  newTrial(id: string): string {
    let free = id;
    for (let again = 2; this.#trials.has(free); again++) free = `${id}~${again}`;
    this.#trials.add(free);
    return free;
  }

  /** Counts a trial that did not come before; true if its row is met for the first time. */
  trial(trial: LogTrial, digest: string, isAgain = false): boolean {
    const counted = this.#evaluations.get(trial.evaluation);
    const row = digest.slice(0, DIGEST_CHARACTERS);
    if (counted !== undefined) {
      counted.rows.add(row);
      if (!isAgain) counted.trials++;
      const { endedAt } = timesOf(counted.evaluation, trial);
      if (endedAt > counted.lastEnd) counted.lastEnd = endedAt;
      if (trial.error !== null && !isAgain) counted.errors++;
      for (const key of Object.keys(trial.scores)) counted.scorers.add(key);
    }
    const sample = this.#samples.get(row);
    if (sample === undefined) this.#samples.set(row, trial.sample);
    else if (sample !== trial.sample) this.#merged.add(row);
    return sample === undefined;
  }

  scorer(evaluation: string, key: string): void {
    this.#evaluations.get(evaluation)?.scorers.add(key);
  }

  figure(figure: StatedFigure, tolerance?: number): void {
    if (!this.#compares) return;
    const { evaluation_call_id: key } = figure;
    if (agrees(figure, tolerance)) this.#agree++;
    else this.#differ.push({ ...figure, evaluation_call_id: key === null ? null : this.find(key).id });
  }

  unchecked(what: string, why: string): void {
    if (this.#compares) this.#unchecked.push({ what, why });
  }

  checks(): ImportChecks {
    return { agree: this.#agree, differ: this.#differ, unchecked: this.#unchecked };
  }

  allNotes(): string[] {
    const rows = this.#merged.size;
    const merged = `${rows} ${rows === 1 ? "row is" : "rows are"} asked under more than one sample id`;
    return rows === 0 ? [...this.notes] : [...this.notes, `${merged}; such samples are trials of one row`];
  }

  /** Takes an evaluation that was counted elsewhere. */
  overview(evaluation: ImportedEvaluation): void {
    this.#overviews.push(evaluation);
  }

  imported(): ImportedEvaluation[] {
    const counted = Array.from(
      this.#evaluations.values(),
      ({ evaluation, rows, trials, errors, scorers }) => ({
        evaluation_call_id: evaluation.id,
        task: evaluation.task,
        model: evaluation.model,
        label: evaluation.label,
        started_at: evaluation.startedAt === null ? null : formatTimestamp(evaluation.startedAt),
        rows: rows.size,
        trials,
        errors,
        scorers: [...scorers],
      }),
    );
    return [...counted, ...this.#overviews];
  }
}

interface Counted {
  readonly evaluation: LogEvaluation;
  readonly rows: Set<string>;
  trials: number;
  errors: number;
  readonly scorers: Set<string>;
  /** Microseconds since 1970. */
  lastEnd: bigint;
}
