import { describe, expect, it } from "vitest";
import { findEvaluation, namesakesOf } from "../../src/request/find-evaluation.ts";
import { evaluationLabels, type Labelled } from "../../src/model/labels.ts";

function evaluation(id: string, name: string | null, model: string | null, day: number | null): Labelled {
  return {
    id,
    display_name: name,
    model_ref: model === null ? null : `svc:///acme/qa/object/${model}:v1`,
    commit: null,
    branch: null,
    started_at: day === null ? null : `2025-01-0${day}T00:00:00.000000Z`,
  };
}

const LIST = [
  evaluation("a", "nightly", "small", 1),
  evaluation("b", "nightly", "large", 2),
  evaluation("c", "weekly", "small", 3),
  evaluation("weekly", "other", null, 4),
  evaluation("d", "other~1", "small", 5),
  evaluation("e", "unstarted", "small", null),
];

const said = (text: string, list = LIST) => {
  const found = findEvaluation(text, list);
  return "id" in found ? (found.note === null ? found.id : `${found.id}: ${found.note}`) : found.fault;
};

describe("the evaluation that a text stands for", () => {
  it("is that of an id, then of a whole name, of which the latest counts and a note tells", () => {
    expect(said("a")).toBe("a");
    expect(said("weekly")).toBe("weekly");
    expect(said("other~1")).toBe("d");
    expect(said("nightly")).toBe("b: nightly is nightly (2025-01-02), the latest of 2");
  });

  it("is counted back from the latest, of the project, a name or a model", () => {
    expect(["latest", "latest~0", "latest~4"].map((text) => said(text))).toEqual(["d", "d", "a"]);
    expect(["nightly~0", "nightly~1", "model:small", "model:small~2"].map((text) => said(text))).toEqual([
      "b",
      "a",
      "d",
      "a",
    ]);
    expect(said("latest~9")).toBe("there is no latest~9: the project has 5 evaluations with a start");
    expect(said("nightly~2")).toBe("there is no nightly~2: nightly has 2 evaluations");
    expect(said("model:small~3")).toBe('the model "small" has 3 evaluations with a start');
    expect(said("model:tiny")).toBe(
      'no evaluation with a start is of the model "tiny"; their models are small, large',
    );
  });

  it("is that of a label as it was printed, and near names are told of what is none", () => {
    for (const [id, label] of evaluationLabels(LIST)) expect(said(label)).toBe(id);
    expect(said("nightli")).toBe('evaluation "nightli" is not in this project; did you mean "nightly"?');
    const twice = ["x1", "x2"].map((id) => evaluation(id, "n", "m", 1));
    expect(said("n (v1)", twice)).toMatch(/^"n \(v1\)" stands for 2 evaluations: .*; give the id of one$/);
  });

  it("is that of a name or a label on one line, as they are printed", () => {
    const list = [1, 2].map((day) => evaluation(`x${day}`, "two\n\u001b[1mlines", null, day));
    expect(said("two [1mlines", list)).toBe("x2: two [1mlines is two [1mlines (2025-01-02), the latest of 2");
    expect(said("two [1mlines (2025-01-01)", list)).toBe("x1");
    expect(said("two [1mlines~1", list)).toBe("x1");
  });

  it("is looked for no longer than it takes to find that there is none", () => {
    const list = LIST.map((one) => ({
      ...one,
      get model_ref(): never {
        throw new Error("was looked at");
      },
    }));
    const found = findEvaluation("unknown", list);
    expect("unknown" in found && found.unknown).toBe(true);
    expect(() => "fault" in found && found.fault).toThrow("was looked at");
  });

  it("is none where something is deleted by a name of several", () => {
    expect(namesakesOf("nightly", LIST)).toBe(
      '"nightly" stands for 2 evaluations: nightly (2025-01-01) is a, nightly (2025-01-02) is b',
    );
    expect(namesakesOf("weekly", LIST)).toBeNull();
  });
});
