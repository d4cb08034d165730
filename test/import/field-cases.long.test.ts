import { fileURLToPath } from "node:url";
import { stringify } from "safe-stable-stringify";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine, type ImportOptions, type ImportResult } from "../../src/index.ts";
import { answerOf, idsOf, PROJECT } from "./imports.ts";

const FOLDER = fileURLToPath(new URL("field-cases/", import.meta.url));

/** How many values a score has, and their mean. */
type Figure = readonly [count: number, mean: number];

interface Evaluation {
  readonly name: string;
  readonly rows: number;
  readonly trials: number;
  readonly errors?: number;
  /** All of its scores. */
  readonly scores: Readonly<Record<string, Figure>>;
}

/** Files as tools and scripts write them, and what an import of them is to give. */
interface Case {
  readonly title: string;
  /** Each is a command of its own, or several of one. */
  readonly files: readonly (string | readonly string[])[];
  readonly options?: Partial<ImportOptions>;
  readonly evaluations: readonly Evaluation[];
  /** Values of all rows, in the order of their texts. */
  readonly rows?: readonly object[];
  /** What the trials of each evaluation hold, in the order of their texts. */
  readonly outputs?: readonly (readonly unknown[])[];
  /** Parts of notes. */
  readonly told?: readonly RegExp[];
}

const row = (id: string, input: string, more: object = {}) => ({ row: id, input, ...more });
const BOOKS = [
  row("a", "who wrote Emma", { task: "books" }),
  row("b", "who wrote Ulysses", { task: "books" }),
  row("c", "who wrote Faust", { task: "books" }),
];

