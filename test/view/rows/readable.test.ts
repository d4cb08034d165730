import { describe, expect, it } from "vitest";
import { inputLine } from "../../../src/view/rows/input-line.ts";
import { readable } from "../../../src/view/rows/readable.ts";

describe("a text that is cut", () => {
  it.each([1, 399, 400, 401, 1600])(
    "keeps whole characters, wherever it is cut: %i before them",
    (before) => {
      const text = "x".repeat(before) + "😀".repeat(1000);
      expect(inputLine(text).isWellFormed()).toBe(true);
      expect(readable({ [text]: 1 }).text.isWellFormed()).toBe(true);
    },
  );
});

describe("a value as people read it", () => {
  it("is a text itself", () => {
    expect(readable("two\nlines")).toEqual({ text: "two\nlines", stored: null });
  });

  it("is names and values of an object, with real line breaks", () => {
    expect(
      readable({ id: "r1", question: "How\nmany?", answer: 9360, tags: ["a", "b"], none: null, empty: {} }),
    ).toEqual({
      text: "id: r1\nquestion:\nHow\nmany?\n\nanswer: 9360\ntags:\n  1: a\n  2: b\nnone: null\nempty: {}",
      stored: '{"id":"r1","question":"How\\nmany?","answer":9360,"tags":["a","b"],"none":null,"empty":{}}',
    });
  });

  it("is names and values also of a text that is JSON, with every digit", () => {
    expect(readable('{"n":12345678901234567890}').text).toBe("n: 12345678901234567890");
    expect(readable("{not json}")).toEqual({ text: "{not json}", stored: null });
  });

  it("ends after forty members, and shows deep values as JSON", () => {
    const wide = readable(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, i]))).text;
    expect(wide.split("\n")).toHaveLength(41);
    expect(wide.endsWith("… and 60 more members")).toBe(true);
    let deep: object = { end: 1 };
    for (let i = 0; i < 50; i++) deep = { in: deep };
    expect(readable(JSON.parse(JSON.stringify(deep)) as { [key: string]: string }).text).toContain(
      '{"in":{"in"',
    );
  });

  it("has short names", () => {
    expect(readable({ ["k".repeat(1_000_000)]: 1 }).text).toHaveLength(304);
  });
});

describe("the line of an input", () => {
  it.each([
    [{ id: 1, prompt: "Say\n hi", text: "other" }, "Say hi"],
    [{ question: 3, query: "why" }, "why"],
    [{ id: 1 }, '{"id":1}'],
    ["plain  text", "plain text"],
    [null, "null"],
    [{ question: "x".repeat(1000) }, `${"x".repeat(400)}…`],
  ])("of %j is one text", (input, line) => {
    expect(inputLine(input)).toBe(line);
  });
});
