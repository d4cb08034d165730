/** A run that is one attempt at its rows, under the name of its source. */
interface Attempt {
  readonly id: string;
  /** What attempts at one thing have in common. */
  readonly of: string;
  readonly rows: ReadonlySet<string>;
}

/** Finds, among the sources of a command, runs that look like attempts of one evaluation. */
export class LikelyAttempts {
  readonly #known: (Attempt & { readonly source: string })[] = [];

  /** What is to be said of the runs of a source; null where none of them looks like one of an earlier source. */
  note(source: string, attempts: readonly Attempt[]): string | null {
    const alike = this.#known.find((one) =>
      attempts.some(
        ({ id, of, rows }) => id !== one.id && of === one.of && [...rows].some((row) => one.rows.has(row)),
      ),
    );
    this.#known.push(...attempts.map((one) => ({ ...one, source })));
    if (alike === undefined) return null;
    const same = `has the task, the model and rows of ${alike.source}, and is an evaluation of its own`;
    return `${same}; --evaluation NAME makes attempts of one evaluation of both`;
  }
}
