import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";

/** A trial of a row. */
interface NamedTrial {
  readonly name: string;
  readonly index: number;
}

/** An evaluation of a table, and what was given out of it. */
interface BegunEvaluation {
  readonly evaluation: string;
  readonly task: string;
  trials: number;
  errors: number;
}

/** What was given out so far: evaluations, and trials by row. */
export class BegunTrials {
  readonly evaluations = new Map<string, BegunEvaluation>();
  readonly #byNames = new Map<string, LogEvaluation>();
  readonly #counts = new Map<string, number>();
  readonly #first = new Set<string>();
  /** What each row asked first; of tables in which one id has two questions. */
  readonly #questions = new Map<string, string>();
  trials = 0;
  repeats = 0;

  /** The evaluation of these names, which is made once. */
  evaluation(names: string, make: () => LogEvaluation): LogEvaluation {
    const known = this.#byNames.get(names);
    if (known !== undefined) return known;
    const made = make();
    const { id, task } = made;
    this.#byNames.set(names, made);
    this.evaluations.set(id, { evaluation: id, task, trials: 0, errors: 0 });
    return made;
  }

  count({ evaluation, error }: LogTrial): void {
    const begun = this.evaluations.get(evaluation.id);
    if (begun === undefined) return;
    begun.trials++;
    if (error != null) begun.errors++;
  }

  /** What tells a row with a question apart from another one under the same id; without a question it is the first. */
  rowOf(row: string, question: string): string {
    const first = this.#questions.get(row) ?? "";
    if (first === "" && question !== "") this.#questions.set(row, question);
    return first === "" || question === "" || question === first ? row : JSON.stringify([row, question]);
  }

  /** The name of a trial: its own, or how often its row was there before. */
  trial(evaluation: string, row: string, own: string): NamedTrial {
    this.trials++;
    const key = `${evaluation}\0${row}\0${own}`;
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    if (before > 0) this.repeats++;
    if (own === "") return { name: String(before), index: before };
    const number = Number(own);
    const index = Number.isSafeInteger(number) && number >= 0 ? number : 0;
    return { name: before > 0 ? `${own}~${before + 1}` : own, index };
  }

  isFirst(evaluation: string, row: string, trial: string): boolean {
    const key = `${evaluation}\0${row}\0${trial}`;
    const isNew = !this.#first.has(key);
    this.#first.add(key);
    return isNew;
  }

  *notes(): Generator<LogItem> {
    if (this.repeats > 0)
      yield {
        kind: "note",
        text: `${this.repeats} records repeat a row of their evaluation, or a trial of it; their order tells which trial is which`,
      };
  }
}