const CASES: readonly Case[] = [
  {
    title: "two files over the same questions are two runs of the same rows",
    files: [["first.csv", "second.csv"]],
    evaluations: [
      { name: "first", rows: 4, trials: 4, scores: { correct: [4, 0.5] } },
      { name: "second", rows: 4, trials: 4, scores: { correct: [4, 1] } },
    ],
    rows: [
      row("11", "capital of Peru"),
      row("12", "seven times eight"),
      row("13", "largest moon of Saturn"),
      row("14", "boiling point of water"),
    ],
    outputs: [
      ["100", "54", "Lima", "Rhea"],
      ["100", "56", "Lima", "Titan"],
    ],
  },
  {
    title: "a second run leaves the answers and rows of the first as they were",
    files: ["monday.csv", "tuesday.csv"],
    options: { table: { taskName: "books" } },
    evaluations: [
      { name: "books: monday", rows: 3, trials: 3, scores: { score: [3, 2 / 3] } },
      { name: "books: tuesday", rows: 3, trials: 3, scores: { score: [3, 0.5] } },
    ],
    rows: BOOKS,
    outputs: [
      ["Austen", "Goethe", "Homer"],
      ["Brontë", "Joyce", "Marlowe"],
    ],
  },
  {
    title: "versions of a prompt are evaluations, and none is a repeat of another",
    files: ["variants.csv"],
    evaluations: [
      { name: "variants [examples]", rows: 2, trials: 2, scores: { score: [2, 0.125] } },
      { name: "variants [short]", rows: 2, trials: 2, scores: { score: [2, 0.3125] } },
      { name: "variants [stepwise]", rows: 2, trials: 2, scores: { score: [2, 0.875] } },
    ],
    rows: [row("c1", "sort three words"), row("c2", "add two dates")],
    told: [/evaluation = prompt_version \(short, stepwise, examples\)/],
  },
  {
    title: "trials without a verdict are errors, which the stated rate counts as not resolved",
    files: ["unfinished.json"],
    options: { check: "fail" },
    evaluations: [
      {
        name: "terminal-bench: field-cases",
        rows: 5,
        trials: 5,
        errors: 2,
        scores: { is_resolved: [3, 2 / 3] },
      },
    ],
  },
  {
    title: "numbers within an object of scores are scores",
    files: ["members.jsonl"],
    evaluations: [{ name: "members", rows: 3, trials: 3, scores: { accuracy: [3, 2 / 3], f1: [3, 0.5] } }],
    rows: [row("m1", "name a prime"), row("m2", "name a metal"), row("m3", "name a river")],
    outputs: [["7", "Elbe", "wood"]],
  },
  {
    title: "one of these numbers alone is the score that a path names",
    files: ["members.jsonl"],
    options: { table: { score: ["scores.accuracy"] } },
    evaluations: [{ name: "members", rows: 3, trials: 3, scores: { accuracy: [3, 2 / 3] } }],
  },
  {
    title: "what a tool expects is the expected answer and no score",
    files: ["expectations.csv"],
    evaluations: [{ name: "expectations", rows: 3, trials: 3, scores: { correctness: [3, 2 / 3] } }],
    rows: [
      row("t-7", "say hello", { expected: "hello there" }),
      row("t-8", "say goodbye", { expected: "goodbye" }),
      row("t-9", "say please", { expected: "please do" }),
    ],
    outputs: [["hello", "hello", "please"]],
  },
  {
    title: "suites are tasks, and their results the trials",
    files: ["suites.json"],
    evaluations: [
      { name: "echoes: suites", rows: 2, trials: 2, errors: 1, scores: { Near: [1, 1] } },
      { name: "rhymes: suites", rows: 2, trials: 2, errors: 1, scores: { Near: [1, 0.25] } },
      { name: "spelling: suites", rows: 2, trials: 2, scores: { Near: [2, 0.5] } },
    ],
    rows: [
      { task: "spelling", input: "recieve", expected: "receive" },
      { task: "spelling", input: "seperate", expected: "separate" },
      { task: "rhymes", input: "cat", expected: "hat" },
      { task: "rhymes", input: "dog", expected: "log" },
      { task: "echoes", input: "ping", expected: "pong" },
      { task: "echoes", input: "knock", expected: "knock" },
    ],
    told: [
      /states averageScore 0\.125, its trials give 0\.25: .*--count-errors-as 0/,
      /figures that are not checked: echoes averageScore 0/,
    ],
  },
  {
    title: "an object of verdicts has a trial a member, known by its name",
    files: ["verdicts.json"],
    evaluations: [{ name: "verdicts", rows: 5, trials: 5, scores: { passed: [5, 0.6] } }],
    rows: ["parser-12", "parser-40", "lexer-3", "lexer-9", "ast-1"].map((id) => ({
      row: `issue_lib__${id}`,
    })),
  },
  {
    title: "a page of an answer is told to be one",
    files: ["page.json"],
    evaluations: [{ name: "page", rows: 3, trials: 3, scores: { helpful: [3, 2 / 3] } }],
    rows: [{ row: "tr-1" }, { row: "tr-2" }, { row: "tr-3" }],
    told: [/page 2 of 5, 3 of 13 records: .*--evaluation NAME/],
  },
];

