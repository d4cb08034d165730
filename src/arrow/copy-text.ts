/** Up to so many bytes are copied eight at a time: a call costs more. */
const FEW = 512;

/** Memory as bytes and as a view of them. */
export interface Memory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export function memoryOf(bytes: Uint8Array): Memory {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/** Copies UTF-8: eight bytes of it never are those of a NaN, whose bits might not be kept. */
export function copyText(source: Memory, from: number, target: Memory, to: number, length: number): void {
  if (length > FEW) {
    target.bytes.set(source.bytes.subarray(from, from + length), to);
    return;
  }
  const { view } = source;
  const { view: targetView } = target;
  if (length < 8) {
    for (let i = 0; i < length; i++) targetView.setUint8(to + i, view.getUint8(from + i));
    return;
  }
  // The last eight bytes may overlap those before.
  const last = from + length - 8;
  for (let i = from, at = to; i < last; i += 8, at += 8) {
    targetView.setFloat64(at, view.getFloat64(i, true), true);
  }
  targetView.setFloat64(to + length - 8, view.getFloat64(last, true), true);
}
