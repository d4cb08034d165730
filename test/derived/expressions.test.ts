import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/index.ts";
import { parseDerivedScores } from "../../src/request/derived-scores.ts";
import { leavesOf } from "../../src/model/score-expression.ts";

async function namesIn(text: string): Promise<unknown[]> {
  const [score] = await parseDerivedScores([{ name: "total", text }]);
  return score === undefined || "consensus" in score
    ? []
    : leavesOf(score.expression).map(({ path, position }) => [...path, position]);
}

async function faultIn(text: string): Promise<string> {
  const error: unknown = await parseDerivedScores([{ name: "total", text }]).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RequestError)) throw new Error(`${text} is not refused`, { cause: error });
  expect(error.path).toEqual(["derived_scores", "total"]);
  expect(error.code).toBe("unsupported_request");
  return error.issues[0]?.msg ?? "";
}

describe("score dimensions in an expression", () => {
  it.each([
    [
      "0.7 * judge.score + 0.3 * correct",
      [
        ["judge", "score", 7],
        ["correct", 27],
      ],
    ],
    [`judge["my key"].x - 1`, [["judge", "my key", "x", 1]]],
    [`  scores["my judge"].score`, [["my judge", "score", 3]]],
    [`scores['a "b" \\'c']`, [[`a "b" 'c`, 1]]],
    ["scores.scores", [["scores", 1]]],
    ["judge . score", [["judge", "score", 1]]],
    [
      "a.and + a.true + a.min",
      [
        ["a", "and", 1],
        ["a", "true", 9],
        ["a", "min", 18],
      ],
    ],
    [
      "pi * e + i + min",
      [
        ["pi", 1],
        ["e", 6],
        ["i", 10],
        ["min", 14],
      ],
    ],
    [
      "__proto__ + constructor.prototype",
      [
        ["__proto__", 1],
        ["constructor", "prototype", 13],
      ],
    ],
    [
      "(é ? a : -b) ^ 2",
      [
        ["é", 2],
        ["a", 6],
        ["b", 11],
      ],
    ],
  ])("%s", async (text, names) => {
    expect(await namesIn(text)).toEqual(names);
  });
});

describe("what a derived score cannot be is refused where it stands", () => {
  it.each([
    ["", "at character 1: an empty expression"],
    ["1 + 2", "at character 1: names no score"],
    ["1 +", "at character 4: Unexpected end of expression"],
    ["(a", "at character 3: Parenthesis ) expected"],
    ["a + + )", "at character 7: Value expected"],
    ["a = 1", `at character 1: "a" begins an assignment`],
    ["f(x) = x", `at character 1: "f" begins a function definition`],
    ["a; b", `at character 1: "a" begins several expressions`],
    ["a + [1, 2]", `at character 5: "[" begins a matrix`],
    ["a + {b: 1}", `at character 5: "{" begins an object`],
    ["a + (1:3)", `at character 6: "1" begins a range`],
    [`a == "good"`, `at character 6: "\\"good\\"" is not allowed`],
    ["a + null", `at character 5: "null" is not allowed`],
    ["a + Infinity", `at character 5: "Infinity" is not allowed`],
    ["a * 1e999", `at character 5: "1e999" is not allowed`],
    ["a * 0x10", `at character 6: "x10" is not expected here`],
    ["2 a", `at character 3: "a" needs an operator before it`],
    ["5 cm + a", `at character 3: "cm" needs an operator before it`],
    ["(a)(b)", `at character 4: "(" needs an operator before it`],
    ["a % + 1%", `at character 8: "%" makes a percentage here`],
    ["a < b < c", `at character 7: "<" cannot follow a comparison`],
    ["a xor b", `at character 3: "xor" is no operator`],
    ["a to b", `at character 3: "to" is no operator`],
    ["a & b", `at character 3: "&" is no operator`],
    ["a!", `at character 2: "!" is no operator`],
    ["a'", `at character 2: "'" is no operator`],
    ["~a", `at character 1: "~" is no operator`],
    ["a ?? b", `at character 3: "?" is no operator`],
    ["a?.b", `at character 2: "?" is not allowed`],
    ["a + sin(b)", `at character 5: "sin" is no function`],
    ["a + import({})", `at character 5: "import" is no function`],
    ["a.constructor('x')", `at character 1: "a" is no function`],
    ["log(a, 10)", `at character 1: "log" takes one argument, not 2`],
    ["min()", `at character 1: "min" takes at least one argument`],
    ["a[1]", `at character 3: "1" is no member`],
    [`a["b", "c"]`, `at character 3: "\\"b\\"" is no member`],
    ["(a).b", `at character 1: "(" is no score dimension`],
    ["true.b + a", `at character 1: "true" is no score dimension`],
    ["scores + 1", `at character 1: "scores" names no score`],
    ["a # b", `at character 3: "#" is not expected here`],
    [`${"(".repeat(51)}a${")".repeat(51)}`, "at character 1: brackets nested more than 50 deep"],
    [`${"-".repeat(200)}a`, "at character 1: operations nested more than 150 deep"],
    ["a ? ".repeat(200), "at character"],
    [`${"a + ".repeat(500)}a`, "at character 2001: longer than 1000 tokens"],
    ["a".repeat(4001), "at character 4001: longer than 4000 characters"],
  ])("%s", async (text, message) => {
    expect(await faultIn(text)).toContain(message);
  });
});
