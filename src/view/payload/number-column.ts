/** Scales by which numbers become integers: 1, a tenth, … a millionth. */
const SCALES = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const HEAD = 8;
const DOUBLE = 0;

/**
 * Numbers as bytes: the scale, or 0 for doubles, then the values, all first bytes before all second bytes.
 * No value may be infinite or NaN.
 */
export function packNumbers(values: readonly number[]): Uint8Array {
  const scale = SCALES.find((one) => values.every((value) => isWhole(value, one))) ?? DOUBLE;
  const width = scale === DOUBLE ? 8 : 4;
  const packed = new Uint8Array(HEAD + values.length * width);
  new DataView(packed.buffer).setFloat64(0, scale, true);
  const one = new DataView(new ArrayBuffer(8));
  values.forEach((value, i) => {
    if (scale === DOUBLE) one.setFloat64(0, value, true);
    else one.setInt32(0, Math.round(value * scale), true);
    for (let byte = 0; byte < width; byte++) packed[HEAD + byte * values.length + i] = one.getUint8(byte);
  });
  return packed;
}

function isWhole(value: number, scale: number): boolean {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < 2 ** 31 && scaled / scale === value;
}

/** The numbers of {@link packNumbers}. */
export function unpackNumbers(packed: Uint8Array): Float64Array {
  const scale = new DataView(packed.buffer, packed.byteOffset).getFloat64(0, true);
  const width = scale === DOUBLE ? 8 : 4;
  const count = (packed.length - HEAD) / width;
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
