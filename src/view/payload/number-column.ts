/** Scales by which numbers become integers: 1, a tenth, … a millionth. */
const SCALES = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const HEAD = 8;
const DOUBLE = 0;

/**
 * Numbers of known places, kept as integers of a common scale as long as that loses nothing, else as doubles: so they take
 * as much memory as they take bytes in the block. No number may be infinite or NaN.
 */
export class NumberStore {
  #scale = 0;
  #values: Int32Array | Float64Array;

  constructor(count: number) {
    this.#values = new Int32Array(count);
  }

  set(place: number, value: number): void {
    while (this.#values instanceof Int32Array && !isWhole(value, this.#factor)) this.#widen();
    this.#values[place] = this.#values instanceof Int32Array ? Math.round(value * this.#factor) : value;
  }

  get #factor(): number {
    return SCALES[this.#scale] ?? 1;
  }

  /** Goes on to the next scale that all numbers have, else to doubles. */
  #widen(): void {
    const [values, factor] = [this.#values, this.#factor];
    this.#scale++;
    const next = SCALES[this.#scale];
    if (next !== undefined && values.every((value) => Math.abs(value) < 2 ** 31 / 10))
      for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) * 10;
    else this.#values = Float64Array.from(values, (value) => value / factor);
  }

  /** Bytes of `count` of the numbers. */
  size(count = this.#values.length): number {
    return HEAD + count * this.#values.BYTES_PER_ELEMENT;
  }

  /** The numbers of some places as bytes: the scale, or 0 for doubles, then all first bytes before all second bytes. */
  pack(isThere: (place: number) => boolean = () => true): Uint8Array {
    const values = this.#values.filter((_, place) => isThere(place));
    const width = values.BYTES_PER_ELEMENT;
    const packed = new Uint8Array(HEAD + values.length * width);
    new DataView(packed.buffer).setFloat64(0, width === 8 ? DOUBLE : this.#factor, true);
    const one = new DataView(new ArrayBuffer(8));
    for (let i = 0; i < values.length; i++) {
      if (width === 8) one.setFloat64(0, values[i] ?? 0, true);
      else one.setInt32(0, values[i] ?? 0, true);
      for (let byte = 0; byte < width; byte++) packed[HEAD + byte * values.length + i] = one.getUint8(byte);
    }
    return packed;
  }
}

/** Bytes of as many integers of at most 31 bits. */
export function packedSize(count: number): number {
  return HEAD + 4 * count;
}

/** The bytes of {@link NumberStore} for a list of numbers. */
export function packNumbers(values: ArrayLike<number>): Uint8Array {
  const store = new NumberStore(values.length);
  for (let i = 0; i < values.length; i++) store.set(i, values[i] ?? 0);
  return store.pack();
}

function isWhole(value: number, scale: number): boolean {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < 2 ** 31 && scaled / scale === value;
}

/** One of the numbers of {@link NumberStore}, by its place among them. */
export function numberAt(packed: Uint8Array, place: number): number {
  const { scale, width, count } = headOf(packed);
  const one = new DataView(new ArrayBuffer(width));
  for (let byte = 0; byte < width; byte++) one.setUint8(byte, packed[HEAD + byte * count + place] ?? 0);
  return scale === DOUBLE ? one.getFloat64(0, true) : one.getInt32(0, true) / scale;
}

function headOf(packed: Uint8Array) {
  const scale = new DataView(packed.buffer, packed.byteOffset).getFloat64(0, true);
  const width = scale === DOUBLE ? 8 : 4;
  return { scale, width, count: (packed.length - HEAD) / width };
}

/** The numbers of {@link NumberStore}. */
export function unpackNumbers(packed: Uint8Array): Float64Array {
  const { scale, width, count } = headOf(packed);
  const bytes = new Uint8Array(count * width);
  for (let byte = 0; byte < width; byte++) {
    const plane = HEAD + byte * count;
    for (let i = 0; i < count; i++) bytes[i * width + byte] = packed[plane + i] ?? 0;
  }
  if (scale === DOUBLE) return new Float64Array(bytes.buffer);
  const whole = new Int32Array(bytes.buffer);
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) numbers[i] = (whole[i] ?? 0) / scale;
  return numbers;
}
