const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/;

/** The finite number that a text spells, else null. */
export function readTextNumber(text: string): number | null {
  if (!NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** Binary exponents of a finite, non-zero number: of its highest and of its lowest bit set. */
export function bitRange(number: number): { readonly high: number; readonly low: number } {
  double[0] = number;
  const lower = words[0] ?? 0;
  const upper = words[1] ?? 0;
  const biased = (upper >>> 20) & 0x7ff;
  const fraction = upper & 0xfffff;
  const unit = (biased === 0 ? 1 : biased) - 1075;
  const top = biased === 0 ? fraction : fraction | 0x100000;
  const trailing = lower !== 0 ? trailingZeros(lower) : 32 + trailingZeros(top);
  const leading = top !== 0 ? 63 - Math.clz32(top) : 31 - Math.clz32(lower);
  return { high: unit + leading, low: unit + trailing };
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}
