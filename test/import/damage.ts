/** So many damaged forms of some bytes: cut off, or with one bit changed, at places that are spread over all of them. */
export function* damaged(bytes: Buffer, count: number, kind: "cut" | "flip"): Generator<Buffer> {
  for (let i = 0; i < count; i++) {
    const at = Math.floor(((i + 0.5) * (bytes.length - 2)) / count);
    if (kind === "cut") yield bytes.subarray(0, at);
    else {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (i % 8));
      yield changed;
    }
  }
}
