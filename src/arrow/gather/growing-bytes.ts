const NOTHING = new Uint8Array(0);

/** A byte array that grows at its end. After `take`, the next bytes get room for about as many again. */
export class GrowingBytes {
  bytes: Uint8Array<ArrayBuffer> = NOTHING;
  length = 0;
  #expected: number;

  constructor(expected: number) {
    this.#expected = expected;
  }

  /** Makes room for `count` more bytes of any content and adds them to the length; returns where they begin. */
  extend(count: number): number {
    const from = this.length;
    const wanted = from + count;
    if (wanted > this.bytes.length) {
      const grown = uninitialized(Math.max(wanted, this.bytes.length * 2, this.#expected));
      grown.set(this.bytes.subarray(0, from));
      this.bytes = grown;
    }
    this.length = wanted;
    return from;
  }

  append(source: Uint8Array): void {
    const at = this.extend(source.length);
    this.bytes.set(source, at);
  }

  /** Returns the bytes so far, copied to memory of their own where much room is left over; later bytes begin anew. */
  take(): Uint8Array<ArrayBuffer> {
    const used = this.bytes.subarray(0, this.length);
    const taken = this.length * 2 < this.bytes.length ? used.slice() : used;
    this.#expected = Math.ceil(this.length * 1.125);
    this.bytes = NOTHING;
    this.length = 0;
    return taken;
  }
}

function uninitialized(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length);
}
