/** Bits as Arrow has them: the lowest of a byte first. */

export function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
}

export function isSet(bits: Uint8Array, i: number): boolean {
  return (((bits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

export function countOnes(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  return count;
}
