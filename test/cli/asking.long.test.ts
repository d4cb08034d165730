import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import { call, complaint, exampleCalls, PROJECT, put, temporaryFolder, TRIAL } from "./command.ts";
import type { Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
afterEach(() => void vi.unstubAllEnvs());

const database = join(folder, "one.duckdb");
const others = join(folder, "several.duckdb");

/** `later` is a second evaluation of the model of `good`, and has the name of `bad`. */
function later(): object[] {
  const inputs = { self: "svc:///acme/qa/object/set:v1", model: "svc:///acme/qa/object/model-good:v2" };
  const members = { display_name: "the bad one", started_at: "2025-01-02T00:00:00Z", inputs };
  const output = { output: "a = b", scores: { correct: true, note: "a, b", meta: null } };
  return [
    call("later", "Evaluation.evaluate", members),
    call("later-0", TRIAL, { parent_id: "later", inputs: { example: { n: 0 } }, output }),
  ];
}

beforeAll(async () => {
  const engine = await openEngine({ path: database });
  await engine.ingestCalls([...exampleCalls(), ...later()]);
  await engine.close();
  const several = await openEngine({ path: others });
  for (const project_id of ["acme/b", "acme/a"])
    await several.ingestRows([{ project_id, digest: "d", val: { n: 1 } }]);
  await several.close();
  await (await openEngine({ path: join(folder, "none.duckdb") })).close();
});

function asked(args: readonly string[], input = "", screen = {}): Promise<Ended> {
  const [command = "", ...rest] = args;
  return evalcubeHere([command, "--db", database, ...rest], input, screen);
}

async function answered(args: readonly string[], input = ""): Promise<unknown> {
  const { status, stdout, stderr } = await asked(args, input);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as unknown;
}

describe("the database and the project", () => {
  it("come from EVALCUBE_DB and EVALCUBE_PROJECT; flags come first", async () => {
    vi.stubEnv("EVALCUBE_DB", others);
    vi.stubEnv("EVALCUBE_PROJECT", "acme/a");
    expect((await evalcubeHere(["sql", "select count(*) as n from rows", "--format", "csv"])).stdout).toBe(
      '"n"\r\n1\r\n',
    );
    const named = ["evaluations", "--db", database, "--project", PROJECT];
    expect(JSON.parse((await evalcubeHere(named)).stdout)).toHaveLength(3);
  });

  it("are told apart from a project that nothing was loaded into", async () => {
    const { status, stdout, stderr } = await evalcubeHere([
      "evaluations",
      "--db",
      others,
      "--project",
      "acme/c",
    ]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "[]\n" });
    expect(stderr).toBe(
      `note: nothing was loaded into the project acme/c of ${others}; it holds acme/a, acme/b\n`,
    );
  });

  it("must be named: the database always, and EVALCUBE_DB may do it", async () => {
    const { status, stderr } = await evalcubeHere(["evaluations"]);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toBe(
      "required option '--db <path>' not specified, and EVALCUBE_DB is not set",
    );
  });

  it("of a database with one project need no --project", async () => {
    expect(await answered(["evaluations"])).toHaveLength(3);
    expect((await asked(["sql", "select count(*) as n from trials", "--format", "csv"])).stdout).toContain(
      "7",
    );
  });

  it("of a database with several are listed, and without any it is told to load", async () => {
    const several = await evalcubeHere(["evaluations", "--db", others]);
    expect(several.status).toBe(2);
    expect(complaint(several.stderr).reason).toBe(
      `${others} holds 2 projects; name one with --project: acme/a, acme/b`,
    );
    const none = await evalcubeHere(["evaluations", "--db", join(folder, "none.duckdb")]);
    expect(complaint(none.stderr).reason).toMatch(
      /holds no project yet; load evaluations with evalcube ingest or evalcube import, or make one with evalcube run$/,
    );
  });

  it.each([
    ["EVALCUBE_DB", "", /'--db <path>' value '' from env 'EVALCUBE_DB' is invalid. It must name a file/],
    ["EVALCUBE_PROJECT", "qa", /from env 'EVALCUBE_PROJECT' is invalid. It must be ENTITY\/PROJECT/],
  ])("in %s are checked: %j", async (name, value, reason) => {
    vi.stubEnv("EVALCUBE_DB", database);
    vi.stubEnv(name, value);
    expect(complaint((await evalcubeHere(["evaluations"])).stderr).reason).toMatch(reason);
  });

  it.each([
    ["much", /memoryLimit must be a size such as 512MiB or 4GB, not "much"/],
    ["1MB", /EVALCUBE_MEMORY_LIMIT|Out of Memory/],
  ])("has the memory of EVALCUBE_MEMORY_LIMIT: %s", async (memory, reason) => {
    vi.stubEnv("EVALCUBE_MEMORY_LIMIT", memory);
    const { status, stderr } = await asked(["evaluations"]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });
});

describe("evaluations", () => {
  it.each([
    ["the good one", "good"],
    ["latest", "later"],
    ["latest~1", "good"],
    ["model:model-good", "later"],
    ["bad", "bad"],
  ])("are found by %j in flags and requests", async (text, id) => {
    const expected = await answered(["query", "-"], JSON.stringify({ evaluation_call_ids: [id] }));
    expect(await answered(["query", "--evaluation", text])).toEqual(expected);
    for (const member of ["evaluation_call_ids", "evaluation_run_ids"])
      expect(await answered(["query", "-"], JSON.stringify({ [member]: [text] }))).toEqual(expected);
  });

  it("are found in filters, sort keys and comparisons, also those of a file", async () => {
    const parts = {
      evaluation_call_ids: ["good", "bad"],
      filters: [
        { evaluation_call_id: "good", query: { $expr: { $eq: [field("scores.correct"), literal(true)] } } },
      ],
      sort_by: [{ evaluation_call_id: "good", field: "scores.length", direction: "desc" }],
    };
    const text = JSON.stringify(parts);
    expect(await answered(["query", "-"], text.replaceAll('"good"', '"the good one"'))).toEqual(
      await answered(["query", "-"], text),
    );
    const json = ["--format", "json"];
    const compared = await answered(["compare", "--baseline", "good", "--candidate", "bad", ...json]);
    expect(
      await answered(["compare", "--baseline", "the good one", "--candidate", "model:model-bad", ...json]),
    ).toEqual(compared);
  });

  it("that several are named so are the latest of them, which a note says", async () => {
    const flag = await asked(["query", "--evaluation", "the bad one"]);
    expect([flag.status, flag.stderr]).toEqual([
      0,
      expect.stringContaining("the bad one is the bad one (2025-01-02), the latest of 2"),
    ]);
    const twice = await asked(["compare", "--baseline", "good", "--candidate", "later", "the bad one"]);
    expect([twice.status, complaint(twice.stderr).detail]).toMatchObject([2, [{ loc: ["--candidate", 1] }]]);
  });

  it("that are not there are refused, at the flag or in the request", async () => {
    expect(complaint((await asked(["query", "--evaluation", "latest~9"])).stderr).reason).toMatch(
      /^--evaluation\[0\]: .*3 evaluations/,
    );
    const member = await asked(["query", "-"], '{"evaluation_call_ids":["good","nobody"]}');
    expect([member.status, complaint(member.stderr).detail]).toMatchObject([
      2,
      [{ loc: ["evaluation_call_ids", 1] }],
    ]);
  });
});

const field = (name: string) => ({ $getField: name });
const literal = (value: unknown) => ({ $literal: value });

describe("flags of a request", () => {
  it.each([
    ["scores.length > 1", { $gt: [field("scores.length"), literal(1)] }],
    ["scores.length>=1.5", { $gte: [field("scores.length"), literal(1.5)] }],
    ["scores.length < 1e0", { $lt: [field("scores.length"), literal(1)] }],
    ["scores.length<=0.5", { $lte: [field("scores.length"), literal(0.5)] }],
    ["scores.correct = true", { $eq: [field("scores.correct"), literal(true)] }],
    ["scores.correct != true", { $not: [{ $eq: [field("scores.correct"), literal(true)] }] }],
    ["scores.meta = null", { $eq: [field("scores.meta"), literal(null)] }],
    ["output.output = answer 1", { $eq: [field("output.output"), literal("answer 1")] }],
    ['inputs.n = "1"', { $eq: [field("inputs.n"), literal("1")] }],
    ["inputs.n = 01", { $eq: [field("inputs.n"), literal("01")] }],
    ["output.output = =b", { $eq: [field("output.output"), literal("=b")] }],
    ["output.output contains a = ", { $contains: { input: field("output.output"), substr: literal("a =") } }],
    ["output.output contains 1", { $contains: { input: field("output.output"), substr: literal("1") } }],
    ["inputs.n in [0, 2]", { $in: [field("inputs.n"), [literal(0), literal(2)]] }],
  ])("--filter %j is the condition that a file would hold", async (text, condition) => {
    const evaluation_call_ids = ["good", "later"];
    const expected = { evaluation_call_ids, filters: [{ query: { $expr: condition } }] };
    const flags = ["--evaluation", "good", "--evaluation", "later", "--filter", text];
    const answer = await answered(["query", ...flags]);
    expect(answer).toEqual(await answered(["query", "-"], JSON.stringify(expected)));
    const digests = (answer as { rows: { row_digest: string }[] }).rows.map((row) => row.row_digest);
    const { stdout } = await asked(["export", ...flags, "--out", "-", "--format", "jsonl"]);
    const exported = stdout.trimEnd().split("\n").filter(Boolean);
    expect(new Set(exported.map((line) => (JSON.parse(line) as { row_digest: string }).row_digest))).toEqual(
      new Set(digests),
    );
  });

  it("must all hold, and add to the filters of a file", async () => {
    const filters = ["scores.length > 0.5", "scores.length < 2"];
    const [first, second] = [
      { $gt: [field("scores.length"), literal(0.5)] },
      { $lt: [field("scores.length"), literal(2)] },
    ].map(($expr) => ({ query: { $expr } }));
    const expected = await answered(
      ["query", "-"],
      JSON.stringify({ evaluation_call_ids: ["good"], filters: [first, second] }),
    );
    expect(expected).toMatchObject({ total_rows: 1 });
    const flags = filters.flatMap((text) => ["--filter", text]);
    expect(await answered(["query", "--evaluation", "good", ...flags])).toEqual(expected);
    const file = put(
      folder,
      "first.json",
      JSON.stringify({ evaluation_call_ids: ["bad"], filters: [first] }),
    );
    expect(await answered(["query", file, "--evaluation", "good", ...flags.slice(2)])).toEqual(expected);
    const either = JSON.stringify({ filters: [first], filter_logic_operator: "or" });
    expect(complaint((await asked(["query", "-", ...flags], either)).stderr).reason).toMatch(
      /^--filter: .*joined by or/,
    );
  });

  it.each([
    ["scores.length", { field: "scores.length", direction: "asc" }],
    ["scores.length:desc", { field: "scores.length", direction: "desc" }],
    ["scores.correct:difference", { field: "scores.correct", mode: "difference", direction: "desc" }],
  ])("--sort %j, --limit and --offset are members of the request", async (text, key) => {
    const request = { evaluation_call_ids: ["good", "bad"], sort_by: [key], limit: 2, offset: 1 };
    const flags = [
      "--evaluation",
      "good",
      "--evaluation",
      "bad",
      "--sort",
      text,
      "--limit",
      "2",
      "--offset",
      "1",
    ];
    expect(await answered(["query", ...flags])).toEqual(
      await answered(["query", "-"], JSON.stringify(request)),
    );
  });

  it.each([
    [["--filter", "scores.length"], /^--filter\[0\]: "scores.length" is not FIELD OP VALUE/, ["--filter", 0]],
    [["--filter", "a == 1"], /^--filter\[0\]: there is no operator ==; there are = != </, ["--filter", 0]],
    [["--filter", "inputs.n =~ a"], /no operator =~/, ["--filter", 0]],
    [["--filter", "inputs.n ="], /= needs a value/, ["--filter", 0]],
    [["--filter", "inputs.n in 1"], /^--filter\[0\]: in needs a JSON list/, ["--filter", 0]],
    [["--filter", "inputs.n > 1", "--filter", "input.n > 1"], /^--filter\[1\]: .*input/, ["--filter", 1]],
    [["--filter", "inputs.n in [[1]]"], /^--filter\[0\]: /, ["--filter", 0]],
    [["--sort", "inputs.n:up"], /^--sort\[0\]: there is no order "up"; there are asc, desc/, ["--sort", 0]],
    [["--sort", "rows.n"], /^--sort\[0\]: /, ["--sort", 0]],
    [["--limit", "ten"], /^--limit: /, ["--limit"]],
    [["--offset", "-1"], /^--offset: /, ["--offset"]],
  ])("that are wrong are named: %j", async (flags, reason, loc) => {
    const { status, stderr } = await asked(["query", "--evaluation", "good", ...flags]);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toMatch(reason);
    expect(complaint(stderr).detail).toMatchObject([{ loc }]);
  });

  it("leave the place of what the file says", async () => {
    const request = JSON.stringify({ filters: [{ query: { $expr: { $eq: [1] } } }] });
    const { stderr } = await asked(["query", "-", "--filter", "inputs.n > 1"], request);
    expect(complaint(stderr).reason).toMatch(/^filters\[0\]\.query\.\$expr/);
    expect(complaint((await asked(["query", "-", "--limit", "1"], "[]")).stderr).reason).toBe(
      "the request must be a JSON object",
    );
  });
});

describe("the ending of --out", () => {
  it.each([
    ["csv", /^"row_digest"/],
    ["jsonl", /^\{"row_digest"/],
    ["json", /^\[/],
    ["ndjson", /^\{"row_digest"/],
    ["parquet", /^PAR1/],
    ["arrow", /^ARROW1/],
  ])("says the format: .%s", async (ending, start) => {
    for (const args of [
      ["export", "--evaluation", "good"],
      ["sql", "select trial_id as row_digest from trials"],
    ]) {
      const out = join(folder, `${args[0]}.${ending.toUpperCase()}`);
      expect(await asked([...args, "--out", out])).toMatchObject({ status: 0, stdout: "" });
      expect(readFileSync(out, "latin1")).toMatch(start);
    }
  });

  it.each([
    [["--out", "x.html"], /^an export is no HTML/],
    [["--out", "x.html", "--format", "csv"], /^an export is no HTML/],
    [["--out", "x.csv", "--format", "parquet"], /^--format parquet contradicts --out x.csv/],
    [
      ["--out", "x.xlsx"],
      /^--out x.xlsx says no format; end it in one of .csv .parquet .arrow .jsonl .ndjson .json, or/,
    ],
    [["--out", "x"], /says no format/],
  ])("is refused: %j", async (flags, reason) => {
    for (const args of [["export"], ["sql", "select 1"]]) {
      const { status, stderr } = await asked([...args, ...flags]);
      expect(status).toBe(2);
      expect(complaint(stderr).reason).toMatch(reason);
    }
  });

  it("is not needed for standard output where --format says it, and for other names", async () => {
    expect(complaint((await asked(["export", "--out", "-"])).stderr).reason).toBe("--out - needs --format");
    expect((await asked(["sql", "select 1 as a", "--out", "-"])).stdout).toBe('[{"a":1}]\n');
    const out = join(folder, "plain");
    await asked(["sql", "select 1 as a", "--out", out, "--format", "csv"]);
    expect(readFileSync(out, "utf8")).toBe('"a"\r\n1\r\n');
  });
});

describe("a mistake", () => {
  it.each([
    [["query", "--limt", "1"], "unknown option '--limt' (Did you mean --limit?)"],
    [["query", "--sort", "rows.x"], /^--sort\[0\]: [^\n{]+$/],
    [["query", "-"], /^limit: [^\n{]+$/],
  ])("is one sentence on a terminal: %j", async (args, sentence) => {
    const { status, stdout, stderr } = await asked(args, '{"limit":-1}', { isTTY: true });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^evalcube: .*\n$/);
    expect(stderr.slice("evalcube: ".length, -1)).toMatch(sentence);
  });
});
