import { describe, expect, it } from "vitest";
import { showsOf } from "../../../src/view/row-parts/rows-state.ts";

const score = (key: string) => ({ key });

describe("the choices of which rows are shown", () => {
  it("are only those that can be asked for", () => {
    expect(showsOf(score("correct"), "first")).toEqual(["all", "differ", "better", "worse", "missing"]);
    expect(showsOf(score("correct"), null)).toEqual(["all", "differ", "missing"]);
    expect(showsOf(score(""), "first")).toEqual(["all"]);
  });
});
