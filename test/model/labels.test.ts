import { describe, expect, it } from "vitest";
import { evaluationLabels, labelledBy, shortCommit, type Labelled } from "../../src/model/labels.ts";

const one = (id: string, members: Partial<Labelled> = {}): Labelled => ({
  id,
  display_name: "sums",
  started_at: null,
  model_ref: null,
  commit: null,
  branch: null,
  ...members,
});
const labels = (...shown: Labelled[]) => [...evaluationLabels(shown).values()];
const at = (...starts: string[]) => labels(...starts.map((started_at, i) => one(`id-${i}`, { started_at })));
const model = (version: string) => `svc:///acme/qa/object/small:${version}`;

describe("the label of an evaluation", () => {
  it("is its name where no other that is shown has it, and its id where it has none", () => {
    expect(labels(one("a"), one("b", { display_name: "qa" }), one("c", { display_name: null }))).toEqual([
      "sums",
      "qa",
      "c",
    ]);
    expect(labels(one("a", { display_name: "b" }), one("b"))).toEqual(["a", "sums"]);
  });

  it("tells namesakes apart by the shortest form of their start", () => {
    expect(at("2026-07-02T12:04:05.000000Z", "2026-07-02T13:04:05.000000Z")).toEqual([
      "sums (12:04)",
      "sums (13:04)",
    ]);
    expect(at("2026-07-02T12:04:05.000000Z", "2026-07-02T12:04:06.000000Z")).toEqual([
      "sums (12:04:05)",
      "sums (12:04:06)",
    ]);
    expect(at("2026-07-02T12:04:05.000000Z", "2026-07-03T12:04:05.000000Z")).toEqual([
      "sums (2026-07-02)",
      "sums (2026-07-03)",
    ]);
    expect(
      at("2026-07-02T12:04:05.000000Z", "2026-07-02T13:04:05.000000Z", "2026-07-03T12:04:05.000000Z"),
    ).toEqual(["sums (2026-07-02 12:04)", "sums (2026-07-02 13:04)", "sums (2026-07-03 12:04)"]);
    expect(
      at("2026-07-02T12:04:05.000000Z", "2026-07-02T12:04:06.000000Z", "2026-07-03T12:04:05.000000Z"),
    ).toEqual(["sums (2026-07-02 12:04:05)", "sums (2026-07-02 12:04:06)", "sums (2026-07-03 12:04:05)"]);
  });

  it("goes on to the model's version, the commit, the branch and the end of the id", () => {
    const started_at = "2026-07-02T12:04:05.000000Z";
    const commits = ["4e5f607a9c1d2b3e", "5e5f607a9c1d2b3e"];
    const both = (...members: Partial<Labelled>[]) =>
      labels(...members.map((own, i) => one(`0000000${i}-abcd`, { started_at, ...own })));
    expect(both({ model_ref: model("v6") }, { model_ref: model("v7") })).toEqual(["sums (v6)", "sums (v7)"]);
    expect(both(...commits.map((commit) => ({ commit, model_ref: model("v7") })))).toEqual([
      "sums (4e5f607)",
      "sums (5e5f607)",
    ]);
    expect(both({ branch: "main" }, { branch: "try" })).toEqual(["sums (main)", "sums (try)"]);
    expect(both({ branch: "main" }, {})).toEqual(["sums (…0-abcd)", "sums (…1-abcd)"]);
  });

  it("is never that of another evaluation", () => {
    const started_at = "2026-07-02T12:04:05.000000Z";
    const shown = [
      one("first", { started_at }),
      one("other", { started_at: "2026-07-02T13:04:05.000000Z" }),
      one("third", { display_name: "sums (12:04)" }),
    ];
    expect(labels(...shown)).toEqual(["sums (12:04:05)", "sums (13:04:05)", "sums (12:04)"]);
  });
});

it("a commit is shown by seven characters where it is hexadecimal", () => {
  expect(["4E5f607a9c1d", "v1.2-rc1", "4e5f60"].map(shortCommit)).toEqual(["4E5f607", "v1.2-rc1", "4e5f60"]);
});

/** Numbers that look random, the same for one seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

describe("labels of random namesakes", () => {
  it("are distinct, and each means the evaluation that it was printed for among those shown", () => {
    const seed = Date.now() % 1_000_000;
    const below = numbers(seed);
    const pick = <T>(...values: T[]): T => values[below(values.length)] as T;
    for (let round = 0; round < 500; round++) {
      const shown = Array.from({ length: 1 + below(8) }, (_, i) =>
        one(pick("abcd", "bbcd", "x-0000-abcd", "y-1111-zbcd") + i, {
          display_name: pick("sums", "sums (v7)", "sums", "abcd0", null),
          started_at: pick(
            null,
            `2026-07-0${1 + below(3)}T1${below(3)}:0${below(3)}:0${below(3)}.000000Z`,
            `2026-07-01T1${below(3)}:00:00.000000Z`,
          ),
          model_ref: pick(null, model("v6"), model("v7"), "gpt"),
          commit: pick(null, `4e5f607${below(9)}`, "v7", "r1"),
          branch: pick(null, "main", "v7", "12:04"),
        }),
      );
      const made = evaluationLabels(shown);
      expect(new Set(made.values()).size, `seed ${seed}, round ${round}`).toBe(shown.length);
      for (const [id, label] of made) {
        if (label === id || shown.some(({ display_name: name }) => name === label)) continue;
        const meant = labelledBy(label, shown).map((found) => found.id);
        expect(meant, `seed ${seed}, round ${round}: ${label}`).toEqual([id]);
      }
    }
  });
});
