import { describe, expect, it } from "vitest";
import { fileFault, jsonFault } from "../../src/model/messages.ts";
import { didYouMean, nearestWords } from "../../src/model/nearest.ts";

describe("the nearest words", () => {
  it.each([
    ["corect", ["correct", "length", "collect"], ["correct", "collect"]],
    ["trails", ["trials", "trains", "scores"], ["trials", "trains"]],
    ["oninvalid", ["onInvalid"], ["onInvalid"]],
    ["file", ["path", "threads"], []],
    ["x", ["y"], []],
    ["", ["a", "ab"], []],
    ["a".repeat(500), ["a".repeat(501)], []],
  ])("of %j among %j are %j", (unknown, words, near) => {
    expect(nearestWords(unknown, words)).toEqual(near);
  });

  it("are as many as asked for, nearest first, and those of one distance in their order", () => {
    expect(nearestWords("abcdef", ["abcdxx", "abcdxf", "abcxef", "abcdef"], 3)).toEqual([
      "abcdef",
      "abcdxf",
      "abcxef",
    ]);
  });

  it("end a message as a question, where there is one", () => {
    expect(didYouMean("limt", ["offset", "limit"])).toBe('; did you mean "limit"?');
    expect(didYouMean("limt", ["offset"])).toBe("");
  });
});

describe("where a text stops being JSON", () => {
  it.each([
    ['{"a": 1,, }', ": line 1, column 9"],
    ['{\n  "limit": 3,\n  "offset" 4\n}', ": line 3, column 12"],
    ['{"a": ', ": it ends too early"],
    ['{"a', ": it ends too early"],
    ["{", ": it ends too early"],
    ['{"a": 1,\n "b": NaN}', ": line 2, column 7"],
    ["\ufeff{}", ": line 1, column 1"],
    ["x", ": line 1, column 1"],
    [`[${"1,".repeat(1000)}tru]`, ": line 1, column 2005"],
    [" \n", ": it is empty"],
  ])("%j", (text, place) => {
    let fault: unknown;
    try {
      JSON.parse(text);
    } catch (error) {
      fault = error;
    }
    expect(jsonFault(text, fault)).toBe(place);
  });
});

it("a fault of the operating system is told in words; any other keeps its message", () => {
  expect(fileFault(Object.assign(new Error("ENOENT: …"), { code: "ENOENT" }))).toBe("no such file");
  expect(fileFault(new Error("something else"))).toBe("something else");
});
