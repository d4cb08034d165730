import { refusedStatement } from "../syntax/tree.ts";
import { LIMITS } from "./limits.ts";

/** A constant of the statement, or the value of a parameter. */
export type Constant = string | number | bigint | boolean | null;

/** Adds up the bytes that a statement makes for each record. */
export class Meter {
  #made = 0;

  /** Sum of the bytes so far. */
  get made(): number {
    return this.#made;
  }

  /** Adds the bytes of a value. Throws `RequestError` where the sum exceeds what a statement may make. */
  make(bytes: number, what: string, position: number | null): void {
    // Also true for NaN, which is the product of 0 and an infinite size.
    if (!(bytes < Infinity)) {
      throw refusedStatement(
        `${what} of values that are collected from any number of records`,
        "take a part of them first, such as list(x)[1:100] or left(string_agg(x, ','), 1000)",
        position,
      );
    }
    this.#made += bytes;
    if (this.#made > LIMITS.madeBytes) {
      throw refusedStatement(
        `${what}, with which the statement may make ${kib(this.#made)} KiB for each record,`,
        `the limit is ${kib(LIMITS.madeBytes)} KiB; compute less, or with shorter texts, such as left(x, 50)`,
        position,
      );
    }
  }

  /** Counts the bytes that `work` adds `count` times. */
  times<T>(count: number, what: string, position: number | null, work: () => T): T {
    const before = this.#made;
    const result = work();
    this.make((count - 1) * (this.#made - before), what, position);
    return result;
  }
}

/** Throws `RequestError` for a count above a limit. */
export function atMost(limit: number, count: number, what: string, position: number | null): void {
  if (count <= limit) return;
  const most = limit.toLocaleString("en-US");
  throw refusedStatement(`a statement with more than ${most} ${what}`, `the limit is ${most}`, position);
}

function kib(bytes: number): string {
  return Math.ceil(bytes / 1024).toLocaleString("en-US");
}
