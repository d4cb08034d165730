/** The value of a column of integers. Throws `RangeError` on any other. */
export function integerOf(value: unknown, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${String(value)} is no integer from ${least} to ${most}`);
}

/** The value of a column of 64-bit integers. */
export function bigintOf(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value));
}
