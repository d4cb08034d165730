/** Bits in Arrow's order: the lowest bit of a byte comes first. */

export function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
}

export function isSet(bits: Uint8Array, i: number): boolean {
  return (((bits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

function countOnes(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) count += onesOf(byte);
  return count;
}

/** Validity bits; null where every value is present. */
export function validityOfPresent(
  present: Uint8Array<ArrayBuffer>,
  length: number,
): { readonly nulls: number; readonly validity: Uint8Array<ArrayBuffer> | null } {
  const nulls = length - countOnes(present);
  return { nulls, validity: nulls === 0 ? null : present };
}

export function onesOf(byte: number): number {
  const pairs = byte - ((byte >> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
  return (nibbles + (nibbles >> 4)) & 0x0f;
}
