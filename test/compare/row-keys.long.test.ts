import { describe, expect, it } from "vitest";
import type { Engine, JsonObject, RowKey } from "../../src/index.ts";
import { at } from "../../src/model/json.ts";
import { rowDigest } from "../../src/model/digest.ts";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

type Row = Readonly<Record<string, string>>;

const textIs = (value: string) => ({
  query: { $expr: { $eq: [{ $getField: "inputs.text" }, { $literal: value }] as const } },
});

const ROWS = Array.from({ length: 12 }, (_, i): Row => ({ id: `q${i + 1}`, text: `question ${i + 1}` }));
const EDITED = ROWS.map((row): Row =>
  row["id"] === "q3" || row["id"] === "q8" ? { ...row, text: "new" } : row,
);

/** Runs an evaluation; answers to edited rows are right. */
async function run(engine: Engine, id: string, data: readonly Row[], rowKey?: RowKey<Row>, trials = 1) {
  await engine.evaluate<Row, string>(PROJECT, {
    id,
    name: id,
    model: "bot",
    data,
    trials,
    task: ({ text }) => String(text),
    scorers: { ok: ({ output, row }) => output === "new" || Number(String(row["id"]).slice(1)) % 2 === 0 },
    ...(rowKey === undefined ? {} : { rowKey }),
  });
}

async function twoRuns(rowKey: RowKey<Row> = "id") {
  const engine = await scratchEngine();
  await run(engine, "before", ROWS, rowKey);
  await run(engine, "after", EDITED.toReversed(), rowKey, 2);
  return engine;
}

const refused = (asked: Promise<unknown>) => asked.then(() => "answered", String);

const kept = (rows: readonly Row[]) => rows.filter(({ id }) => id !== "q3" && id !== "q8");

const halves = (rows: readonly Row[]) => rows.map((row, i): Row => ({ ...row, half: i < 6 ? "a" : "b" }));

const PAIR = { baseline: "before", candidates: ["after"] };
const BOTH = { evaluation_call_ids: ["after", "before"], include_raw_data_rows: true };

it("where all shared rows were edited, to leave them out leaves none, and the refusal says why", async () => {
  const engine = await scratchEngine();
  await run(engine, "before", ROWS, "id");
  await run(
    engine,
    "after",
    ROWS.map((row) => ({ ...row, text: "new" })),
    "id",
  );
  expect(await refused(engine.compareEvaluations(PROJECT, { ...PAIR, edited_rows: "leave_out" }))).toContain(
    '"after" shares no row with the baseline that was not edited (0 are in the baseline only, 0 in the candidate only)',
  );
});

it("rows of one key are one row, whatever they hold: an answer counts those that were edited, and says so once", async () => {
  const engine = await twoRuns();
  const { comparisons, warnings } = await engine.compareEvaluations(PROJECT, PAIR);
  expect(comparisons).toMatchObject([
    { n_common: 12, n_edited: 2, n_only_baseline: 0, n_only_candidate: 0, difference: 1 / 12 },
  ]);
  expect(warnings.filter((one) => one.includes("edited"))).toEqual([
    "2 of 12 shared rows were edited: q8 and q3. --edited-rows leave-out compares without them.",
  ]);
  const { total_rows } = await engine.queryEvalResults(PROJECT, { ...BOTH, require_intersection: true });
  expect(total_rows).toBe(12);
});

it("edited rows are left out where that is asked for, and an answer says so", async () => {
  const engine = await twoRuns();
  const left = await engine.compareEvaluations(PROJECT, { ...PAIR, edited_rows: "leave_out" });
  expect(left.comparisons).toMatchObject([
    { n_common: 10, n_edited: 2, n_only_baseline: 0, n_only_candidate: 0, difference: 0 },
  ]);
  expect(left.warnings.filter((one) => one.includes("edited"))).toEqual([
    "2 of 12 shared rows were edited and are left out: q8 and q3",
  ]);
  // An evaluation without the edited rows tells the same.
  const other = await scratchEngine();
  await run(other, "before", kept(ROWS), "id");
  await run(other, "after", kept(EDITED), "id", 2);
  const [{ n_edited: _, ...figures } = { n_edited: -1 }] = (await other.compareEvaluations(PROJECT, PAIR))
    .comparisons;
  expect(left.comparisons[0]).toMatchObject(figures);
});

