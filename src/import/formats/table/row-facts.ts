import { createHash } from "node:crypto";

/**
 * Which columns are the same in all records of a row. Holds a number of 32 bits for each row and column, so that a table of a million
 * rows fits into memory.
 */
export class RowFacts {
  readonly #rows = new Map<string, number>();
  readonly #columns: readonly string[];
  readonly #varies: boolean[];
  #hashes = new Uint32Array(1024);

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#varies = columns.map(() => false);
  }

  add(row: string, cells: readonly string[]): void {
    const width = this.#varies.length;
    const known = this.#rows.get(row);
    if (known === undefined) {
      const at = this.#rows.size * width;
      this.#rows.set(row, this.#rows.size);
      this.#grow(at + width);
      for (const [i, cell] of cells.entries()) this.#hashes[at + i] = hashOf(cell);
      return;
    }
    for (const [i, cell] of cells.entries())
      if (this.#varies[i] === false && this.#hashes[known * width + i] !== hashOf(cell))
        this.#varies[i] = true;
  }

  isConstant(column: string): boolean {
    return this.#varies[this.#columns.indexOf(column)] === false;
  }

  #grow(length: number): void {
    if (length <= this.#hashes.length) return;
    const larger = new Uint32Array(Math.max(length, this.#hashes.length * 2));
    larger.set(this.#hashes);
    this.#hashes = larger;
  }
}

function hashOf(text: string): number {
  if (text.length > 64) return createHash("md5").update(text).digest().readUInt32LE(0);
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}
