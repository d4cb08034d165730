import { fieldText } from "../../model/field-path.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { nameText } from "../../model/name-text.ts";
import type { TableMapping } from "./table-mapping.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { agrees, type ImportChecks, type StatedFigure } from "../check/agreement.ts";
import type { ImportedEvaluation } from "./import-result.ts";
import type { LogEvaluation, LogScore, LogTrial, StartedEvaluation } from "./log-parts.ts";
import { timesOf } from "./times.ts";

/** The roles of a table's columns: as a sentence, and as a mapping. */
export interface SettledMapping {
  /** The roles as a sentence, and as flags of the command. */
  readonly text: string;
  /** The roles as options of an import. */
  readonly mapping: TableMapping;
}

const NO_TIME = "the log has no time of the run; that of its file counts, else that of the import";

/** A shorter text of V8 does not keep alive the text that it was cut from. */
const DIGEST_CHARACTERS = 12;

/** Counts what a source holds while it is read. */
export class Tally {
  toolVersion: string | null = null;
  mapping: TableMapping | null = null;
  /** Records that are calls or rows already. */
  written = 0;
  readonly notes = new Set<string>();
  /** Why the source is only a part; null for a whole one. */
  partOf: string | null = null;
  readonly #evaluations = new Map<string, Counted>();
  /** The first sample of each row, to see when two samples are one row. */
  readonly #samples = new Map<string, string>();
  readonly #merged = new Set<string>();
  readonly #trials = new Set<string>();
  readonly #overviews: ImportedEvaluation[] = [];
  readonly #differ: StatedFigure[] = [];
  readonly #unchecked: { what: string; why: string }[] = [];
  readonly #name: string;
  readonly #compares: boolean;
  readonly #onMapping: (settled: SettledMapping) => void;
  readonly #verdicts = new Map<string, Verdicts>();
  #agree = 0;

  /**
   * `name`: of the source in messages. `compares`: whether figures are compared. `onMapping` hears the roles of a
   * table's columns before anything is stored.
   */
  constructor(name: string, compares: boolean, onMapping: (settled: SettledMapping) => void = () => {}) {
    this.#name = name;
    this.#compares = compares;
    this.#onMapping = onMapping;
  }

  settle({ text: roles, mapping }: SettledMapping): void {
    const text = `${this.#name}: ${roles}`;
    this.mapping = mapping;
    this.notes.add(text);
    this.#onMapping({ text, mapping });
  }

