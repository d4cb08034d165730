import { NumberStore } from "./number-column.ts";
import { KIND, type PayloadColumn } from "./payload-rows.ts";

/** The values of one dimension, or of latency or tokens, one for each trial; nothing where none was set. */
export class ScoreStore {
  readonly #kinds: Uint8Array;
  /** Made for the first number: most dimensions are of true and false. */
  #numbers: NumberStore | null = null;

  constructor(trials: number, kind: number = KIND.nothing) {
    this.#kinds = new Uint8Array(trials).fill(kind);
  }

  kind(trial: number): number {
    return this.#kinds[trial] ?? KIND.nothing;
  }

  setKind(trial: number, kind: number): void {
    this.#kinds[trial] = kind;
  }

  setNumber(trial: number, value: number): void {
    this.#numbers ??= new NumberStore(this.#kinds.length);
    this.#numbers.set(trial, value);
    this.#kinds[trial] = KIND.number;
  }

  /** What each value is, and the numbers among them. */
  columns(kinds: string, numbers: string): PayloadColumn[] {
    const store = this.#numbers ?? new NumberStore(0);
    const count = this.#kinds.reduce((sum, kind) => sum + (kind === KIND.number ? 1 : 0), 0);
    return [
      { name: kinds, size: this.#kinds.length, parts: () => [this.#kinds] },
      {
        name: numbers,
        size: store.size(count),
        parts: () => [store.pack((trial) => this.kind(trial) === KIND.number)],
      },
    ];
  }
}
