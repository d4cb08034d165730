import { describe, expect, it } from "vitest";
import { resolveEvaluation } from "../../src/cli/request/resolve-evaluation.ts";
import { RequestError } from "../../src/errors.ts";
import type { EvaluationEntry } from "../../src/index.ts";

function evaluation(id: string, name: string | null, model: string | null, day: number | null) {
  return {
    id,
    display_name: name,
    evaluation_ref: null,
    model_ref: model === null ? null : `svc:///acme/qa/object/${model}:v1`,
    dataset_ref: null,
    commit: null,
    branch: null,
    started_at: day === null ? null : `2025-01-0${day}T00:00:00.000000Z`,
    ended_at: null,
    exception: null,
    status: "running",
    last_trial_at: null,
    trial_count: 1,
    error_count: 0,
    top_error: null,
  } satisfies EvaluationEntry;
}

const LIST = [
  evaluation("a", "nightly", "small", 1),
  evaluation("b", "nightly", "large", 2),
  evaluation("c", "weekly", "small", 3),
  evaluation("weekly", "other", null, 4),
  evaluation("e", "unstarted", "small", null),
];

function resolved(text: string, list: readonly EvaluationEntry[] = LIST): string {
  return resolveEvaluation(text, list, ["--baseline"]);
}

function refusal(text: string, list: readonly EvaluationEntry[] = LIST): RequestError {
  try {
    resolved(text, list);
  } catch (error) {
    if (error instanceof RequestError) return error;
  }
  throw new Error(`${text} was not refused`);
}

describe("an evaluation", () => {
  it.each([
    ["its id", "a", "a"],
    ["its id, also where another has that name", "weekly", "weekly"],
    ["a name that only it has", "other", "weekly"],
    ["a name, also without a start", "unstarted", "e"],
    ["latest: the last that has a start", "latest", "weekly"],
    ["latest~0", "latest~0", "weekly"],
    ["latest~N: N before that", "latest~3", "a"],
    ["model:<name>: the latest of the model", "model:small", "c"],
    ["model:<reference>", "model:svc:///acme/qa/object/large:v1", "b"],
  ])("is found by %s", (_, text, id) => {
    expect(resolved(text)).toBe(id);
  });

  it("that nothing names keeps its text, for the engine to judge", () => {
    for (const text of ["nobody", "latest~", "latest~x", "latests", "model:", "Nightly", ""])
      expect(resolved(text)).toBe(text);
  });

  it("is not chosen among several of one name: the candidates are listed", () => {
    const error = refusal("nightly");
    expect(error.message).toBe(
      '--baseline: "nightly" stands for 2 evaluations; give the id of one: ' +
        "a (nightly, started 2025-01-01T00:00:00), b (nightly, started 2025-01-02T00:00:00)",
    );
    expect(error.issues).toMatchObject([{ loc: ["--baseline"], type: "ambiguous_evaluation" }]);
  });

  it("named latest is not confused with the latest", () => {
    const list = [evaluation("a", "latest", null, 1), evaluation("b", null, null, 2)];
    expect(refusal("latest", list).message).toContain("b (no name, started 2025-01-02T00:00:00)");
    expect(resolved("latest", list.slice(0, 1))).toBe("a");
    expect(resolved("latest~9", [evaluation("a", "latest~9", null, 1)])).toBe("a");
  });

  it("that is not there is said to be missing", () => {
    expect(refusal("latest~4").message).toBe("--baseline: the project has 4 evaluations with a start");
    expect(refusal("latest", []).message).toBe("--baseline: the project has 0 evaluations with a start");
    expect(refusal("model:huge").message).toBe(
      '--baseline: no evaluation with a start is of the model "huge"; their models are small, large',
    );
    expect(refusal("model:x", []).message).toContain("none names its model");
  });

  it("is listed ten times at most", () => {
    const list = Array.from({ length: 12 }, (_, i) => evaluation(`id-${i}`, "same", null, 1));
    expect(refusal("same", list).message).toMatch(/stands for 12 evaluations.*id-9 \([^)]*\), 2 more$/);
  });
});
