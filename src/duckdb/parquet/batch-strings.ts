import { isSet } from "../../arrow/bits.ts";
import type { ColumnValues } from "../../store/columns.ts";

/** Reads the values of a text column from `from` up to but not including `to` as strings. */
export function stringsOf(values: ColumnValues | undefined, from: number, to: number): (string | null)[] {
  const { validity, offsets, bytes } = values ?? {};
  if (offsets == null || bytes == null) throw new TypeError("a column that has no texts");
  const letters = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    if (validity != null && !isSet(validity, i)) return null;
    return letters.toString("utf8", offsets[i], offsets[i + 1]);
  });
}
