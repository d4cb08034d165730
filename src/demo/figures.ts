/** The source of a table of figures, and the terms under which it may be passed on. */
export interface FigureSource {
  readonly title: string;
  readonly repository: string;
  readonly commit: string;
  readonly files: string;
  /** Where the authors publish the numbers that the demo shows beside its own. */
  readonly published: string;
  readonly licence: string;
  readonly attribution: string;
}

/** One run of one model: which of the first `rows` rows it passed, one bit per row. */
export interface RunFigures {
  readonly model: string;
  readonly rows: number;
  /** Base64, in lines; the first row is the highest bit of the first byte. */
  readonly correct: string;
  /** Numbers of the rows without an answer. */
  readonly unanswered: readonly number[];
  /** Figures published by the authors, in percent. */
  readonly published: { readonly accuracy: number; readonly noAnswer: number };
}

/** Decodes the first `count` bits of a base64 text, highest bit first. */
export function decodeBits(base64: string, count: number): boolean[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: count }, (_, i) => (((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1) === 1);
}

/** Decodes each hexadecimal digit to four outcomes, the first outcome in its highest bit. */
export function decodeHexDigits(digits: string): boolean[][] {
  return Array.from(digits, (digit) => {
    const value = Number.parseInt(digit, 16);
    return [8, 4, 2, 1].map((bit) => (value & bit) !== 0);
  });
}
