/** A byte array that grows at its end. After `take`, the next bytes get room for about as many again. */
export class GrowingBytes {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
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
    // One of its own, since what is taken may move to another thread.
    this.bytes = new Uint8Array(0);
    this.length = 0;
    return taken;
  }
}

function uninitialized(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length);
}

type Numbers =
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>;

/**
 * A copy of a typed array with room for at least `least` values, at least twice as many as before; new ones are `fill`.
 */
export function lengthened<A extends Numbers>(values: A, least = 0, fill = 0): A {
  const length = Math.max(least, values.length * 2);
  const larger = new (values.constructor as new (length: number) => A)(length);
  if (fill !== 0) (larger as Int32Array).fill(fill, values.length);
  (larger as Uint8Array).set(values as Uint8Array);
  return larger;
}
