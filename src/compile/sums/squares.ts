import { sql, type Sql } from "../../store/sql.ts";
import { column, together, type ResultColumn } from "../../store/query.ts";
import { highBits, lowBits } from "../relations/spelled.ts";

/** The products that make up the square of an integer x = high · 2^bits + low. */
interface Products<T> {
  readonly hh: T;
  readonly hl: T;
  readonly ll: T;
}

/** The products of `x`, with `bits` bits in the lower part. */
export function productsOf(x: Sql, bits: number): Products<Sql> {
  const high = sql`(${highBits(x, bits)})`;
  const low = lowBits(x, bits);
  return { hh: sql`${high} * ${high}`, hl: sql`${high} * ${low}`, ll: sql`${low} * ${low}` };
}

/** Reads Σx² from the sums of the products. */
export function sumOfSquares({ hh, hl, ll }: Products<Sql>, bits: number): ResultColumn<bigint> {
  const sums = { hh: column.bigint(hh), hl: column.bigint(hl), ll: column.bigint(ll) };
  const { value, width, read } = together<Products<bigint>>(sums);
  return {
    value,
    width,
    read: (record, at, member) => {
      const found = read(record, at, member);
      return (found.hh << BigInt(2 * bits)) + (found.hl << BigInt(bits + 1)) + found.ll;
    },
  };
}
