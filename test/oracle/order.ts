// UTF-8 bytes order text by code point; JavaScript's < orders by code unit.
export function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/;

export function microseconds(timestamp: string): bigint {
  const parts = TIMESTAMP.exec(timestamp);
  if (parts === null) throw new RangeError(`not a timestamp with offset: ${timestamp}`);
  const [, day = "", time = "", fraction = "", offset = ""] = parts;
  return BigInt(Date.parse(`${day}T${time}${offset}`)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

export function byStart(
  left: { readonly started_at: string; readonly id: string },
  right: { readonly started_at: string; readonly id: string },
): number {
  const gap = microseconds(left.started_at) - microseconds(right.started_at);
  return gap === 0n ? byCodePoint(left.id, right.id) : Number(gap);
}
