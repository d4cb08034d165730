import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { openEngine, type Engine, type ImportOptions } from "../../src/index.ts";
import { grouped } from "../../src/model/grouped.ts";
import { runOn } from "../support/duckdb.ts";
import { answersAbout, PROJECT } from "./imports.ts";

/** How tables are written. */
export const FORMS = ["csv", "ndjson", "json", "parquet"] as const;
type Form = (typeof FORMS)[number];

/** One answer to a question. */
interface Answer {
  readonly id: string;
  readonly question: string;
  readonly expected: string;
  readonly category: string;
  readonly model: string;
  readonly prompt_version: string;
  readonly trial: number;
  readonly failure: string;
  readonly correct: boolean | null;
  readonly judge_score: number | null;
}

const COLUMNS = [
  "id",
  "question",
  "expected",
  "category",
  "model",
  "prompt_version",
  "trial",
  "failure",
  "correct",
  "judge_score",
] as const;
type Column = (typeof COLUMNS)[number];

/** A question: some ids are those of two. */
const drawnRow = fc.record({
  id: fc.integer({ min: 1, max: 5 }),
  isOther: fc.boolean(),
  expected: fc.constantFrom("A", "B"),
  category: fc.constantFrom("law", "art"),
});
const score = fc.record({
  correct: fc.option(fc.boolean(), { freq: 5 }),
  judge_score: fc.option(
    fc.integer({ min: 0, max: 1000 }).map((one) => one / 1000),
    { freq: 5 },
  ),
  failure: fc.constantFrom("none", "tool", "format"),
});

/** A table: each row has answers of each model and prompt, in one to three trials. */
const table = fc.record({
  rows: fc.uniqueArray(drawnRow, {
    minLength: 4,
    maxLength: 8,
    selector: ({ id, isOther }) => `${id} ${isOther}`,
  }),
  models: fc.constantFrom(["m"], ["m", "n"]),
  prompts: fc.constantFrom([""], ["plain", "guided"]),
  trials: fc.integer({ min: 1, max: 3 }),
  scores: fc.array(score, { minLength: 16, maxLength: 16 }),
});
type Table = typeof table extends fc.Arbitrary<infer T> ? T : never;