it("of several pairs each warning names its candidate, and what is left out is another thing for each", async () => {
  const engine = await twoRuns();
  await run(engine, "same", ROWS, (row) => String(row["id"]));
  const request = { baseline: "same", candidates: ["before", "after"] };
  const { comparisons, warnings } = await engine.compareEvaluations(PROJECT, request);
  expect(comparisons.map(({ n_edited }) => n_edited)).toEqual([0, 2]);
  expect(warnings.filter((one) => one.includes("edited"))).toEqual([
    '"after": 2 of 12 shared rows were edited: q8 and q3. --edited-rows leave-out compares without them.',
  ]);
  const left = await engine.compareEvaluations(PROJECT, { ...request, edited_rows: "leave_out" });
  expect(left.comparisons.map(({ n_common }) => n_common)).toEqual([12, 10]);
  expect(left.family_size).toBe(comparisons.length);
});

it("slices of a comparison leave edited rows out, too", async () => {
  const engine = await scratchEngine();
  await run(engine, "before", halves(ROWS), "id");
  await run(engine, "after", halves(EDITED), "id");
  const rowsOf = async (edited_rows: "compare" | "leave_out") => {
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      ...PAIR,
      by: "inputs.half",
      edited_rows,
    });
    return comparisons[0]?.slices?.map(({ n_common }) => n_common);
  };
  expect(await rowsOf("compare")).toEqual([6, 6]);
  expect(await rowsOf("leave_out")).toEqual([5, 5]);
});

it("leaving out goes together with neither the best baseline nor models", async () => {
  const engine = await twoRuns();
  const leave = { ...PAIR, edited_rows: "leave_out" } as const;
  expect(await refused(engine.compareEvaluations(PROJECT, { ...leave, baseline_is_best: true }))).toContain(
    "baseline_is_best",
  );
  expect(await refused(engine.compareEvaluations(PROJECT, { ...leave, by: "model" }))).toContain(
    "edited_rows",
  );
});

it("a query tells an edited row with what each evaluation has of it; the one that started last says what the row is", async () => {
  const engine = await twoRuns("id");
  for (const evaluation_call_ids of [
    ["before", "after"],
    ["after", "before"],
  ]) {
    const { rows } = await engine.queryEvalResults(PROJECT, { ...BOTH, evaluation_call_ids });
    const edited = rows.filter((row) => row.edited === true);
    expect(edited.map(({ raw_data_row: raw }) => raw)).toEqual(
      expect.arrayContaining([
        { id: "q3", text: "new" },
        { id: "q8", text: "new" },
      ]),
    );
    expect(edited).toHaveLength(2);
    const held = (id: string) =>
      edited.flatMap(({ evaluations }) =>
        evaluations.flatMap((one) => (one.evaluation_call_id === id ? [at(one.raw_data_row, "text")] : [])),
      );
    expect(held("after")).toEqual(["new", "new"]);
    expect(new Set(held("before"))).toEqual(new Set(["question 3", "question 8"]));
    const others = rows.filter((row) => row.edited !== true);
    expect(others.filter((row) => row.evaluations.some((one) => "raw_data_row" in one))).toEqual([]);
  }
  const alone = await engine.queryEvalResults(PROJECT, { ...BOTH, evaluation_call_ids: ["before"] });
  expect(alone.rows.some((row) => row.edited)).toBe(false);
});

it("filters see what the evaluation that started last has of a row", async () => {
  const engine = await twoRuns();
  const count = async (value: string, evaluation_call_ids = BOTH.evaluation_call_ids) => {
    const filters = [textIs(value)];
    return (await engine.queryEvalResults(PROJECT, { evaluation_call_ids, filters })).total_rows;
  };
  expect([await count("new"), await count("question 3"), await count("question 4")]).toEqual([2, 0, 1]);
  expect([await count("new", ["before"]), await count("question 3", ["before"])]).toEqual([0, 1]);
});

