import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { FORMAT_NAMES } from "../../src/import/format.ts";
import { IMPORT_FORMATS } from "../../src/import/formats/formats.ts";
import type { ImportResult } from "../../src/index.ts";
import { evalLog, header, jsonLog, sample } from "../import/inspect-logs.ts";
import { promptfooLog, result } from "../import/promptfoo-logs.ts";
import { PROJECT, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const database = (name: string) => join(folder, `${name}.duckdb`);
const samples = [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })];
const results = {
  total_samples: 2,
  scores: [{ name: "grade", scorer: "grade", metrics: { accuracy: { value: 0.5 } } }],
};
const wrong = {
  total_samples: 2,
  scores: [{ name: "grade", scorer: "grade", metrics: { accuracy: { value: 0.9 } } }],
};

async function imported(args: readonly string[], input: string | Buffer = "") {
  const { status, stdout, stderr } = await evalcubeHere(["import", "--project", PROJECT, ...args], input);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { status, stderr, results: lines.map((line) => JSON.parse(line) as ImportResult) };
}

describe("import", () => {
  it("prints one JSON object a source and no table, and notes how to look at them", async () => {
    const db = database("two");
    const other = header(results, { eval: { ...header().eval, eval_id: "run-2", model: "n" } });
    const files = [
      put(folder, "a.eval", evalLog(header(results), samples)),
      put(folder, "b.json", jsonLog(other, samples)),
    ];
    const { status, stderr, results: all } = await imported(["--db", db, ...files]);
    expect(status).toBe(0);
    expect(all).toMatchObject([
      { source: files[0], format: "inspect", received: 9, stored: 9, checks: { agree: 1 } },
      { source: files[1], evaluations: [{ evaluation_call_id: "inspect:run-2", trials: 2 }] },
    ]);
    expect(stderr).not.toContain("sums");
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    expect(last).toContain('{"evaluation_call_ids":["inspect:run-1","inspect:run-2"]}');
    expect(last).toContain("evalcube query");
  });

  it("prints a table on a terminal and no JSON", async () => {
    const file = put(folder, "screen.eval", evalLog(header(results), samples));
    const args = ["import", "--project", PROJECT, "--db", database("screen"), file];
    const { stdout } = await evalcubeHere(args, "", { isTTY: true, columns: 200 });
    expect(
      stripVTControlCharacters(stdout)
        .split("\n")
        .map((line) => line.replaceAll(/\s+/g, " ").trim()),
    ).toEqual([
      expect.stringContaining("format name trials rows errors scores aggregates that agree") as string,
      expect.any(String) as string,
      "inspect sums: m 2 2 0 grade 1 of 1",
      "",
    ]);
  });

  it("says of figures of several evaluations in one source that they are the source's", async () => {
    const log = JSON.stringify(promptfooLog([[result(0, 0, 1)], [result(1, 0, 0.25)]]));
    const args = ["--db", database("table"), "--print", "table", put(folder, "prompts.json", log)];
    const { stdout } = await evalcubeHere(["import", "--project", PROJECT, ...args]);
    const lines = stdout.split("\n").filter((line) => line.startsWith("promptfoo"));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/ (\d+) of \1 of the source$/);
  });

  it("walks a folder, and names what it does not recognise in one note", async () => {
    mkdirSync(join(folder, "logs/deep"), { recursive: true });
    put(folder, "logs/deep/log.json", jsonLog(header(), samples));
    put(folder, "logs/packed.bin", gzipSync(evalLog(header(), samples)));
    put(folder, "logs/notes.txt", "Dear reader");
    put(folder, "logs/.hidden.json", jsonLog(header(), samples));
    const walked = await imported(["--db", database("folder"), join(folder, "logs")]);
    const { results: all, stderr } = walked;
    expect(all.map(({ source }) => source)).toEqual([
      join(folder, "logs/deep/log.json"),
      join(folder, "logs/packed.bin"),
    ]);
    expect(stderr.match(/^note: 1 file was not recognised: notes\.txt$/gm)).toHaveLength(1);
    expect(JSON.stringify(all)).not.toContain("not recognised");
  });

  it("prints of several files what each is called, and a note that holds for several once", async () => {
    const files = ["a", "b", "c", "d"].map((name, i) => {
      mkdirSync(join(folder, "runs", name), { recursive: true });
      return put(folder, `runs/${name}/run.csv`, `id,score\n1,0.${i}\n2,1\n`);
    });
    const args = ["--db", database("runs"), "--project", PROJECT, "--print", "table", ...files];
    const { stdout, stderr } = await evalcubeHere(["import", ...args]);
    const lines = stdout.split("\n").map((line) => line.replaceAll(/\s+/g, " ").trim());
    expect(lines[0]).toBe("format file name trials rows errors scores aggregates that agree");
    expect(lines.slice(2, 6).map((line) => line.split(" ").slice(1, 3))).toEqual(
      ["a", "b", "c", "d"].map((name) => [name, name]),
    );
    expect(stderr.match(/no column names the model/g)).toHaveLength(1);
    expect(stderr).toContain("note: 4 files (a/run.csv, b/run.csv, c/run.csv, …): no column names the model");
    expect(stderr).toMatch(/^b\/run\.csv: row = id/m);
  });

  it("names of refused files of one name the part of the paths that differs", async () => {
    for (const name of ["a", "b", "c"]) mkdirSync(join(folder, "bad", name), { recursive: true });
    put(folder, "bad/a/r.csv", "id,score\n1,1\n2\n");
    put(folder, "bad/b/r.csv", "id,score\n1,1\n2\n");
    put(folder, "bad/c/r.csv", "id,score\n1,1\n2,1\n");
    const { status, stderr } = await imported(["--db", database("bad"), join(folder, "bad")]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/evalcube: 2 of 3 files were refused: a\/r\.csv, b\/r\.csv\n$/);
  });

  it("imports the others where a log is damaged, and says last which was refused", async () => {
    mkdirSync(join(folder, "night/.deep"), { recursive: true });
    const whole = jsonLog(header(results), samples);
    put(folder, "night/a.json", whole.slice(0, -80));
    put(folder, "night/b.json", whole);
    put(folder, "night/c.json", jsonLog({ ...header(), status: "cancelled" }, []));
    const night = join(folder, "night");
    const ended = await imported(["--db", database("night"), night]);
    expect([ended.status, ended.results.map(({ evaluations }) => evaluations.length)]).toEqual([1, [1, 0]]);
    const lines = ended.stderr.trim().split("\n");
    expect(lines).toContain(`note: ${join(night, "c.json")}: the run was cancelled before a sample ended`);
    expect(lines.at(-2)).toMatch(/^refused: .*a\.json, samples.*truncated$/);
    expect(lines.at(-1)).toBe("evalcube: 1 of 3 files was refused: a.json");
    expect((await imported(["--db", database("night"), "--skip-invalid", night])).status).toBe(0);
  });

  it("imports the others where a file that is named by itself is refused or is not there", async () => {
    const empty = put(folder, "empty.json", jsonLog({ ...header(), status: "cancelled" }, []));
    const sound = put(folder, "sound.json", jsonLog(header(results), samples));
    const all = await imported(["--db", database("named"), empty, join(folder, "gone.json"), sound]);
    expect([all.status, all.results.length]).toEqual([1, 1]);
    expect(all.stderr).toMatch(/evalcube: 2 of 3 files were refused: empty\.json, gone\.json\n$/);
    const alone = await imported(["--db", database("named"), empty]);
    expect([alone.status, alone.results]).toEqual([1, []]);
    expect(alone.stderr).toMatch(/^evalcube: .*empty\.json: the run was cancelled before a sample ended\n$/);
  });

  it("reads standard input, and needs no database for a dry run", async () => {
    const dry = await imported(["--dry-run", "-"], jsonLog(header(results), samples));
    expect(dry).toMatchObject({ status: 0, results: [{ source: "standard input", received: 9, stored: 0 }] });
    expect(await imported(["-"], "")).toMatchObject({ status: 2, results: [] });
  });

  it("ends with status 1 and stores nothing where a check fails, or a file is not recognised", async () => {
    const db = database("fails");
    const file = put(folder, "wrong.json", jsonLog(header(wrong), samples));
    const failed = await imported(["--db", db, "--check", "fail", file]);
    expect(failed).toMatchObject({ status: 1, results: [] });
    expect(failed.stderr).toMatch(/wrong\.json: the log states grade accuracy 0\.9, its trials give 0\.5\n$/);
    const warned = await imported(["--db", db, file]);
    expect(warned).toMatchObject({
      status: 0,
      results: [{ stored: 9, checks: { differ: [{ stated: 0.9 }] } }],
    });
    expect(warned.stderr).toContain("the log states 0.9, its trials give 0.5");
    const unknown = await imported(["--db", database("new"), put(folder, "prose.md", "Dear reader")]);
    expect(unknown).toMatchObject({ status: 1, results: [] });
    expect(existsSync(database("none"))).toBe(false);
  });

  it("tells the roles of a table's columns before it stores them, and prints them as a mapping", async () => {
    const table = put(folder, "t.csv", "id,model,score,odd_score\n1,m,1,0\n2,m,0,1\n");
    const printed = await evalcubeHere(["import", "--project", PROJECT, "--print-mapping", table]);
    expect(JSON.parse(printed.stdout)).toEqual({
      row: ["id"],
      model: "model",
      score: ["score", "odd_score"],
    });
    const mapping = put(folder, "mapping.json", JSON.stringify({ score: ["odd_score"], model: "model" }));
    const args = ["--db", database("table"), "--mapping", mapping, "--task", "named", table];
    const { stderr, results: all } = await imported(args);
    expect(all[0]?.evaluations).toMatchObject([{ task: "named", scorers: ["odd_score"] }]);
    expect(stderr.split("\n")[0]).toMatch(/^t\.csv: row = id, model = model \(1 model\), scores = odd_score/);
  });

  it("asks for a project where the log does not say it", async () => {
    const args = [
      "import",
      "--db",
      database("homeless"),
      put(folder, "homeless.csv", "id,model,score\n1,m,1\n"),
    ];
    const { status, stderr } = await evalcubeHere(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /homeless\.csv does not say its project: name it \(--project, or the option project\)\n$/,
    );
  });

  it("says in words why a source cannot be read", async () => {
    const args = ["import", "--db", database("absent"), "--project", PROJECT, join(folder, "absent.csv")];
    expect((await evalcubeHere(args)).stderr).toMatch(/absent\.csv: cannot be read: no such file\n$/);
  });

  it("offers the formats that there are", () => {
    expect(IMPORT_FORMATS.map(({ name }) => name)).toEqual([...FORMAT_NAMES]);
  });
});

describe("ingest of a log", () => {
  it.each([
    ["an .eval log", "log.eval", evalLog(header(), samples), "a log of the format inspect"],
    ["a .json log", "log.json", jsonLog(header(), samples), "a log of the format inspect"],
    ["a table", "table.csv", "id,model,score\n1,m,1\n2,m,1\n", "a table"],
  ])("fails, and names import: %s", async (_, name, content, what) => {
    const args = ["ingest", "--db", database("ingest"), put(folder, name, content)];
    const { status, stderr } = await evalcubeHere(args);
    expect(status).toBe(1);
    expect(stderr).toContain(`; this is ${what}, which evalcube import (importEvaluations) reads\n`);
  });
});
