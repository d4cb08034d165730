import fc from "fast-check";

const SURROGATES = { from: 0xd800, to: 0xe000 };
const COUNT = SURROGATES.to - SURROGATES.from;

/** Any character of Unicode. It draws what the unit `binary` does, which first makes a table of all of them: a second in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - COUNT })
  .map((at) => String.fromCodePoint(at < SURROGATES.from ? at : at + COUNT), indexOf);

function indexOf(text: unknown): number {
  const point = typeof text === "string" ? (text.codePointAt(0) ?? -1) : -1;
  const known = point >= 0 && text === String.fromCodePoint(point);
  if (!known || (point >= SURROGATES.from && point < SURROGATES.to)) throw new Error("no single character");
  return point < SURROGATES.from ? point : point - COUNT;
}