it("a number and its text are one key, which is stored as a text; the digest is made of the key alone", async () => {
  const engine = await scratchEngine();
  await run(engine, "before", ROWS, ({ id }) => Number(String(id).slice(1)));
  await run(engine, "after", EDITED, ({ id }) => String(id).slice(1));
  const { comparisons } = await engine.compareEvaluations(PROJECT, PAIR);
  expect(comparisons).toMatchObject([{ n_common: 12, n_edited: 2 }]);
  const { rows } = await engine.queryEvalResults(PROJECT, BOTH);
  expect(rows.map((row) => row.row_digest)).not.toContain(rowDigest(ROWS[0] ?? null));
  const stored = await engine.sql(
    PROJECT,
    "select distinct json_extract_string(attributes, '$.row_key') as key from results order by try_cast(key as int)",
  );
  expect(Array.from(stored, (row) => row["key"])).toEqual(ROWS.map((_, i) => String(i + 1)));
  const listed = await engine.sql(PROJECT, "select row_digest, value from rows");
  expect(listed.numRows).toBe(12);
});

it.each<[string, readonly Row[], RowKey<Row>, string]>([
  [
    "no key",
    [...ROWS.slice(0, 2), { text: "x" }],
    "id",
    "rowKey gave undefined for row 3; give a text or a number",
  ],
  ["a path of no key", ROWS, "meta.id", "rowKey gave undefined for row 1; give a text or a number"],
  ["null", ROWS, () => null as never, "rowKey gave null for row 1; give a text or a number"],
  [
    "an object",
    ROWS,
    (row) => row as never,
    'rowKey gave {"id":"q1","text":"question 1"} for row 1; give a text or a number',
  ],
  ["NaN", ROWS, () => Number.NaN, "rowKey gave NaN for row 1; give a text or a number"],
  [
    "a long text",
    ROWS,
    () => "k".repeat(201),
    `rowKey gave "${"k".repeat(79)}…" for row 1; a key has at most 200 characters`,
  ],
  [
    "one key for two rows",
    [...ROWS.slice(0, 6), { id: "q1", text: "other" }],
    "id",
    'rowKey gave "q1" for rows 1 and 7, which differ',
  ],
])("%s is refused before the row is asked", async (_, data, rowKey, message) => {
  const engine = await scratchEngine();
  const asked: Row[] = [];
  const ran = engine.evaluate<Row, string>(PROJECT, {
    name: "x",
    model: "bot",
    data,
    rowKey,
    maxConcurrency: 1,
    scorers: {},
    task: (row) => {
      asked.push(row);
      return "";
    },
  });
  await expect(ran).rejects.toMatchObject({ code: "invalid_value", message });
  expect(asked).toEqual(data.slice(0, asked.length));
  expect(asked.length).toBe(Number(/(\d+)(?:;|,)/.exec(message)?.[1]) - 1);
});

it("a logger counts rows, not trials; the same row again is its next trial", async () => {
  const engine = await scratchEngine();
  const logger = engine.startEvaluation<JsonObject, string>(PROJECT, {
    name: "x",
    model: "bot",
    rowKey: "meta.id",
  });
  const start = (row: JsonObject) => logger.startPrediction(row).trial;
  const one = { meta: { id: 7 }, text: "a" };
  expect([start(one), start({ text: "a", meta: { id: 7 } }), start({ meta: { id: "8" } })]).toEqual([
    0, 1, 0,
  ]);
  expect(() => start({ meta: { id: "7" }, text: "b" })).toThrow(
    'rowKey gave "7" for rows 1 and 3, which differ',
  );
  expect(() => start({ meta: {} })).toThrow("rowKey gave undefined for row 3");
  await logger.finish();
});

it("where one side has keys and the other none, the refusal says so, whichever it is", async () => {
  const engine = await scratchEngine();
  await run(engine, "plain", ROWS);
  await run(engine, "keyed", ROWS, "id");
  const compare = (baseline: string, candidate: string) =>
    refused(engine.compareEvaluations(PROJECT, { baseline, candidates: [candidate] }));
  expect(await compare("plain", "keyed")).toContain(
    '"keyed" has row keys, the baseline has none: no row is shared',
  );
  expect(await compare("keyed", "plain")).toContain(
    'the baseline has row keys, "plain" has none: no row is shared',
  );
});

const own = (id: string, key: object) => [
  root(id),
  ...["a", "b"].map((text) => trial(`${id}${text}`, text, { ok: true }, { parent_id: id, ...key })),
];

