import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { complaint, PROJECT, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const db = join(folder, "a.duckdb");
const DB = ["--db", db];
const PAIR = ["--baseline", "support small", "--candidate", "support large"];

beforeAll(async () => {
  const engine = await openEngine({ path: db });
  for (const name of ["support small", "support large"])
    await engine.evaluate(PROJECT, {
      name,
      model: name.replace(" ", "-"),
      data: Array.from({ length: 6 }, (_, n) => ({ n, topic: n % 2 === 0 ? "a" : "b" })),
      task: ({ n }) => n,
      scorers: { correct: ({ row }) => row.n % 3 === 0, length: ({ row }) => row.n },
    });
  await engine.close();
});

async function refused(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await evalcubeHere(args);
  expect([status, stdout]).toEqual([2, ""]);
  return complaint(stderr).reason;
}

describe("a misspelt name", () => {
  it.each<[string, readonly string[]]>([
    ["support small", ["history", "suport"]],
    ["support large", ["history", "larg"]],
    ["latest", ["query", "--evaluation", "lastest"]],
    ["latest~1", ["query", "--evaluation", "lates~1"]],
    ["support small", ["compare", "--baseline", "suport smal", "--candidate", "latest"]],
    ["support large", ["compare", "--baseline", "support small", "--candidate", "support lrage"]],
    ["support-small", ["leaderboard", "--evaluation", "model:suport-small"]],
    ["length", ["compare", ...PAIR, "--lower-is-better", "lenght"]],
    ["length", ["history", "support small", "--higher-is-better", "lenght"]],
    ["length", ["compare", ...PAIR, "--scorer", "lenght"]],
    ["correct", ["leaderboard", "--sort", "scores.corect"]],
    ["latency", ["leaderboard", "--sort", "latncy"]],
    ["scores.correct", ["leaderboard", "--sort", "correct"]],
    ["scores.length", ["leaderboard", "--sort", "length:desc"]],
    ["scores.correct", ["query", "--evaluation", "latest", "--sort", "correct"]],
    ['scores.topic" or "inputs.topic', ["query", "--evaluation", "latest", "--filter", "topic = law"]],
    ["inputs.topic", ["compare", ...PAIR, "--cluster-by", "topic"]],
    ["inputs.topic", ["history", "support small", "--cluster-by", "topic"]],
    ["inputs.topic", ["leaderboard", "--cluster-by", "input.topic"]],
    ["inputs.meta.id", ["report", "--out", "r.html", "--cluster-by", "meta.id"]],
    ["correct", ["report", "--out", "r.html", "--scorer", "corect"]],
    ["inputs.topic", ["compare", ...PAIR, "--by", "topic"]],
    ["inputs.topic", ["compare", ...PAIR, "--by", "input.topic"]],
    ["auto", ["compare", ...PAIR, "--by", "atuo"]],
  ])("is asked about: %j", async (meant, [command = "", ...args]) => {
    expect(await refused(command, ...DB, ...args)).toContain(`did you mean "${meant}"?`);
  });
});

it.each([
  ["cost", "--sort cost: no cost is known; give --prices FILE, or --costs"],
  ["tokens", "--sort tokens: no tokens are known"],
])("entries are not ordered by %s where none is known", async (field, message) => {
  expect(await refused("leaderboard", ...DB, "--sort", field)).toBe(message);
  expect(await refused("leaderboard", ...DB, "--sort", `${field}:desc`)).toBe(message);
});

it.each([
  ["r.pdf", "r.html"],
  ["r", "r.html"],
  ["a.b.MD", "a.b.html"],
])("a report is no %s", async (name, other) => {
  const out = join(folder, name);
  expect(await refused("report", ...DB, "--out", out)).toBe(`report writes HTML: name it ${other}`);
  expect(existsSync(out)).toBe(false);
});

it.each(["check", "migrate", "maintain", "serve"])("a service is no file for %s", async (command) => {
  const needed: Readonly<Record<string, readonly string[]>> = {
    serve: ["--keys", "k"],
    migrate: ["--to", "b"],
  };
  expect(await refused(command, "--db", "http://127.0.0.1:7450/base", ...(needed[command] ?? []))).toBe(
    `http://127.0.0.1:7450 is a service; ${command} needs the file itself, or the server of ClickHouse`,
  );
});

it("a service is no file to migrate to", async () => {
  expect(await refused("migrate", ...DB, "--to", "https://evals.example")).toBe(
    "https://evals.example is a service; migrate needs the file itself, or the server of ClickHouse",
  );
});

it("the address of a service holds no key, which is not shown", async () => {
  const said = await refused("evaluations", "--db", "http://api:ec_secret@127.0.0.1:7450");
  expect(said).toContain("must not hold a key, which others see on a command line; set EVALCUBE_KEY");
  expect(said).not.toContain("ec_secret");
});

it("an option before its command is told where it goes", async () => {
  expect(await refused(...DB, "evaluations")).toBe(
    `--db goes behind the command: evalcube evaluations --db ${db}`,
  );
  expect(await refused(`--db=${db}`, "sql", "select 'x y'")).toBe(
    `--db goes behind the command: evalcube sql --db=${db} 'select '\\''x y'\\'''`,
  );
  expect(await refused("--dbx", "x", "evaluations")).toContain("unknown option '--dbx'");
});

it.each([
  ["select scores.correct from results", 'write "scores.correct" in quotation marks'],
  ["select r.scores.correct from results r", 'write "scores.correct" in quotation marks'],
  [
    'select avg("scores.correct") from results',
    '"scores.correct" is true or false: avg("scores.correct"::int)',
  ],
  [
    'select stddev( "scores.correct" ) from results',
    '"scores.correct" is true or false: stddev("scores.correct"::int)',
  ],
])("a statement about scores is told what to write: %s", async (statement, message) => {
  expect(await refused("sql", ...DB, statement)).toBe(`statement: ${message}`);
});

function run(name: string, text: string) {
  return evalcubeHere(["run", put(folder, name, text), ...DB]);
}

describe("a module", () => {
  const GOOD = 'name: "x", model: "m", data: [1], task: () => 1';

  it("whose evaluation has a misspelt member is told that first", async () => {
    const { status, stderr } = await run("typo.mjs", `export default { ${GOOD}, scorrers: {} };`);
    expect([status, complaint(stderr).reason]).toEqual([
      2,
      "scorrers is no member of an evaluation; did you mean scorers?",
    ]);
  });

  it.each([
    ["a.mjs", 'import x from "./gone.mjs"; export default x;', /gone\.mjs' imported from .*a\.mjs\n$/],
    ["b.ts", 'import x from "./gone.ts"; export default x;', /gone\.ts', imported from .*b\.ts\n$/],
    [
      "c.mjs",
      'import x from "no-such-package"; export default x;',
      /'no-such-package' imported from .*c\.mjs\n$/,
    ],
  ])("that imports what is not there says so in one line: %s", async (name, text, line) => {
    const { status, stderr } = await run(name, text);
    expect(status).toBe(1);
    expect(stderr).toMatch(line);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("whose scorers give numbers as texts hears of the first of them once", async () => {
    const { stderr } = await run(
      "texts.mjs",
      `export default { ${GOOD.replace("[1]", "[1, 2, 3]")}, scorers: { tone: () => "kind", judge: () => ({ why: "7 of 9", score: "0.9" }), other: () => "1" } };`,
    );
    expect(stderr.match(/.*texts have no mean.*/g)).toEqual([
      'evalcube: judge.score gave the text "0.9"; texts have no mean. Return a number',
    ]);
  });
});
