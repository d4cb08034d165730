/** Counts where rows of a source and stored rows differ. */
export class RowNotes {
  /** Rows that take new values. */
  replaced = 0;
  /** Stored rows that the source has as records. */
  rows = 0;
  /** Whether the trials of such rows do not keep what these lack. */
  leavesOut = false;
  readonly #lacking = new Map<string, number>();
  readonly #differing = new Map<string, { count: number; readonly example: string }>();
  readonly #repeated = new Map<string, Set<string>>();
  #split: { readonly samples: Set<string>; readonly example: string; readonly by: string } | null = null;

  /** A stored row has no such member. */
  lacking(name: string): void {
    this.#lacking.set(name, (this.#lacking.get(name) ?? 0) + 1);
  }

  /** A stored row says something else. */
  differing(name: string, sample: string, here: string, there: string): void {
    const found = this.#differing.get(name) ?? {
      count: 0,
      example: `row ${sample} has ${both(here, there)}`,
    };
    found.count++;
    this.#differing.set(name, found);
  }

  /** Records of one row in the source differ. */
  repeated(name: string, digest: string): void {
    this.#repeated.set(name, (this.#repeated.get(name) ?? new Set()).add(digest));
  }

  /** An id is that of another question. */
  split(sample: string, by: string, here: string, there: string): void {
    this.#split ??= { samples: new Set(), example: `row ${sample} asks ${both(here, there)}`, by };
    this.#split.samples.add(sample);
  }

  /** The notes on a source with so many rows. */
  *all(rows: number): Generator<string> {
    if (this.#split !== null) {
      const { samples, example, by } = this.#split;
      const ids =
        samples.size === 1
          ? "1 id is that of two questions, which are"
          : `${samples.size} ids are those of two questions, which are`;
      yield `${ids} two rows: ${example}; --row-column ${by} says that the id alone counts`;
    }
    for (const [name, { count, example }] of this.#differing)
      yield `${name}: ${count} of ${rows} rows keep what is stored: ${example}`;
    for (const [name, count] of this.#lacking)
      yield `${name}: ${count} rows are stored without it; it ${this.leavesOut ? "is left out" : "stays with the trials"}`;
    for (const [name, found] of this.#repeated)
      yield `${name}: differs between records of ${found.size} rows; the first counts, and what others have stays with their trials`;
    if (this.replaced > 0) yield `${this.replaced} rows that no other evaluation has take their new values`;
  }
}

const SHOWN = 40;

function both(here: string, there: string): string {
  return `${shown(here)} here and ${shown(there)} there`;
}

function shown(text: string): string {
  return JSON.stringify(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
}
