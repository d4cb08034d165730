import { lengthened } from "../bytes/growing.ts";

/** Bits in Arrow's order: the lowest bit of a byte comes first. */

export function isSet(bits: Uint8Array, i: number): boolean {
  return (((bits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

function onesOf(byte: number): number {
  const pairs = byte - ((byte >> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >> 2) & 0x33);
  return (nibbles + (nibbles >> 4)) & 0x0f;
}

export function isValid(validity: Uint8Array | null, i: number): boolean {
  return validity === null || isSet(validity, i);
}

/** Gathers validity bits from several columns. */
export class ValidityBits {
  #bits: Uint8Array<ArrayBuffer> | null = null;
  length = 0;
  nulls = 0;

  /**
   * Appends the bits of the values from `from` up to but not including `from + count`; null means that all are valid.
   */
  append(source: Uint8Array | null, from: number, count: number): void {
    if (source === null && this.#bits === null) {
      this.length += count;
      return;
    }
    const bits = this.#room(count);
    let at = this.length;
    let i = from;
    const end = from + count;
    if (source !== null && (at & 7) === 0 && (i & 7) === 0) {
      const whole = count >> 3;
      for (let k = 0; k < whole; k++) {
        const byte = source[(i >> 3) + k] ?? 0;
        bits[(at >> 3) + k] = byte;
        this.nulls += 8 - onesOf(byte);
      }
      at += whole * 8;
      i += whole * 8;
    }
    for (; i < end; i++, at++) {
      const valid = isValid(source, i);
      if (!valid) this.nulls++;
      const mask = 1 << (at & 7);
      bits[at >> 3] = valid ? (bits[at >> 3] ?? 0) | mask : (bits[at >> 3] ?? 0) & ~mask;
    }
    this.length += count;
  }

  /** Returns the gathered bits, and zeros up to the end of their last byte; later bits are gathered anew. */
  take(): { length: number; nulls: number; validity: Uint8Array<ArrayBuffer> | null } {
    const { length, nulls } = this;
    const validity = nulls === 0 ? null : (this.#bits?.subarray(0, (length + 7) >> 3) ?? null);
    const last = validity?.at(-1) ?? 0;
    if ((length & 7) !== 0) validity?.fill(last & ((1 << (length & 7)) - 1), -1);
    this.#bits = null;
    this.length = 0;
    this.nulls = 0;
    return { length, nulls, validity };
  }

  /** Bits are allocated when the first null may come; the values before it get ones. */
  #room(count: number): Uint8Array<ArrayBuffer> {
    const wanted = (this.length + count + 7) >> 3;
    if (this.#bits === null) {
      this.#bits = new Uint8Array(Math.max(wanted, 256)).fill(255, 0, (this.length + 7) >> 3);
    } else if (wanted > this.#bits.length) {
      this.#bits = lengthened(this.#bits, wanted);
    }
    return this.#bits;
  }
}
