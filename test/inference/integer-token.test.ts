import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { integerFault, readIntegerToken } from "../../src/inference/request/model-request.ts";

describe("the integer of a JSON number", () => {
  it("is exact, whatever its size", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(5), (value, zeros) => {
        const fraction = zeros === 0 ? "" : `.${"0".repeat(zeros)}`;
        expect(readIntegerToken(`${value}${fraction}`)).toBe(value);
        expect(readIntegerToken(`${value}e${zeros}`)).toBe(value * 10n ** BigInt(zeros));
      }),
    );
  });

  it.each([
    ["1.50e1", 15n],
    ["12.5E+2", 1250n],
    ["100e-2", 1n],
    ["-0", 0n],
    ["0e999999999", 0n],
    ["0.0", 0n],
    ["1.5", "fraction"],
    ["1e-1", "fraction"],
    ["1e999999999", "other"],
    ["true", "other"],
    ['"1"', "other"],
  ])("of %s is %s", (token, value) => {
    expect(readIntegerToken(token)).toBe(value);
  });

  it("is held to its bounds by its digits", () => {
    expect(integerFault("9223372036854776000", 0n, 9223372036854776000n)).toBeUndefined();
    expect(integerFault("9223372036854776001", 0n, 9223372036854776000n)).toMatch(/between 0 and/);
    expect(integerFault("null", 0n, 1n)).toBeUndefined();
    expect(integerFault("[]", 0n, 1n)).toMatch(/integer/);
  });
});
