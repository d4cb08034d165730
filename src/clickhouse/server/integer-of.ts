/** An integer of 64 bits as the client gives it: its digits. */
export function integerOf(value: unknown): bigint {
  if (typeof value !== "string") throw new TypeError("ClickHouse gave no digits for an integer");
  return BigInt(value);
}