it("a row whose key is its text is not the row of that text", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls([...own("plain", {}), ...own("keyed", { attributes: { row_key: "a" } })]);
  const { total_rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["plain", "keyed"] });
  expect(total_rows).toBe(3);
});

const reference = (text: string) => `weave:///acme/qa/object/set:v1/attr/rows/id/${rowDigest({ text })}`;

const keyed = (id: string, key: string, example: unknown, started_at: string) =>
  trial(
    `${id}-${key}`,
    example,
    { ok: key !== "q2" },
    { parent_id: id, started_at, attributes: { row_key: key } },
  );

/** Calls in which one row refers to what it holds, and others change late. */
function sentCalls() {
  return {
    rows: ["old", "new"].map((text) => ({ project_id: PROJECT, digest: rowDigest({ text }), val: { text } })),
    calls: [
      root("e2", { started_at: "2026-02-02T00:00:00Z" }),
      keyed("e2", "q1", reference("new"), "2026-02-02T00:00:01Z"),
      keyed("e2", "q2", { n: 2, text: "2" }, "2026-02-02T00:00:02Z"),
      keyed("e2", "q3", { text: "3", n: 3 }, "2026-02-02T00:00:03Z"),
      root("e1", { started_at: "2026-01-01T00:00:00Z" }),
      keyed("e1", "q1", reference("old"), "2026-03-01T00:00:01Z"),
      keyed("e1", "q2", { n: 2, text: "two" }, "2026-01-01T00:00:02Z"),
      keyed("e1", "q3", { n: 3, text: "3" }, "2026-01-01T00:00:03Z"),
    ],
  };
}

const QUESTIONS = [
  { evaluation_call_ids: ["e1", "e2"], include_raw_data_rows: true, resolve_row_refs: true },
  { evaluation_call_ids: ["e1", "e2"], include_raw_data_rows: true },
  ...["new", "old", "2", "two"].map((value) => ({
    evaluation_call_ids: ["e1", "e2"],
    filters: [textIs(value)],
  })),
];

it("a row with a key may refer to what it holds; members in another order are no edit", async () => {
  const engine = await scratchEngine();
  const { rows, calls } = sentCalls();
  await engine.ingestCalls(calls);
  await engine.ingestRows(rows);
  const [resolved, referred] = await Promise.all(
    QUESTIONS.slice(0, 2).map((one) => engine.queryEvalResults(PROJECT, one)),
  );
  const edited = resolved?.rows.filter((row) => row.edited) ?? [];
  expect(edited.map(({ raw_data_row: raw }) => raw)).toEqual(
    expect.arrayContaining([{ text: "new" }, { n: 2, text: "2" }]),
  );
  expect(edited).toHaveLength(2);
  expect(referred?.rows.map(({ raw_data_row: raw }) => raw)).toContain(
    `weave:///acme/qa/object/set:v1/attr/rows/id/${rowDigest({ text: "new" })}`,
  );
  const counts = await Promise.all(QUESTIONS.slice(2).map((one) => engine.queryEvalResults(PROJECT, one)));
  expect(counts.map(({ total_rows }) => total_rows)).toEqual([1, 0, 1, 0]);
});

describe.skipIf(noClickHouse !== null)(`rows with keys on both engines${because(noClickHouse)}`, () => {
  it("have the same answers", async () => {
    const url = await sharedClickHouse();
    const both = await openBoth(url, scratchDatabase(url));
    const { rows, calls } = sentCalls();
    const answers = await Promise.all(
      [both.onFile, both.onServer].map(async (core) => {
        await core.ingestCalls(calls.slice(4));
        await core.ingestCalls(calls.slice(0, 4));
        await core.ingestRows(rows);
        const told = [];
        for (const question of QUESTIONS) told.push(await core.queryEvalResultsJson(PROJECT, question));
        for (const edited_rows of ["compare", "leave_out"] as const) {
          const request = { baseline: "e1", candidates: ["e2"], edited_rows };
          told.push(await core.compareEvaluations(PROJECT, request).catch(String));
        }
        return told;
      }),
    );
    await both.close();
    expect(answers[0]?.[6]).toMatchObject({ comparisons: [{ n_common: 3, n_edited: 2 }] });
    expect(answers[1]).toEqual(answers[0]);
  });
});
