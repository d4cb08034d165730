import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAddress, START, writeAddress, type Address } from "../../../src/view/browser/address.ts";
import { anyCharacter } from "../../support/any-character.ts";

const name = fc.string({ minLength: 1, unit: anyCharacter });
const maybe = fc.option(name);
const names = fc.option(fc.array(name, { minLength: 1 }));
const addresses: fc.Arbitrary<Address> = fc.record({
  project: maybe,
  runs: fc.option(fc.constantFrom("latest", "names", "all", "chosen")),
  name: maybe,
  evaluations: names,
  baseline: maybe,
  score: maybe,
  lower_is_better: names,
  higher_is_better: names,
  cluster_by: maybe,
  filters: fc.string(),
  show: fc.constantFrom("all", "differ", "better", "worse", "missing"),
  order: fc.oneof(
    fc.constantFrom("difference" as const, "mean" as const, "stored" as const),
    fc.record({ evaluation: name, direction: fc.constantFrom("asc" as const, "desc" as const) }),
  ),
  search: fc.string(),
  row: maybe,
  by: names,
  with: fc.uniqueArray(name, { maxLength: 2 }),
  attempts: fc.uniqueArray(name, { maxLength: 3 }),
});

describe("the address of a page", () => {
  it("tells its whole state", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(readAddress(`#${writeAddress(address)}`)).toEqual({ address, unknown: [] });
      }),
    );
  });

  it("leaves out what is at its default", () => {
    expect(writeAddress(START)).toBe("");
    expect(
      writeAddress({
        ...START,
        project: "acme/qa",
        evaluations: ["run-1", "run-2"],
        score: "correct",
        show: "differ",
        order: { evaluation: "run-2", direction: "desc" },
      }),
    ).toBe(
      "project=acme%2Fqa&evaluation=run-1&evaluation=run-2&scorer=correct&show=differ&order=evaluation%3Arun-2",
    );
  });

  it("ignores members that name nothing, and says which", () => {
    expect(readAddress("#show=most&order=up&colour=red&search=x")).toEqual({
      address: { ...START, search: "x" },
      unknown: ["colour", "show", "order"],
    });
  });
});
