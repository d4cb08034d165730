import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type EvaluationEntry } from "../../src/index.ts";
import { evaluationLabels } from "../../src/model/labels.ts";
import { temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const db = join(folder, "qa.duckdb");
const PROJECT = "acme/qa";
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

let list: EvaluationEntry[] = [];

/** Two runs; the second is worse, and has rows that the first does not have, which fail. */
async function runTwice(name: string): Promise<EvaluationEntry[]> {
  const engine = await openEngine({ path: db });
  for (const [least, length] of [
    [3, 20],
    [15, 22],
  ] as const)
    await engine.evaluate(PROJECT, {
      name,
      model: "bot",
      data: Array.from({ length }, (_, n) => ({ n })),
      task: ({ n }: { n: number }) => {
        if (n >= 20) throw new Error("no key");
        return n;
      },
      scorers: { correct: ({ output }: { output: number }) => output >= least },
    });
  const found = await engine.listEvaluations(PROJECT);
  await engine.close();
  return found.filter((one) => one.display_name === name);
}

beforeAll(async () => {
  list = await runTwice("sums");
});

const ask = (...args: string[]) => evalcubeHere([...args, "--db", db]);

describe("two runs of one name", () => {
  it("are told apart by labels in every table, Markdown, JUnit and report, and never by ids", async () => {
    const labels = [...evaluationLabels(list).values()];
    const junit = join(folder, "junit.xml");
    const report = join(folder, "report.html");
    const said = [
      await ask("query", "--evaluation", "latest", "--evaluation", "latest~1", "--format", "table"),
      await ask("compare", "--format", "table", "--junit", junit),
      await ask("compare", "--format", "markdown"),
      await ask("compare", "--format", "table", "--candidate", "latest"),
      await ask("leaderboard", "--format", "table"),
      await ask("leaderboard", "--format", "markdown"),
      await ask("leaderboard", "--format", "table", "--count-errors-as", "0"),
      await ask("compare", "--format", "table", "--count-errors-as", "0"),
      await evalcubeHere(
        ["query", "--db", db, "--format", "table", "-"],
        '{"evaluation_call_ids":["latest","latest~1"],"include_rows":false,"include_summary":true}',
      ),
    ];
    await ask("report", "--out", report, "--outputs", "none");
    const page = readFileSync(report, "utf8");
    const visible = page.replaceAll(
      /<script[^]*?<\/script>|<dl class="facts">[^]*?<\/dl>|title="[^"]*"|value="[^"]*"|<[^>]*>/g,
      " ",
    );
    for (const text of [
      ...said.map(({ stdout, stderr }) => stdout + stderr),
      readFileSync(junit, "utf8"),
      visible,
    ]) {
      expect(text).not.toMatch(UUID);
      expect(text).toContain("sums (");
    }
    for (const { stderr } of said) expect(stderr).not.toContain('"sums"');
    expect(said.every(({ status }) => status === 0)).toBe(true);
    for (const label of labels) expect(said[5]?.stdout).toContain(label);
  });

  it("are meant by their labels, and by their name the latest, as a note says", async () => {
    for (const [id, label] of evaluationLabels(list)) {
      const { status, stdout } = await ask("query", "--evaluation", label, "--format", "json");
      expect(status).toBe(0);
      expect(stdout).toContain(id);
    }
    const { stderr } = await ask("query", "--evaluation", "sums", "--format", "table");
    const note = `note: sums is ${evaluationLabels(list).get(list.at(-1)?.id ?? "")}, the latest of 2\n`;
    expect(stderr).toBe(note);
    const out = join(folder, "named.html");
    const report = await ask("report", "--evaluation", "sums", "--out", out, "--outputs", "none");
    expect(report.stderr).toContain(note);
    const judged = await ask("ci", "--candidate", "sums", "--baseline", "sums~1");
    expect(judged.stdout).toContain(note.slice("note: ".length));
  });

  it("are compared with each other where nobody names a baseline, by compare and by the library", async () => {
    const { stdout } = await ask("compare", "--format", "json");
    const { comparisons } = JSON.parse(stdout) as { comparisons: { baseline: string; candidate: string }[] };
    expect(comparisons[0]).toMatchObject({ baseline: list[0]?.id, candidate: list[1]?.id });
    const engine = await openEngine({ path: db, readOnly: true });
    expect((await engine.compareEvaluations(PROJECT, {})).comparisons).toEqual(comparisons);
    await engine.close();
  });

  it("are not deleted by their name", async () => {
    const { status, stderr } = await ask("delete", "sums", "--yes");
    expect(status).toBe(2);
    for (const { id } of list) expect(stderr).toContain(id);
  });

  it("are deleted as they are printed where control characters are in their name, one at a time", async () => {
    const odd = await runTwice("odd\nname\u001B[2J");
    const refused = await ask("delete", "odd name [2J", "--yes");
    expect(refused.status).toBe(2);
    for (const { id } of odd) expect(refused.stderr).toContain(id);
    const { stdout } = await ask("delete", odd[0]?.id ?? "", "--yes");
    expect(stdout).toMatch(/^hidden: odd name \[2J \(.*\) with 20 trials\n$/);
  });
});
