import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const database = ["--db", join(folder, "said.duckdb")];
const ROWS = 20;

type Scores = (row: number) => Record<string, unknown>;

function run(id: string, model: string, at: string, scores: Scores): object[] {
  return [
    root(id, { display_name: id, started_at: at, ended_at: at, inputs: { model } }),
    ...Array.from({ length: ROWS }, (_, n) =>
      trial(`${id}-${n}`, { n }, scores(n), { parent_id: id, started_at: at }),
    ),
  ];
}

/** Both have the same in `a`, `b` and `c`; `lost` and `gone` lack two rows, `few` another one. */
const before: Scores = (n) => ({
  a: n % 2 === 0,
  b: n % 3 === 0,
  c: n % 4 === 0,
  ok: true,
  fine: true,
  lost: n > 0,
  gone: n > 0,
  few: n > 0,
});
const after: Scores = (n) => ({
  ...before(n),
  ok: n < 5,
  fine: n < 4,
  ...(n < 2 ? { lost: null, gone: null } : {}),
  ...(n === 9 ? { few: null } : {}),
});

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "said.duckdb") });
  await engine.ingestCalls([
    ...run("before", "m:v1", "2026-07-01T00:00:00Z", before),
    ...run("after", "m:v2", "2026-07-02T00:00:00Z", after),
    ...run("same", "m:v1", "2026-07-03T00:00:00Z", before),
  ]);
  await engine.close();
});

const TERMINAL = { isTTY: true, columns: 400 };

function compare(...args: readonly string[]) {
  return evalcubeHere(["compare", ...database, "--baseline", "before", ...args], "", TERMINAL);
}

const wordsOf = (text: string) => text.trimEnd().split("\n");
const TABLE = /─{3}/;

describe("of one pair, a terminal gets", () => {
  it("no table: what changed, then each score once, those of one verdict together", async () => {
    const { stdout } = await compare("--candidate", "after");
    expect(stdout).not.toMatch(TABLE);
    const [changed, ...lines] = wordsOf(stdout);
    expect(changed).toBe("changed: model m:v1 → m:v2");
    expect(lines.filter((line) => !line.startsWith(" "))).toEqual([
      "after and before have the same a, b, c, few, gone and lost on every shared row.",
      "after is worse than before in fine and ok.",
    ]);
    const scores = lines.flatMap((line) => /^ {2}[=▼] (\w+): /.exec(line)?.[1] ?? []);
    expect(scores.toSorted()).toEqual(["a", "b", "c", "few", "fine", "gone", "lost", "ok"]);
  });

  it("the sentence of one score with its figures below", async () => {
    const { stdout } = await compare("--candidate", "after", "--scorer", "ok");
    expect(wordsOf(stdout)).toEqual([
      "changed: model m:v1 → m:v2",
      "after is worse than before in ok.",
      expect.stringMatching(
        /^ {2}▼ 25\.0% against 100\.0%: −75\.0 points \(.*20 shared rows\)\. 0 better, 15 rows worse\.$/,
      ),
    ]);
  });

  it("a table where it is asked for", async () => {
    const { stdout } = await compare("--candidate", "after", "--format", "table");
    expect(stdout).toMatch(/candidate[^]*─{3}[^]*\nafter is worse than before in fine and ok\.\n/);
  });

  it("each note once, with its scores", async () => {
    const { stderr, stdout } = await compare("--candidate", "after");
    const told = wordsOf(stderr).filter((line) => line.includes("without a value"));
    expect(told).toEqual([
      'note: "after": left out: 1 row without a value in few; left out: 2 rows without a value in gone, lost',
    ]);
    expect(stdout.match(/Compared on shared rows only/g)).toHaveLength(1);
    expect(stdout).toContain(
      "  • Compared on shared rows only: after (19 of 20 rows in few; 18 of 20 rows in gone and lost).\n",
    );
  });
});

describe("of several pairs, a terminal gets", () => {
  it("a table, and sentences of what is better, worse or moved alone", async () => {
    const { stdout } = await compare("--candidate", "after", "same");
    expect(stdout).toMatch(TABLE);
    const [, said = ""] = stdout.split("\n\n");
    expect(wordsOf(said)).toEqual([
      "changed: after: model m:v1 → m:v2",
      "changed: same: nothing that is recorded",
      "before has the highest mean of fine: 100.0%. Of the 2 others, 1 is the same on every shared row and 1 is worse.",
      "  ▼ Worse than before, by 80.0 points: after.",
      "before has the highest mean of ok: 100.0%. Of the 2 others, 1 is the same on every shared row and 1 is worse.",
      "  ▼ Worse than before, by 75.0 points: after.",
    ]);
    const whole = await compare("--candidate", "after", "same", "--format", "table");
    expect(whole.stdout).toContain("The same as before on every shared row: after and same.");
  });

  it("the table alone where nothing is shown", async () => {
    const { stdout } = await compare("--candidate", "after", "same", "--scorer", "a");
    expect(stdout.split("\n\n")[1]).toBe(
      "changed: after: model m:v1 → m:v2\nchanged: same: nothing that is recorded\n",
    );
  });
});

/** Evaluations of three scores, of which two are right on the first rows. */
function moduleOf(names: readonly string[], right: number): string {
  return put(
    folder,
    `${names.join("-")}-${right}.eval.mjs`,
    `const of = (name) => ({ name, model: "m:${right}", data: Array.from({ length: 20 }, (_, n) => n), task: (n) => n,
      scorers: { ok: ({ output }) => output < ${right}, near: ({ output }) => output <= ${right}, all: () => true } });
    export default ${JSON.stringify(names)}.map(of);\n`,
  );
}

async function evaluate(file: string, ...args: readonly string[]): Promise<string> {
  const db = ["--db", join(folder, "run.duckdb"), "--project", PROJECT, "--no-git"];
  return (await evalcubeHere(["run", file, ...db, ...args])).stdout;
}

describe("run says the same as compare", () => {
  it("of one evaluation no table, of several one, and one of one where it is asked for", async () => {
    await evaluate(moduleOf(["one"], 18));
    const one = await evaluate(moduleOf(["one"], 3));
    expect(one).not.toContain("candidate");
    expect(one).toMatch(
      /\nchanged: .*\n[^]*one \(.*\) is worse than one \(.*\) in near and ok\.\n {2}▼ near: /,
    );
    await evaluate(moduleOf(["two", "three"], 18));
    const both = await evaluate(moduleOf(["two", "three"], 3));
    expect(both).toMatch(/\ncandidate +score +rows[^]*▼ worse/);
    expect(both).not.toContain("have the same all");
    expect(both.match(/ is worse than /g)).toHaveLength(2);
    const asked = await evaluate(moduleOf(["one"], 2), "--format", "table");
    expect(asked).toMatch(/^Summary[^]*\ncandidate +score +rows[^]*have the same all on every shared row\./);
  });
});
