import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type ImportOptions } from "../../src/index.ts";
import { fileNames } from "../../src/import/translate/file-names.ts";
import { PROJECT } from "./imports.ts";
import { newFolders } from "./shared.ts";

const newFolder = newFolders();
let folder = "";
let engine: Engine;

beforeEach(async () => {
  folder = newFolder();
  engine = await openEngine();
  return () => engine.close();
});

type Files = Readonly<Record<string, string>>;

/** Imports files in one command; answers the names of their evaluations. */
async function named(files: Files, table: ImportOptions["table"] = {}): Promise<string[]> {
  const paths = Object.entries(files).map(([name, text]) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
  const results = await engine.importEvaluations(paths, { project: PROJECT, table });
  const stored = new Map(
    (await engine.listEvaluations(PROJECT)).map((one) => [one.id, one.display_name] as const),
  );
  return results.flatMap(({ evaluations }) =>
    evaluations.map(({ evaluation_call_id: id, name }) => {
      expect(stored.get(id)).toBe(name);
      return name;
    }),
  );
}

const csv = (score: number, columns = "", cells = "") =>
  `id,score${columns}\n1,${score}${cells}\n2,1${cells}\n`;

const both = (text: (score: number) => string) => ({
  "before/out/results.csv": text(0),
  "after/out/results.csv": text(1),
});

describe("the name of an evaluation", () => {
  it.each([
    ["its task and model", { taskName: "quiz", modelName: "small" }, "quiz: small"],
    ["its file and model, without a task", { modelName: "small" }, "night: small"],
    ["its task and file, without a model", { taskName: "quiz" }, "quiz: night"],
    ["its file, without both", {}, "night"],
    ["its file, and what the run is called", { evaluationName: "x" }, "night [x]"],
    ["all of them", { taskName: "quiz", modelName: "small", evaluationName: "x" }, "quiz: small [x]"],
    ["no unknown task or model", { taskName: "unknown", modelName: "unknown" }, "night"],
  ])("is made of %s", async (_, table, name) => {
    expect(await named({ "night.csv": csv(1) }, table)).toEqual([name]);
  });

  it("has the value of a column that makes evaluations", async () => {
    const text = "id,prompt_version,score\n1,plain,0\n1,guided,1\n2,plain,1\n2,guided,1\n";
    expect(await named({ "night.csv": text })).toEqual(["night [plain]", "night [guided]"]);
  });

  it("has of files of one name the part of their paths that differs", async () => {
    expect(await named(both(csv))).toEqual(["before", "after"]);
    expect(await named(both((score) => csv(score, ",model", ",m")))).toEqual(["before: m", "after: m"]);
  });

  it("has in brackets what tells its file apart where another has it: the file, its folder, a number", async () => {
    const table = { taskName: "quiz", modelName: "small" };
    expect(await named({ "one.csv": csv(0), "two.csv": csv(1) }, table)).toEqual([
      "quiz: small",
      "quiz: small (two)",
    ]);
    expect(await named({ "after/one.csv": csv(0.5) }, table)).toEqual(["quiz: small (after)"]);
    expect(await named({ "after/one.csv": csv(0.25) }, table)).toEqual(["quiz: small (2)"]);
  });

  it("stays what it is in the database, whatever the file is called when it comes again", async () => {
    const text = "id,score\n1,0\n2,1\n";
    expect(await named({ "night.csv": text })).toEqual(["night"]);
    expect(await named({ "elsewhere/night.csv": text })).toEqual(["night"]);
    expect(await named({ "night.csv": `${text}3,1\n` })).toEqual(["night"]);
  });
});

const compared = async (baseline: string, candidate: string) => {
  const { comparisons, warnings } = await engine.compareEvaluations(PROJECT, {
    baseline,
    candidates: [candidate],
  });
  const [only] = comparisons;
  return { means: [only?.baseline_mean, only?.candidate_mean], warnings };
};

describe("what an import prints", () => {
  it("names an evaluation: its name, the text in brackets, and its file", async () => {
    const table = { taskName: "quiz", modelName: "small" };
    await named({ "before/results.csv": csv(0), "after/results.csv": csv(1) }, table);
    expect((await compared("quiz: small", "quiz: small (after)")).means).toEqual([0.5, 1]);
    expect((await compared("before", "after")).means).toEqual([0.5, 1]);
    await named({ "t.csv": "id,variant,score\n1,droid-gpt5,0\n1,x [y],1\n2,droid-gpt5,0\n2,x [y],1\n" });
    expect((await compared("droid-gpt5", "t [x [y]]")).means).toEqual([0, 1]);
  });

  it("stands for the latest of several, and a warning tells which", async () => {
    await named({ "t.csv": "id,prompt_version,score\n1,a,0\n1,b,1\n2,a,0\n2,b,1\n", "other.csv": csv(1) });
    const { means, warnings } = await compared("t", "other");
    expect(means).toEqual([expect.closeTo(Number(warnings[0]?.includes("t [b]"))), 1]);
    expect(warnings[0]).toMatch(/^t is .*t \[[ab]\].*, the latest of 2$/);
  });

  it("is a whole name first, and what else it may mean is told", async () => {
    await named({ "night.csv": csv(0) });
    await named({ "night.csv": csv(1) });
    const { means, warnings } = await compared("night", "night (2)");
    expect(means).toEqual([0.5, 1]);
    expect(warnings[0]).toMatch(
      /^night is the evaluation of this name; it may also mean 1 evaluation: "night \(2\)"/,
    );
  });
});

describe("files of a command", () => {
  it.each([
    [["a/r.csv"], ["r"], ["r.csv"]],
    [
      ["a/r.csv", "b/r.csv"],
      ["a", "b"],
      ["a/r.csv", "b/r.csv"],
    ],
    [
      ["x/a/out/r.csv", "x/b/out/r.csv"],
      ["a", "b"],
      ["a/out/r.csv", "b/out/r.csv"],
    ],
    [
      ["r.csv", "old/r.csv"],
      ["r", "old"],
      ["r.csv", "old/r.csv"],
    ],
    [
      ["a/r.csv", "a/r.json"],
      ["r.csv", "r.json"],
      ["r.csv", "r.json"],
    ],
    [
      ["a/r.csv", "b/r.json.gz"],
      ["a", "b"],
      ["r.csv", "r.json.gz"],
    ],
    [
      ["a/b/r.csv", "a/c/r.csv", "d/b/r.csv"],
      ["a/b", "a/c", "d/b"],
      ["a/b/r.csv", "a/c/r.csv", "d/b/r.csv"],
    ],
    [
      ["gpt-4.1", "v1.5.csv"],
      ["gpt-4.1", "v1.5"],
      ["gpt-4.1", "v1.5.csv"],
    ],
  ])("%j are called %j in names and %j in messages", (files, titles, shown) => {
    const names = [...fileNames(files).values()];
    expect(names.map((one) => one.title)).toEqual(titles);
    expect(names.map((one) => one.shown)).toEqual(shown);
  });
});
