import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, RequestError, type Engine } from "../../src/index.ts";
import type { Answers } from "../../src/view/model/answers.ts";
import { defaultCandidate } from "../../src/view/model/sliced.ts";
import { renderReport } from "../../src/view/make-report.ts";
import type { ReportOptions } from "../../src/view/report-options.ts";
import { PROJECT, root, trial } from "../support/records.ts";

let engine: Engine;
const ROWS = 30;

interface Run {
  readonly id: string;
  readonly name: string | null;
  readonly day: number;
  /** How many of ten rows are right. */
  readonly right: number;
  readonly others?: object;
}

/** The last run of `b` is worse; `c` has one run, which began last; `a` was cancelled, and ran on part of the rows. */
const RUNS: readonly Run[] = [
  { id: "a1", name: "a", day: 1, right: 9 },
  { id: "a2", name: "a", day: 5, right: 9 },
  { id: "b1", name: "b", day: 1, right: 9 },
  { id: "b2", name: "b", day: 2, right: 9 },
  { id: "b3", name: "b", day: 3, right: 2 },
  { id: "d1", name: "d", day: 4, right: 5 },
  { id: "c1", name: "c", day: 6, right: 9 },
  { id: "nameless", name: null, day: 1, right: 9 },
  { id: "a3", name: "a", day: 7, right: 0, others: { exception: "Error: no key" } },
  { id: "a4", name: "a", day: 8, right: 0, others: { attributes: { partial: true } } },
  { id: "a5", name: "a", day: 9, right: 0, others: { ended_at: null } },
];

function* calls() {
  for (const { id, name, day, right, others } of RUNS) {
    const at = `2026-07-0${day}T12:0`;
    yield root(id, { display_name: name, started_at: `${at}0:00Z`, ended_at: `${at}1:00Z`, ...others });
    for (let i = 0; i < ROWS; i++)
      yield trial(`${id}-${i}`, { q: i }, { ok: i % 10 < right, long: i }, { parent_id: id });
  }
}

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...calls()]);
});
afterAll(() => engine.close());

async function answersOf(options: ReportOptions = {}): Promise<Answers> {
  const html = await renderReport(engine, PROJECT, { outputs: "none", ...options });
  const [, text = ""] = /id="evalcube-report">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(text) as Answers;
}

/** The text of the page itself. */
function textOf(html: string): string {
  const [page = ""] = html.split("<script");
  return page.replaceAll(/<style.*?<\/style>|<[^>]*>/gs, "");
}

const idsOf = ({ evaluations }: Answers) => evaluations.map(({ id }) => id);

describe("the runs of a page", () => {
  it("are the latest two of the name that got worse, and each name is judged alone", async () => {
    const answers = await answersOf();
    expect(answers.runs).toBe("latest");
    expect(idsOf(answers)).toEqual(["b2", "b3"]);
    expect(answers.baseline).toBe("b2");
    expect(answers.latest.map(({ name, candidate, baseline }) => [name, candidate, baseline])).toEqual([
      ["b", "b3", "b2"],
      ["c", "c1", null],
      ["a", "a2", "a1"],
      ["d", "d1", null],
      ["nameless", "nameless", null],
    ]);
    const alone = answers.latest.map(async ({ candidate, baseline }) => {
      if (baseline === null) return undefined;
      return (await engine.compareEvaluations(PROJECT, { pairs: [{ baseline, candidate }] })).comparisons;
    });
    expect(answers.latest.map(({ comparison }) => comparison?.comparisons)).toEqual(await Promise.all(alone));
    const own = answers.latest[0]?.comparison?.comparisons ?? [];
    for (const [i, one] of (answers.comparison?.comparisons ?? []).entries())
      expect(one).toMatchObject(own[i] ?? {});
  });

  it("are those of another name, of one too", async () => {
    expect(idsOf(await answersOf({ name: "a" }))).toEqual(["a1", "a2"]);
    expect(idsOf(await answersOf({ runs: "latest", name: "c" }))).toEqual(["c1"]);
  });

  it("are without a name those with two runs before others, if none got worse", async () => {
    const filters = [{ query: { $expr: { $lt: [{ $getField: "inputs.q" }, { $literal: 2 }] } } }];
    const answers = await answersOf({ filters } as unknown as ReportOptions);
    expect(answers.latest.map(({ name }) => name)).toEqual(["c", "a", "d", "b", "nameless"]);
    expect(idsOf(answers)).toEqual(["a1", "a2"]);
  });

  it("are one of each name, or all that are finished, and name what is left out", async () => {
    const names = await answersOf({ runs: "names" });
    expect(idsOf(names)).toEqual(["nameless", "b3", "d1", "a2", "c1"]);
    const all = await answersOf({ runs: "all" });
    expect(idsOf(all)).toHaveLength(8);
    expect(all.latest).toEqual([]);
    expect(all.left_out.map(({ id, row_count }) => [id, row_count])).toEqual([
      ["a5", ROWS],
      ["a4", ROWS],
      ["a3", ROWS],
    ]);
    expect(textOf(await renderReport(engine, PROJECT, { runs: "all" }))).toContain(
      "Left out: a (2026-07-09), running, 30 rows; a (2026-07-08), part of the rows, 30 rows; a (2026-07-07), failed, 30 rows.",
    );
  });

  it("are those that are named, finished or not", async () => {
    const answers = await answersOf({ evaluations: ["a5", "a1"] });
    expect([answers.runs, idsOf(answers), answers.left_out]).toEqual(["chosen", ["a5", "a1"], []]);
    expect(idsOf(await answersOf({ baseline: "a4" }))).toHaveLength(9);
  });

  it.each([
    [{ runs: "latest", evaluations: ["a1"] }, "runs: does not go together with evaluations"],
    [{ runs: "names", evaluations: ["a1"] }, "runs: does not go together with evaluations"],
    [{ runs: "latest", baseline: "a1" }, "runs: does not go together with baseline"],
    [{ runs: "all", name: "a" }, "name: goes together with runs: latest alone"],
    [{ name: "bb" }, 'name: no finished evaluation is called "bb"; did you mean "b"?'],
    [{ runs: "two" }, "runs"],
  ] as const)("are refused where members contradict each other: %j", async (options, message) => {
    const made = renderReport(engine, PROJECT, options as ReportOptions);
    await expect(made).rejects.toThrow(RequestError);
    await expect(made).rejects.toThrow(message);
  });

  it.each<[string, ReportOptions, string | null]>([
    ["the latest of the latest two", { runs: "latest", name: "b" }, "b3"],
    ["the one that is worse by most", { evaluations: ["b1", "d1", "b3", "c1", "a2"], baseline: "b1" }, "b3"],
    [
      "the one that is worse by most where lower is better",
      { evaluations: ["a2", "c1", "d1"], baseline: "a2", lower_is_better: ["ok"], scorers: ["ok"] },
      "c1",
    ],
    ["else the one that started last", { evaluations: ["c1", "a1", "a2"], baseline: "a1" }, "c1"],
    ["none where there is the baseline alone", { evaluations: ["a1"], baseline: "a1" }, null],
  ])("have as a candidate %s", async (_, options, candidate) => {
    expect(defaultCandidate(await answersOf(options), "ok")).toBe(candidate);
  });

  it("are all where none is finished", async () => {
    await engine.ingestCalls(
      [...calls()].map((one) => ({
        ...one,
        project_id: "acme/running",
        ended_at: undefined,
        exception: null,
      })),
    );
    expect(textOf(await renderReport(engine, "acme/running", { runs: "all" }))).not.toContain("Left out:");
  });
});
