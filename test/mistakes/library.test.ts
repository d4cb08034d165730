import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler, openEngine, type Engine } from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { call, exampleCalls, lacks, filtered, ndjson, PROJECT, refusal, type Says } from "./example.ts";

/** A program without types: what it passes is not checked before it runs. */
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;

const { folder, remove } = temporaryFolder();
const at = (name: string) => join(folder, name);
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(exampleCalls());
  writeFileSync(at("notes.txt"), "these are notes\n".repeat(1000));
  writeFileSync(at("broken.ndjson"), `${ndjson([call("a", "op")])}{"id": "b", \n`);
});

afterAll(async () => {
  await engine.close();
  remove();
});

const open = openEngine as Untyped;
const ask = (method: keyof Engine, ...given: readonly unknown[]) => (engine[method] as Untyped)(...given);
const ASKED = { evaluation_call_ids: ["good", "bad"] };

const REFUSED: readonly (readonly [mistake: string, make: () => unknown, says: Says])[] = [
  ["an option of another library", () => open({ file: at("x") }), ["file", "path"]],
  ["an option with a slip", () => open({ pth: at("x") }), ["pth", 'did you mean "path"']],
  ["a path instead of the options", () => open(at("x")), ["options", "object", "path"]],
  [
    "a folder that is not there",
    () => open({ path: at("no/x.duckdb") }),
    ["no/x.duckdb", /folder|directory/],
  ],
  ["a file that is no database", () => open({ path: at("notes.txt") }), ["notes.txt", "database"]],
  [
    "reading a database that is not there",
    () => open({ path: at("none.duckdb"), readOnly: true }),
    ["none.duckdb", "readOnly"],
  ],
  ["a limit in words", () => open({ memoryLimit: "four gigs" }), ["memoryLimit", "four gigs", "4GB"]],
  ["an empty path", () => ask("ingestCalls", ""), ["path", "empty"]],
  ["a file that is not there", () => ask("ingestCalls", at("calls.ndjsn")), ["calls.ndjsn", /no such file/i]],
  ["no source", () => ask("ingestCalls"), ["source", "array", "path"]],
  [
    "a misspelt option of a load",
    () => ask("ingestCalls", [], { oninvalid: "skip" }),
    ['"oninvalid"', 'did you mean "onInvalid"'],
  ],
  [
    "a value that an option does not have",
    () => ask("ingestCalls", [], { onInvalid: "ignore" }),
    ["onInvalid", "fail", "skip"],
  ],
  [
    "a call without its project",
    () => ask("ingestCalls", [call("a", "op", { project_id: undefined })]),
    ["project_id", "record 1"],
  ],
  [
    "a call of a project without entity",
    () => ask("ingestCalls", [call("a", "op", { project_id: "qa" })]),
    ["project_id", /entity\/project/i, "record 1"],
  ],
  [
    "a time in words",
    () => ask("ingestCalls", [call("a", "op", { started_at: "yesterday" })]),
    ["started_at", "ISO 8601", "record 1"],
  ],
  ["a broken line", () => ask("ingestCalls", at("broken.ndjson")), ["broken.ndjson", "record 2", "JSON"]],
  ["calls loaded as rows", () => ask("ingestRows", exampleCalls()), ["record 1", "val", "ingestCalls"]],
  [
    "a project without entity",
    () => ask("queryEvalResults", "qa", {}),
    ["project", '"qa"', /entity\/project/i],
  ],
  [
    "a forgotten project",
    () => ask("listEvaluations", undefined),
    ["project", "undefined", /entity\/project/i],
  ],
  [
    "arguments in a wrong order",
    () => ask("sql", "select 1", PROJECT),
    ["project", "select 1", /entity\/project/i],
  ],
  [
    "a misspelt member of a request",
    () => ask("queryEvalResults", PROJECT, { evaluation_ids: ["good"] }),
    ["evaluation_ids", /did you mean "evaluation_(call|run)_ids"/],
  ],
  ["a filter that is no list", () => ask("queryEvalResults", PROJECT, { filters: {} }), ["filters", "array"]],
  [
    "a prefix that is not there",
    () => ask("queryEvalResults", PROJECT, { ...ASKED, sort_by: [{ field: "score.correct" }] }),
    ["sort_by[0].field", "score.correct", "scores.correct"],
  ],
  [
    "an operator that is not there",
    () => ask("queryEvalResults", PROJECT, filtered("scores.correct", true, "$eqq")),
    ["$eqq", 'did you mean "$eq"', "filters[0]"],
  ],
  [
    "a derived score of what is not there",
    () => ask("queryEvalResults", PROJECT, { ...ASKED, derived_scores: { half: "0.5 * judge.scor" } }),
    ["derived_scores.half", "judge.scor", "judge.score"],
  ],
  ["a negative limit", () => ask("queryEvalResults", PROJECT, { limit: -1 }), ["limit", "0"]],
  ["no request", () => ask("explain", PROJECT), ["request", "object"]],
  ["an option of a table", () => ask("queryTable", PROJECT, {}, { singal: 1 }), ['did you mean "signal"']],
  [
    "a format that is not there",
    () => ask("exportResults", PROJECT, {}, { format: "xlsx", path: at("x.xlsx") }),
    ["format", "xlsx", "parquet", "csv"],
  ],
  [
    "an export into no folder",
    () => ask("exportResults", PROJECT, ASKED, { format: "csv", path: at("none/x.csv") }),
    ["none/x.csv", /folder|directory/],
  ],
  ["a misspelt view", () => ask("sql", PROJECT, "select * from trails"), ["trails", "trials"]],
  ["a misspelt column", () => ask("sql", PROJECT, "select scoer_key from scores"), ["scoer_key", "DESCRIBE"]],
  [
    "a statement without its values",
    () => ask("sql", PROJECT, "select $1, $2", [7]),
    ["$2", /1 (value )?(was|is) given/],
  ],
  ["a statement that writes", () => ask("sql", PROJECT, "delete from trials"), ["SELECT"]],
  [
    "a comparison with a misspelt scorer",
    () => ask("compareEvaluations", PROJECT, { baseline: "good", candidates: ["bad"], scorers: ["corect"] }),
    ["corect", 'did you mean "correct"'],
  ],
  [
    "a comparison with an unknown evaluation",
    () => ask("compareEvaluations", PROJECT, { baseline: "goood", candidates: ["bad"] }),
    ["baseline", "goood", 'did you mean "good"?'],
  ],
  [
    "feedback without a type",
    () =>
      engine.feedback.create(
        { project_id: PROJECT, svc_ref: "svc:///acme/qa/call/c", payload: {} } as never,
        { userId: "ann" },
      ),
    ["feedback_type", /required|missing/],
  ],
  [
    "feedback by nobody",
    () => engine.feedback.create({} as never, { user: "ann" } as never),
    ["user", "userId"],
  ],
  ["one id instead of several", () => ask("deleteCalls", PROJECT, "good-1"), ["ids", "array"]],
  ["a service without keys", () => createHttpHandler(engine, {}), ["keys", "path"]],
  [
    "a misspelt option of the service",
    () => createHttpHandler(engine, { keys: { version: 1, keys: [] }, basepath: "/x" } as never),
    ["basepath", 'did you mean "basePath"'],
  ],
  [
    "a closed engine",
    async () => {
      const closed = await openEngine({ threads: 1 });
      await closed.close();
      await closed.listEvaluations(PROJECT);
    },
    ["closed", "openEngine"],
  ],
];