export const scenario = fc.record({
  base: table,
  next: table,
  forms: fc.tuple(fc.constantFrom(...FORMS), fc.constantFrom(...FORMS), fc.constantFrom(...FORMS)),
  order: fc.constantFrom([0, 1], [1, 0]),
  shuffles: fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 24, maxLength: 24 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const questionOf = ({ id, isOther }: { readonly id: number; readonly isOther: boolean }) =>
  `${isOther ? "another" : "one"} question ${id}`;

/** The answers of a table, those of each row together. */
function answersOf({ rows, models, prompts, trials, scores }: Table): Answer[][] {
  let drawn = 0;
  return rows.map((one, place) =>
    models.flatMap((model) =>
      prompts.flatMap((prompt) =>
        // The first two rows have all trials, so that each part of a file has a column that tells them apart.
        Array.from({ length: place < 2 ? trials : 1 + (place % trials) }, (_, trial): Answer => {
          const { failure, ...values } = scores[drawn++ % scores.length] ?? {
            failure: "none",
            correct: null,
            judge_score: null,
          };
          const isFirst = trial === 0 && place < 2;
          return {
            id: String(one.id),
            question: questionOf(one),
            expected: one.expected,
            category: one.category,
            model,
            prompt_version: prompt,
            trial: trial + 1,
            failure,
            correct: isFirst ? (values.correct ?? true) : values.correct,
            judge_score: isFirst ? (values.judge_score ?? 0.25) : values.judge_score,
          };
        }),
      ),
    ),
  );
}

/** Columns that say something: one without a second trial or prompt has none for them. */
function columnsOf({ prompts, trials }: Table): readonly Column[] {
  return COLUMNS.filter(
    (name) => !(name === "prompt_version" && prompts.length === 1) && !(name === "trial" && trials === 1),
  );
}

function shuffled<T>(all: readonly T[], keys: readonly number[]): T[] {
  return all
    .map((one, i): [number, T] => [((keys[i % keys.length] ?? 0) * (i + 7)) % 1009, one])
    .toSorted((a, b) => a[0] - b[0])
    .map(([, one]) => one);
}

const written = (value: Answer[Column]) => (value === null ? "" : String(value));

async function writeTable(
  file: string,
  form: Form,
  records: readonly Answer[],
  columns: readonly Column[],
): Promise<string> {
  const name = `${file}.${form}`;
  const objects = records.map((one) => Object.fromEntries(columns.map((column) => [column, one[column]])));
  const lines = objects.map((one) => JSON.stringify(one)).join("\n");
  if (form === "csv")
    writeFileSync(
      name,
      [
        columns.join(","),
        ...records.map((one) => columns.map((column) => written(one[column])).join(",")),
      ].join("\n"),
    );
  else writeFileSync(name, form === "json" ? JSON.stringify(objects) : lines);
  if (form !== "parquet") return name;
  writeFileSync(`${file}.lines`, lines);
  await runOn(
    ":memory:",
    `COPY (FROM read_json('${file}.lines', format = 'newline_delimited', sample_size = -1)) TO '${name}' (FORMAT parquet)`,
  );
  return name;
}

/** Counts over the answers of an evaluation. */
function counted(answers: readonly Answer[], ks: readonly number[]) {
  const known = (values: readonly Answer[]) => values.flatMap(({ correct }) => correct ?? []);
  const judged = answers.flatMap(({ judge_score }) => judge_score ?? []);
  const rows = [...grouped(answers, ({ question }) => question).values()];
  const most = Math.max(...ks);
  const whole = rows.map(known).filter(({ length }) => length >= most);
  const passAt = (k: number) =>
    mean(whole.map((row) => 1 - choose(row.filter((one) => !one).length, k) / choose(row.length, k)));
  return {
    trials: answers.length,
    rows: rows.length,
    known: known(answers).length,
    right: known(answers).filter(Boolean).length,
    nulls: [answers.length - known(answers).length, answers.length - judged.length],
    judge_score: mean(judged),
    passed: ks.map((k) => [whole.length, passAt(k)]),
  };
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : near(values.reduce((sum, one) => sum + one, 0) / values.length);
const near = (value: number) => Number(value.toFixed(9));
const choose = (n: number, k: number): number => (k > n ? 0 : k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);

/** Evaluations by id: their model and prompt. */
type Names = ReadonlyMap<string, string>;

/** The same counts, as an engine answers them, by model and prompt. */
async function told(engine: Engine, names: Names, ks: readonly number[]) {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [...names.keys()],
    include_rows: false,
    include_summary: true,
    include_row_counts: true,
    include_uncertainty: true,
    pass_k: ks,
  });
  return new Map(
    summary?.evaluations.map((one) => {
      const stats = (key: string) => one.scorer_stats.find((each) => each.scorer_key === key);
      const [correct, judge_score] = [stats("correct"), stats("judge_score")];
      const figures = {
        trials: one.trial_count,
        rows: one.row_count,
        known: correct?.pass_known_count,
        right: correct?.pass_true_count,
        nulls: [correct?.null_count, judge_score?.null_count],
        judge_score: judge_score?.numeric_mean == null ? null : near(judge_score.numeric_mean),
        passed: ks.map((k) => {
          const at = correct?.pass_at_k?.[k] ?? null;
          return [correct?.pass_k_row_count?.[k], at === null ? null : near(at)];
        }),
      };
      return [names.get(one.evaluation_call_id), figures];
    }),
  );
}

const keyOf = ({ model, prompt_version: prompt }: Answer) => `${model} ${prompt}`;

function expected(answers: readonly Answer[], ks: readonly number[]) {
  return new Map([...grouped(answers, keyOf)].map(([key, own]) => [key, counted(own, ks)]));
}

async function imported(
  engine: Engine,
  files: string | readonly string[],
  options: Partial<ImportOptions> = {},
): Promise<Names> {
  const results = await engine.importEvaluations(files, { project: PROJECT, ...options });
  const evaluations = results.flatMap((one) => one.evaluations);
  return new Map(
    evaluations.map(({ evaluation_call_id: id, model, label }) => [
      id,
      `${model} ${/plain|guided/.exec(label ?? "")?.[0] ?? ""}`,
    ]),
  );
}

/** Checks what becomes of two tables that share questions; `folder` is empty. */
export async function checkTables(folder: string, { base, next, forms, order, shuffles }: Scenario) {
  const ks = [1, ...(base.trials > 1 ? [2] : []), ...(base.trials > 2 ? [3] : [])];
  const inFolder = (name: string) => path.join(folder, name);
  const [own, others] = [answersOf(base), answersOf(next)];
  // Rows stay whole, and each part has one of the rows with all trials.
  const parts = [0, 1].map((part) => own.filter((_, i) => i % 2 === part).flat());
  const columns = shuffled(columnsOf(base), shuffles);
  const files: string[] = [];
  for (const [i, part] of parts.entries())
    files.push(await writeTable(inFolder(`part-${i}`), forms[i] ?? "csv", shuffled(part, shuffles), columns));
  const engine = await openEngine({ threads: 1 });
  const again = await openEngine({ threads: 1 });
  try {
    const named = { table: { evaluationName: "base" } };
    const first = await imported(
      engine,
      order.map((i) => files[i] ?? ""),
      named,
    );
    expect(await told(engine, first, ks)).toEqual(expected(own.flat(), ks));
    const ids = [...first.keys()];
    const before = await answersAbout(engine, ids, folder);
    const other = await writeTable(
      inFolder("candidate"),
      forms[2],
      shuffled(others.flat(), shuffles),
      shuffled(columnsOf(next), shuffles.toReversed()),
    );
    const added = await imported(engine, other);
    expect(await told(engine, added, [1])).toEqual(expected(others.flat(), [1]));
    expect(await answersAbout(engine, ids, folder)).toBe(before);
    const { total_rows: rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [...ids, ...added.keys()],
      limit: 0,
    });
    const questions = [own, others].flatMap((all) => all.flat().map(({ question }) => question));
    expect(rows).toBe(new Set(questions).size);
    const file = inFolder(`exported.${forms[0] === "ndjson" ? "jsonl" : forms[0]}`);
    await engine.exportResults(
      PROJECT,
      { evaluation_call_ids: [...ids, ...added.keys()], include_raw_data_rows: true, resolve_row_refs: true },
      { format: forms[0] === "ndjson" ? "jsonl" : forms[0], path: file },
    );
    await imported(again, file);
    expect(await told(again, first, ks)).toEqual(expected(own.flat(), ks));
    expect(await told(again, added, [1])).toEqual(expected(others.flat(), [1]));
    await checkRefusals(again, folder, own.flat(), columns);
  } finally {
    await engine.close();
    await again.close();
  }
}

/** An unknown column that repeats rows is asked for, and a file of failures alone is refused. */
async function checkRefusals(
  engine: Engine,
  folder: string,
  answers: readonly Answer[],
  columns: readonly Column[],
) {
  const once = answers.filter(
    ({ model, prompt_version: prompt, trial }) => model === "m" && prompt !== "guided" && trial === 1,
  );
  const kept = columns.filter((name) => !["trial", "prompt_version", "failure"].includes(name));
  const plain = once.map((one) => Object.fromEntries(kept.map((name) => [name, one[name]])));
  const twice = plain.flatMap((one) => ["mild", "hot"].map((flavour) => ({ ...one, flavour })));
  const refused = async (name: string, value: unknown) => {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(value));
    return await engine.importEvaluations(file, { project: PROJECT }).then(
      () => "nothing is refused",
      (error: unknown) => String(error),
    );
  };
  expect(await refused("flavours.json", twice)).toMatch(/flavour \(.*--evaluation-column flavour/);
  const wrong = plain.map((one) => ({ ...one, correct: false }));
  const stated = { total: wrong.length + 3, passed: 3, results: wrong };
  expect(await refused("failures.json", stated)).toContain("only the failed cases are in it");
}
