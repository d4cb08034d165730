import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";

const REQUEST = { evaluation_call_ids: ["e"] };
const FORMATS = ["parquet", "csv", "jsonl", "json", "arrow"] as const;
type Format = (typeof FORMATS)[number];

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([root("e"), trial("t", { i: 1 }, { score: 1 })]);
  return () => engine.close();
});

const exported = (file: string, format: Format = "csv", from = engine) =>
  from.exportResults(PROJECT, REQUEST, { format, path: file });

async function reasonFor(file: string, format: Format = "csv", from = engine): Promise<string> {
  const { code, message } = await refusal(exported(file, format, from));
  expect(code).toBe("unwritable_target");
  const start = `cannot write ${JSON.stringify(file)}: `;
  expect(message.startsWith(start), message).toBe(true);
  return message.slice(start.length);
}

function isWhole(file: string, format: Format): boolean {
  const bytes = readFileSync(file);
  if (format === "parquet") return bytes.subarray(-4).toString() === "PAR1";
  if (format === "arrow") return bytes.subarray(-6).toString() === "ARROW1";
  return bytes.toString().includes("score") && bytes.at(-1) === 10;
}

describe.each(FORMATS)("a file of %s", (format) => {
  it("has the name that was asked for, whatever that is", async () => {
    const names = [
      "~",
      "a\nb",
      `it's "x" *?{uuid}%20`,
      "漢".repeat(85),
      "😀".repeat(63),
      "x".repeat(255),
      "-",
      ".tmp",
    ];
    for (const name of names) {
      const folder = scratchFolder();
      await exported(path.join(folder, name), format);
      expect(readdirSync(folder)).toEqual([name]);
      expect(isWhole(path.join(folder, name), format)).toBe(true);
    }
  });

  it("has its place by the working folder, where its path has none of its own", async () => {
    const folder = scratchFolder();
    const before = process.cwd();
    process.chdir(folder);
    try {
      mkdirSync("~");
      for (const name of ["plain", "./dotted", "~/home", "file:name"]) await exported(name, format);
      expect(readdirSync(folder).toSorted()).toEqual(["dotted", "file:name", "plain", "~"]);
      expect(isWhole("~/home", format)).toBe(true);
      expect(readdirSync("~")).toEqual(["home"]);
    } finally {
      process.chdir(before);
    }
  });

  it("has the mode of the one whose place it takes", async () => {
    const file = scratchPath("table");
    for (const mode of [0o600, 0o666, 0o640]) {
      writeFileSync(file, "old");
      chmodSync(file, mode);
      await exported(file, format);
      expect(statSync(file).mode & 0o777).toBe(mode);
      expect(isWhole(file, format)).toBe(true);
    }
  });

  it("takes the place of what a link leads to, and the link stays", async () => {
    const folder = scratchFolder();
    mkdirSync(path.join(folder, "aims"));
    const link = path.join(folder, "link");
    const aim = path.join(folder, "aims", "table");
    symlinkSync(path.join(folder, "second"), link);
    symlinkSync("aims/table", path.join(folder, "second"));
    for (const content of [null, "old"]) {
      if (content !== null) writeFileSync(aim, content);
      await exported(link, format);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(lstatSync(aim).isFile() && isWhole(aim, format)).toBe(true);
      expect(readdirSync(path.join(folder, "aims"))).toEqual(["table"]);
    }
  });

  it("is whole when two exports end at once", async () => {
    const file = scratchPath("table");
    await Promise.all([exported(file, format), exported(file, format), exported(file, format)]);
    expect(readdirSync(path.dirname(file))).toEqual(["table"]);
    expect(isWhole(file, format)).toBe(true);
  });
});

describe("an export is refused", () => {
  it("a folder, and a folder that is not there", async () => {
    const folder = scratchFolder();
    const aFolder = "it is a folder; name a file in it";
    for (const file of [folder, `${folder}/`, `${folder}/new/`, path.join(folder, "..")]) {
      expect(await reasonFor(file)).toBe(aFolder);
    }
    const missing = path.join(folder, "a", "b");
    expect(await reasonFor(path.join(missing, "c"))).toBe(
      `there is no folder ${JSON.stringify(missing)}; make it first`,
    );
    writeFileSync(path.join(folder, "file"), "");
    expect(await reasonFor(path.join(folder, "file", "x"))).toBe(
      "a part of its path is a file, not a folder",
    );
    symlinkSync("loop", path.join(folder, "loop"));
    expect(await reasonFor(path.join(folder, "loop"))).toBe("a symbolic link leads back to itself");
    expect(await reasonFor(path.join(folder, "x".repeat(256)))).toBe("the name is too long");
    expect(await reasonFor("")).toBe("it is no path");
    expect(await reasonFor("a\0b")).toBe("it is no path");
    expect(readdirSync(folder).toSorted()).toEqual(["file", "loop"]);
  });

  // No device of the machine is named here: a fault would put a file in its place.
  it("a pipe, and what a process has open", async () => {
    const pipe = scratchPath("pipe");
    execFileSync("mkfifo", [pipe]);
    symlinkSync("pipe", `${pipe}-link`);
    for (const target of [pipe, `${pipe}-link`, "/dev/fd/1", "/proc/self/fd/1", "/proc/self/fd/99"]) {
      expect(await reasonFor(target)).toBe(
        "it is a device or a pipe; write to a stream instead (on the command line: --out -)",
      );
    }
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  it("the database that is read, by whatever path", async () => {
    const file = scratchPath();
    const folder = path.dirname(file);
    const own = await openEngine({ path: file });
    await own.ingestCalls([root("e"), trial("t", { i: 1 })]);
    symlinkSync(file, path.join(folder, "link"));
    symlinkSync(folder, path.join(folder, "around"));
    const names = ["evals.duckdb", "evals.duckdb.wal", "evals.duckdb.tmp", "link", "around/evals.duckdb.wal"];
    for (const format of ["parquet", "csv"] as const) {
      for (const name of names) {
        expect(await reasonFor(path.join(folder, name), format, own)).toBe(
          "it belongs to an open database; choose another name",
        );
      }
    }
    await exported(`${file}.csv`, "csv", own);
    expect((await own.queryEvalResults(PROJECT, REQUEST)).total_rows).toBe(1);
    await own.close();
    const again = await openEngine({ path: file, readOnly: true });
    expect((await again.queryEvalResults(PROJECT, REQUEST)).total_rows).toBe(1);
    await again.close();
  });
});

describe("a file that is linked twice", () => {
  it("keeps its other name", async () => {
    const folder = scratchFolder();
    writeFileSync(path.join(folder, "one"), "old");
    linkSync(path.join(folder, "one"), path.join(folder, "two"));
    await exported(path.join(folder, "one"));
    expect(readFileSync(path.join(folder, "two"), "utf8")).toBe("old");
  });
});
