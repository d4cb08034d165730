import type { Json } from "../../../src/model/json.ts";
import { describe, expect, it } from "vitest";
import { inputLine } from "../../../src/view/rows/input-line.ts";
import { readable, readableOutputs, shortNumber } from "../../../src/view/rows/readable.ts";

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

const texts = (...outputs: Json[]) => readableOutputs(outputs).map((one) => one?.text);

describe("numbers that people read", () => {
  it.each([
    [0.123456, "0.1235"],
    [-0.00012345, "-0.0001234"],
    [1.23456e-9, "1.235e-9"],
    [12.3456, "12.35"],
    [12345.678, "12346"],
    [123456, "123456"],
    [0.5, "0.5"],
  ])("have four significant digits, and no fewer than their whole part: %f", (value, text) => {
    expect(shortNumber(value)).toBe(text);
  });

  it("have all digits as stored, and where nothing else tells two outputs apart", () => {
    expect(readable({ p: 0.123456 })).toEqual({ text: "p: 0.1235", stored: '{"p":0.123456}' });
    expect(texts({ p: 0.123456 }, { p: 0.2 })).toEqual(["p: 0.1235", "p: 0.2"]);
    expect(texts({ p: 0.123456 }, { p: 0.123457 })).toEqual(["p: 0.123456", "p: 0.123457"]);
  });

  it("are those of a chat's last text alone", () => {
    const chat = [{ role: "assistant", content: "It is\r\n0.123456." }];
    expect(readableOutputs([chat, undefined])).toMatchObject([
      { text: "It is\n0.123456.", stored: JSON.stringify(chat), chat: { messages: 1 } },
      null,
    ]);
  });
});

const said = (content: string) => ({ role: "assistant", content });

describe("the start of an output", () => {
  it.each([
    [[said("one"), said("tw")], 2],
    [[said("one"), { role: "user" }], 1],
    [[said("one"), {}], 1],
    [{ messages: [said("one"), said("two"), { role: "us" }] }, 2],
  ])("is a chat of the messages that are there: %j", (output, messages) => {
    expect(readableOutputs([output], [true])[0]?.chat?.messages).toBe(messages);
  });

  it.each([[[{ role: "user" }]], [["a", "b"]], ["text"], [{}], [null]])("is no chat: %j", (output) => {
    expect(readableOutputs([output], [true])[0]?.chat).toBeUndefined();
  });
});