  /** `log`: the evaluation as the log has it. */
  evaluation(log: LogEvaluation, evaluation: StartedEvaluation): void {
    this.toolVersion ??= log.toolVersion ?? null;
    for (const note of log.notes ?? []) this.notes.add(note);
    this.#evaluations.set(log.id, {
      evaluation,
      hasStart: log.startedAt != null,
      firstStart: null,
      rows: new Set(),
      trials: 0,
      errors: 0,
      scorers: new Set(),
      lastEnd: null,
    });
  }

  /** The times of an evaluation, of its trials where the log has none of the run; no end where the run goes on. */
  times(id: string): { readonly started_at: string; readonly ended_at?: string } {
    const counted = this.#counted(id);
    const { evaluation, lastEnd } = counted;
    const start = startOfRun(counted);
    const started = { started_at: formatTimestamp(start) };
    const last = lastEnd === null || lastEnd < start ? start : lastEnd;
    const end = evaluation.endedAt ?? (evaluation.goesOn === true ? null : last);
    return end === null ? started : { ...started, ended_at: formatTimestamp(end) };
  }

  has(id: string): boolean {
    return this.#evaluations.has(id);
  }

  /** Whether no trial came, and no record that is a call or a row already. */
  get isEmpty(): boolean {
    return this.#trials.size + this.written === 0;
  }

  find(id: string): StartedEvaluation {
    return this.#counted(id).evaluation;
  }

  #counted(id: string): Counted {
    const found = this.#evaluations.get(id);
    if (found === undefined) throw new Error(`a trial of an evaluation that was not begun: ${id}`);
    return found;
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
    const counted = this.#evaluations.get(trial.evaluation.id);
    const row = digest.slice(0, DIGEST_CHARACTERS);
    if (counted !== undefined) {
      counted.rows.add(row);
      if (!isAgain) counted.trials++;
      const { endedAt } = timesOf(counted.evaluation, trial);
      if (counted.lastEnd === null || endedAt > counted.lastEnd) counted.lastEnd = endedAt;
      const { startedAt: own = null } = trial;
      if (own !== null && (counted.firstStart === null || own < counted.firstStart)) counted.firstStart = own;
      if (trial.error != null && !isAgain) counted.errors++;
      for (const key of Object.keys(trial.scores)) counted.scorers.add(key);
      if (!isAgain && trial.error == null) this.#addVerdicts([], trial.scores);
    }
    const sample = this.#samples.get(row);
    if (sample === undefined) this.#samples.set(row, trial.sample);
    else if (sample !== trial.sample) this.#merged.add(row);
    return sample === undefined;
  }

  /** Whether a trial of the row came. */
  hasRow(digest: string): boolean {
    return this.#samples.has(digest.slice(0, DIGEST_CHARACTERS));
  }

  get rowCount(): number {
    return this.#samples.size;
  }

  scorer({ evaluation, key, value }: Pick<LogScore, "evaluation" | "key" | "value">): void {
    this.#evaluations.get(evaluation.id)?.scorers.add(key);
    this.#addVerdicts([key], value);
  }

  /** Counts the numbers, truth values and nulls of the score of a trial that is not in error. */
  #addVerdicts(path: readonly string[], value: Json): void {
    if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) this.#addVerdicts([...path, name], member);
    else if (value === null || typeof value !== "object") {
      const name = fieldText(path);
      let counts = this.#verdicts.get(name);
      if (counts === undefined) this.#verdicts.set(name, (counts = { trials: 0, none: 0, measured: false }));
      counts.trials++;
      if (value === null) counts.none++;
      else if (typeof value !== "string") counts.measured = true;
    }
  }

  figure(figure: StatedFigure, tolerance?: number): void {
    if (!this.#compares) return;
    const { evaluation_call_id: key } = figure;
    if (agrees(figure, tolerance)) this.#agree++;
    else this.#differ.push({ ...figure, evaluation_call_id: key === null ? null : this.find(key).id });
  }

  part(text: string): void {
    this.notes.add(text);
    this.partOf = text;
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
    const isTimeless = [...this.#evaluations.values()].some(
      (one) => !one.hasStart && one.firstStart === null,
    );
    return [
      ...this.notes,
      ...(rows === 0 ? [] : [`${merged}; such samples are trials of one row`]),
      ...(isTimeless ? [NO_TIME] : []),
      ...[...this.#verdicts].flatMap(verdictNote),
    ];
  }

  /** Takes an evaluation that was counted elsewhere. */
  overview(evaluation: ImportedEvaluation): void {
    this.#overviews.push(evaluation);
  }

  /** The evaluations by what attempts at one thing have in common, with what stands for their rows. */
  attempts(): { readonly id: string; readonly of: string; readonly rows: ReadonlySet<string> }[] {
    return Array.from(this.#evaluations.values(), ({ evaluation, rows }) => {
      const { id, task, model, label = null } = evaluation;
      return { id, of: JSON.stringify([task, model, label]), rows };
    });
  }

  imported(): ImportedEvaluation[] {
    const counted = Array.from(this.#evaluations.values(), (one) => ({
      evaluation_call_id: one.evaluation.id,
      name: one.evaluation.name,
      task: one.evaluation.task || null,
      model: one.evaluation.model,
      label: one.evaluation.label ?? null,
      started_at: formatTimestamp(startOfRun(one)),
      rows: one.rows.size,
      trials: one.trials,
      errors: one.errors,
      scorers: [...one.scorers],
    }));
    return [...counted, ...this.#overviews];
  }
}

interface Counted {
  readonly evaluation: StartedEvaluation;
  /** Whether the log says when the run began. */
  readonly hasStart: boolean;
  /** When the first trial began whose time the log has. */
  firstStart: bigint | null;
  readonly rows: Set<string>;
  trials: number;
  errors: number;
  readonly scorers: Set<string>;
  /** When the last trial ended, in microseconds since 1970. */
  lastEnd: bigint | null;
}

/** When a run began: as the log says, else with its first trial, else as its evaluation counts; never after its end. */
function startOfRun({ evaluation, hasStart, firstStart }: Counted): bigint {
  const { startedAt, endedAt = null } = evaluation;
  if (hasStart) return startedAt;
  const start = firstStart ?? startedAt;
  return endedAt !== null && endedAt < start ? endedAt : start;
}

/** What trials that are not in error have in a score. */
interface Verdicts {
  trials: number;
  /** Trials with null. */
  none: number;
  /** Whether a value is a number, or true or false. */
  measured: boolean;
}

function verdictNote([score, { trials, none, measured }]: readonly [string, Verdicts]): string[] {
  if (none === 0 || !measured) return [];
  return [
    `${nameText(score)}: ${none} of ${trials} trials have no verdict and count nowhere; --count-nulls-as 0 counts them as failed`,
  ];
}