const WARNED: readonly (readonly [mistake: string, request: object, says: Says])[] = [
  ["a misspelt score", filtered("scores.corect", true), ["scores.corect", "scores.correct"]],
  [
    "a misspelt input",
    { ...ASKED, sort_by: [{ field: "inputs.qestion" }] },
    ["inputs.qestion", "inputs.question"],
  ],
  ["a key with a dot", filtered("scores.my.key", 1), ["scores.my.key", String.raw`scores.my\.key`]],
  [
    "a boolean compared with a text",
    filtered("scores.correct", "yes"),
    ["scores.correct", "true", "false", '"yes"'],
  ],
  ["an unknown evaluation", { evaluation_call_ids: ["goood"] }, ["goood", /did you mean "good"|evaluations/]],
];

describe("a mistake in the library", () => {
  it.each(REFUSED)("is refused by name: %s", async (_, make, says) => {
    expect(lacks(await refusal(make), says)).toEqual([]);
  });

  it.each(["inputs.qestion", "inputs.questions"] as const)(
    "is refused where no row has clusters: %s",
    async (field) => {
      const [good = "", bad = ""] = (await engine.listEvaluations(PROJECT)).map(({ id }) => id);
      const asked = { cluster_by: field };
      for (const make of [
        () => engine.queryEvalResults(PROJECT, { ...ASKED, ...asked }),
        () => engine.compareEvaluations(PROJECT, { baseline: good, candidates: [bad], ...asked }),
        () => engine.leaderboard(PROJECT, asked),
      ])
        expect(lacks(await refusal(make), ["cluster_by", field, 'did you mean "inputs.question"?'])).toEqual(
          [],
        );
    },
  );

  it.each(WARNED)("is a warning of the answer: %s", async (_, request, says) => {
    const answer = await engine.queryEvalResults(PROJECT, request);
    expect(answer.warnings).toHaveLength(1);
    expect(lacks(answer.warnings.join("\n"), says)).toEqual([]);
  });
});
