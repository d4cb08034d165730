import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterOf, OPERATORS, QUANTIFIERS, readFilters } from "../../../src/view/filters/filter-parts.ts";
import { parseRequest } from "../../../src/request/parse-request.ts";

const parts = fc
  .record({
    field: fc.constantFrom("scores.ok", "inputs.question", "row_digest"),
    operator: fc.constantFrom(...OPERATORS),
    value: fc.oneof(fc.string(), fc.constantFrom("true", "false", "1", "-0.5", "null")),
    quantifier: fc.constantFrom(...QUANTIFIERS),
    evaluation: fc.option(fc.string({ minLength: 1 })),
  })
  .map((part) => (part.operator === "is missing" ? { ...part, value: "" } : part));

describe("a filter of the form", () => {
  it("is a filter of the request", () => {
    fc.assert(
      fc.property(parts, (part) => {
        expect(() => parseRequest({ filters: [filterOf(part)] })).not.toThrow();
      }),
    );
  });
});

describe("filters as JSON", () => {
  it("are a list", () => {
    expect(readFilters("")).toEqual({ filters: [] });
    expect(readFilters('[{"query":1}]')).toEqual({ filters: [{ query: 1 }] });
    expect(readFilters("{}")).toEqual({ error: "filters is a list: [ … ]" });
    expect(readFilters("[")).toHaveProperty("error");
  });
});