describe("files as tools and scripts write them", () => {
  it.each(CASES)("$title", async ({ files, options = {}, ...wanted }) => {
    const engine = await openEngine();
    try {
      const results = await importAll(engine, files, options);
      expect(await evaluationsOf(engine, idsOf(results))).toEqual(wanted.evaluations);
      const found = await contentOf(engine, idsOf(results));
      expect(found).toMatchObject({
        ...(wanted.rows && { rows: wanted.rows.map(textOf).toSorted() }),
        ...(wanted.outputs && { outputs: wanted.outputs.map(sortedTexts) }),
      });
      const notes = results.flatMap((result) => result.notes).join("\n");
      for (const part of wanted.told ?? []) expect(notes).toMatch(part);
    } finally {
      await engine.close();
    }
  });

  it.each([
    ["duels.csv", ["question_id"]],
    ["words.csv", ["id"]],
    ["two-raters.csv", ["item_id", "rater_1", "rater_2"]],
  ])("without a score are refused with columns that they have: %s", async (file, offered) => {
    const message = await refusalOf(file);
    expect(message).toMatch(/no column is a score: name one with --score-column/);
    expect(message).not.toContain("--match");
    expect(/\((.*) (?:is a number|are numbers)\)/.exec(message)?.[1]?.split(", ")).toEqual(offered);
  });

  it("that are a page of an answer are refused where figures must agree", async () => {
    expect(await refusalOf("page.json", { check: "fail" })).toMatch(/page 2 of 5/);
  });

  it.each(["verdict-numbers.csv", "verdict-booleans.csv"])("get the test of verdicts: %s", async (file) => {
    const engine = await openEngine();
    try {
      const results = await importAll(engine, [file], {});
      const [baseline = "", ...candidates] = idsOf(results);
      const answer = await engine.compareEvaluations(PROJECT, { baseline, candidates });
      // Five rows of one side alone: twice the half of 1 in 32.
      expect(answer.comparisons).toMatchObject([
        { method: "mcnemar-mid-p", p_value: expect.closeTo(1 / 32, 12), verdict: "improved", n_common: 30 },
      ]);
    } finally {
      await engine.close();
    }
  });

  it("are compared over the rows that they share, and count errors where it is asked", async () => {
    const engine = await openEngine();
    try {
      const runs = await importAll(engine, [["first.csv", "second.csv"]], {});
      const [baseline = "", ...candidates] = idsOf(runs);
      const { comparisons } = await engine.compareEvaluations(PROJECT, { baseline, candidates });
      expect(comparisons).toMatchObject([{ n_common: 4, baseline_mean: 0.5, candidate_mean: 1 }]);
      const unfinished = idsOf(await importAll(engine, ["unfinished.json"], {}));
      const counted = { evaluations: unfinished, count_errors_as: 0, count_nulls_as: 0 };
      const { entries } = await engine.leaderboard(PROJECT, counted);
      expect(entries.map(({ scores }) => scores[0])).toMatchObject([
        { row_mean: expect.closeTo(0.4, 12), counted_error_count: 2, counted_null_count: 0 },
      ]);
    } finally {
      await engine.close();
    }
  });
});

async function importAll(
  engine: Engine,
  commands: Case["files"],
  options: Partial<ImportOptions>,
): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const files of commands) {
    const paths = [files].flat().map((name) => FOLDER + name);
    results.push(...(await engine.importEvaluations(paths, { project: PROJECT, ...options })));
  }
  return results;
}

/** The message of a refused import, which stores nothing. */
async function refusalOf(file: string, options: Partial<ImportOptions> = {}): Promise<string> {
  const engine = await openEngine();
  try {
    const message = await importAll(engine, [file], options).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
    return message;
  } finally {
    await engine.close();
  }
}

async function evaluationsOf(engine: Engine, ids: readonly string[]): Promise<Evaluation[]> {
  const { entries, dimensions } = await engine.leaderboard(PROJECT, {
    evaluations: ids,
    sort_by: [{ field: "name" }],
  });
  return entries.map((entry) => {
    const scores = dimensions.flatMap(({ scorer_key: key, path }, i) => {
      const score = entry.scores[i];
      if (score == null || score.row_mean === null) return [];
      const name = path === null ? key : `${key}.${path}`;
      return [[name, [score.trial_count, expect.closeTo(score.row_mean, 9)]] as const];
    });
    return {
      name: entry.display_name ?? "",
      rows: entry.row_count,
      trials: entry.trial_count,
      ...(entry.error_count > 0 && { errors: entry.error_count }),
      scores: Object.fromEntries(scores),
    };
  });
}

/** Values of rows, and outputs of trials by evaluation, as texts in their order. */
async function contentOf(engine: Engine, ids: readonly string[]) {
  const { rows } = await answerOf(engine, ...ids);
  const outputs = ids.map((id) =>
    rows.flatMap(({ evaluations }) =>
      evaluations
        .filter((one) => one.evaluation_call_id === id)
        .flatMap(({ trials }) => trials.map((trial) => trial.model_output)),
    ),
  );
  return { rows: rows.map((one) => textOf(one.raw_data_row)).toSorted(), outputs: outputs.map(sortedTexts) };
}

const sortedTexts = (values: readonly unknown[]) => values.map((value) => String(value)).toSorted();

/** A value as text with its members in order. */
const textOf = (value: unknown) => stringify(value) ?? "";
