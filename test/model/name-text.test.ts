import { describe, expect, it } from "vitest";
import { nameText, quotedName, withShortNames } from "../../src/model/name-text.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { checkSentence, NAMES } from "../support/marked-names.ts";

describe("a name in a sentence", () => {
  it.each(["correct", "judge.helpful", "a/b:v1 @x +1 - é漢", String.raw`a\.b`])("is bare: %s", (name) => {
    expect(nameText(name)).toBe(name);
    expect(quotedName(name)).toBe(`"${name}"`);
  });

  it.each([
    ["", '""'],
    ["a, b", '"a, b"'],
    ["a\nb\r\nc", '"a b c"'],
    ['say "x"', String.raw`"say \"x\""`],
    ["x".repeat(65), `"${"x".repeat(63)}…"`],
    [`${"x".repeat(62)}😀y`, `"${"x".repeat(62)}…"`],
  ])("%j is %s", (name, told) => {
    expect(nameText(name)).toBe(told);
  });

  it("is the same again, and no longer than 64 characters, whatever it is", () => {
    for (const name of [...NAMES, ...hostileTexts]) {
      const quoted = quotedName(name);
      expect(withShortNames(`of ${quoted}.`)).toBe(`of ${quoted}.`);
      checkSentence(nameText(name));
    }
  });
});
