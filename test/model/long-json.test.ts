import fc from "fast-check";
import { expect, it } from "vitest";
import { boundFault } from "../../src/model/json-bounds.ts";
import { parseAnyJson, parseJson, parseLongJson, writeJson, writeLongList } from "../../src/model/json.ts";
import { anyCharacter } from "../support/any-character.ts";

const SEED = Number(process.env["SEED"] ?? 616);

/** A text of more than a megabyte whose pieces end within escapes and pairs. */
const long = (unit: string) => unit.repeat(Math.ceil(2 ** 20 / unit.length) + 1);

it.each(["a", "\\n", '\\"', "\\\\", "é", "\\u00e9", "😀", "\\ud83d\\ude00", "\\ud83d"])(
  "long texts of %s are parsed as JSON.parse does, wherever they stand",
  async (unit) => {
    const text = `{"a":["${long(unit)}",1,{"${long("n")}":"${long(unit)}x"}],"__proto__":"${long(unit)}"}`;
    expect(JSON.stringify(await parseLongJson(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
  },
);

it("beside long texts no digit of a number is lost where none may be", async () => {
  for (const text of [
    `["${long("\\n")}",12345678901234567890,1.5,-0]`,
    `["${"a".repeat(9)}",12345678901234567890]`,
  ])
    expect(await parseAnyJson(text)).toEqual(parseJson(text));
});

it("what JSON.parse refuses is refused", async () => {
  const refused = [
    '"',
    `"${long("a")}`,
    `"${long("a")}\\x"`,
    `"${long("\n")}"`,
    `["${long("a")}"`,
    `"${long("a")}\\"`,
  ];
  for (const text of refused) await expect(parseLongJson(text)).rejects.toThrow(SyntaxError);
});

it(`a long list is written as it is at once (SEED=${SEED})`, async () => {
  const value = fc.oneof(fc.string({ unit: anyCharacter }), fc.integer(), fc.record({ id: fc.string() }));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 3 }), fc.nat(1500), async (values, times) => {
      const list = Array.from({ length: times }, () => values).flat();
      expect(await writeLongList(list)).toBe(writeJson(list));
    }),
    { seed: SEED },
  );
});

it("characters outside of texts are bounded by the values, those of texts are not", () => {
  const bounds = { depth: 10, values: 100 };
  expect(boundFault(`["${"a".repeat(10_000)}"${" ".repeat(3900)}]`, bounds)).toBeNull();
  for (const one of [" ", "a", ":", "a1"])
    expect(boundFault(`[1${one.repeat(4000)}]`, bounds)?.msg).toBe(
      "must have at most 4000 characters outside of texts, which the option limits.values (--max-values) sets",
    );
});
