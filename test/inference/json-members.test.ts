import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySplices } from "../../src/inference/request/request-edits.ts";
import { memberPlaces } from "../../src/model/member-texts.ts";

describe("the members of a JSON object", () => {
  it("are those that JSON.parse finds, each where its value lies", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(undefined, 1, "\t"),
        (object, indent) => {
          const text = ` ${JSON.stringify(object, null, indent)}\n`;
          const members = memberPlaces(text);
          const read = members.map(
            ({ name, start, end }) => [name, JSON.parse(text.slice(start, end))] as const,
          );
          expect(Object.fromEntries(read)).toEqual(JSON.parse(text));
          expect(members).toHaveLength(Object.keys(object).length);
        },
      ),
    );
  });

  it("are found behind escapes, brackets in strings and duplicates", () => {
    const text = '{"a\\"}":"]}\\\\","se\\u0065d":[{"seed":"\\""}],"seed":1 ,"seed" : 2}';
    const found = memberPlaces(text).map(({ name, start, end }) => [name, text.slice(start, end)]);
    expect(found).toEqual([
      ['a"}', '"]}\\\\"'],
      ["seed", '[{"seed":"\\""}]'],
      ["seed", "1"],
      ["seed", "2"],
    ]);
  });

  it("may nest a million levels deep", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(memberPlaces(`{"a":${deep},"b":1}`).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("of an empty object are none", () => {
    expect(memberPlaces(" { } ")).toEqual([]);
  });
});

describe("splices", () => {
  it("replace and insert without touching the rest", () => {
    const splices = [
      { start: 4, end: 4, text: "+" },
      { start: 1, end: 3, text: "X" },
    ];
    expect(applySplices("abcdef", splices)).toBe("aXd+ef");
    expect(applySplices("abc", [])).toBe("abc");
  });
});
