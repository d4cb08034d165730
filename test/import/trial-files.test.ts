import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import { newFolders, sharedEngine } from "./shared.ts";

const newFolder = newFolders();
const engine = await sharedEngine();
let projects = 0;

/** Imports a folder of these files; answers its evaluations and all that is said. */
async function imported(files: Readonly<Record<string, unknown>>, options: Partial<ImportOptions> = {}) {
  const folder = path.join(newFolder(), "night");
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
  const notes: string[] = [];
  const project = `acme/p${projects++}`;
  const results = await engine.importEvaluations(folder, {
    project,
    onNote: (note) => notes.push(note),
    ...options,
  });
  const { entries } = await engine.leaderboard(project, { sort_by: [{ field: "name" }] });
  return {
    names: results.flatMap(({ evaluations }) => evaluations.map(({ name }) => name)),
    means: entries.map(({ scores }) => scores[0]?.row_mean),
    counts: results.flatMap(({ evaluations }) => evaluations.map(({ trials, rows }) => [trials, rows])),
    notes: [...notes, ...results.flatMap((one) => one.notes)],
    results,
  };
}

const trial = (id: string, correct: boolean, others: object = {}) => ({ task_id: id, correct, ...others });

const scored = (id: string, accuracy: number) => ({ question: id, scores: { accuracy } });

describe("a trial a file", () => {
  it("is a table of the files of one folder, named after it; a file without a score is a note", async () => {
    const { names, means, counts, notes } = await imported({
      "a.json": trial("a", true, { model: "small", messages: [{ role: "user", content: "?" }] }),
      "b.json": trial("b", false, { model: "small" }),
      "c.json": `\uFEFF${JSON.stringify(trial("c", true, { model: "small" }))}`,
      "config.json": { model: "small", temperature: 0.5 },
    });
    expect([names, means, counts]).toEqual([["night: small"], [expect.closeTo(2 / 3)], [[3, 3]]]);
    expect(notes).toContain("1 file was not recognised: config.json");
  });

  it("is a table of the files of one name in the folders of a folder", async () => {
    const { names, means, notes } = await imported({
      "x/result.json": { item: { id: "x" }, result: { reward: 0.25 } },
      "x/config.json": { seed: 1 },
      "y/result.json": { item: { id: "y" }, result: { reward: 0.5 } },
      "y/config.json": { seed: 2 },
    });
    expect([names, means]).toEqual([["night"], [0.375]]);
    expect(notes).toContain("2 files were not recognised: x/config.json, y/config.json");
  });

  it("is a table a folder, where folders hold several each", async () => {
    const files = ["one", "two"].flatMap((run) =>
      ["a", "b"].map((id) => [`${run}/${id}.json`, trial(id, run === "two")] as const),
    );
    const { names, counts } = await imported(Object.fromEntries(files));
    expect([names, counts]).toEqual([
      ["one", "two"],
      [
        [2, 2],
        [2, 2],
      ],
    ]);
  });

  it("has several files of one row as trials of it, and scores in containers", async () => {
    const { counts, means } = await imported({
      "1.json": scored("q", 0),
      "2.json": scored("q", 1),
      "3.json": scored("r", 1),
    });
    expect([counts, means]).toEqual([[[3, 2]], [0.75]]);
  });

  it("is not what an object with a list of records is, nor lines, nor a file that ends in its middle", async () => {
    const { counts, results } = await imported(
      {
        "a.json": trial("a", true),
        "b.json": trial("b", true),
        "list.json": { id: 1, score: 1, results: [trial("c", true), trial("d", false)] },
        "lines.jsonl": `${JSON.stringify(trial("e", true))}\n`,
        "cut.json": '{"task_id": "f", "correct": tr',
      },
      { onInvalid: "skip" },
    );
    expect(counts.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
    ]);
    expect(results.find(({ source }) => source.endsWith("cut.json"))?.rejected).toHaveLength(1);
  });

  it("changes nothing when it is imported again, and is a new run where a file is another", async () => {
    const folder = path.join(newFolder(), "runs");
    mkdirSync(folder);
    const write = (id: string, correct: boolean) =>
      writeFileSync(path.join(folder, `${id}.json`), JSON.stringify(trial(id, correct)));
    write("a", true);
    write("b", false);
    const load = async () => (await engine.importEvaluations(folder, { project: "acme/again" }))[0];
    const first = await load();
    expect(await load()).toMatchObject({ stored: 0, unchanged: first?.received });
    write("b", true);
    expect((await load())?.evaluations[0]?.name).toBe("runs (2)");
  });
});
