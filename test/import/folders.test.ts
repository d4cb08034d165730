import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ImportError, openEngine, type ImportOptions } from "../../src/index.ts";
import { PROJECT } from "./imports.ts";
import { evalLog, header, jsonLog, sample } from "./inspect-logs.ts";
import { lmEvalResults, sampleLine, writeRun } from "./lm-eval-logs.ts";
import { newFolders, sharedEngine } from "./shared.ts";
import { zipFile } from "./zip-file.ts";

const engine = await sharedEngine();
const newFolder = newFolders();
const samples = [sample(1, 1, { grade: "C" }), sample(2, 1, { grade: "I" })];
const log = (id: string, others: object = {}, of: readonly unknown[] = samples) =>
  jsonLog(header({}, { eval: { ...header().eval, eval_id: id }, ...others }), of);

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

/** Imports what may be refused: the results, the errors, and what was told beside them. */
async function imported(source: string | string[], options: Partial<ImportOptions> = {}) {
  const notes: string[] = [];
  const all = { project: PROJECT, onNote: (note: string) => notes.push(note), ...options };
  const ended: unknown = await engine.importEvaluations(source, all).catch((error: unknown) => error);
  if (ended instanceof ImportError) {
    const results = ended.results as Awaited<ReturnType<typeof engine.importEvaluations>>;
    return { results, refused: ended.refused, first: ended, notes };
  }
  return { results: ended as Awaited<ReturnType<typeof engine.importEvaluations>>, refused: [], notes };
}

describe("a folder of logs", () => {
  const night = folderOf({
    "a.json": log("a").slice(0, 400),
    "b.json": log("b"),
    "c.json": log("c", {}, [{ ...sample(1, 1, {}), scores: 7 }]),
    "d.json": log("d", { status: "cancelled" }, []),
    "e.json": log("e", { status: "error", error: { message: "no key\nat once" } }, []),
    "f.json": log("f", { status: "started" }, []),
    "g.json": "version https://git-lfs.github.com/spec/v1\noid sha256:1",
    "h.eval": evalLog(header({}, { eval: { ...header().eval, eval_id: "h" } }), samples),
    "README.md": "# Logs\n\nof the night",
    "z.txt": "prose",
  });

  it("is walked to its end: what is sound is stored, and all that was refused is told", async () => {
    const { results, refused, first, notes } = await imported(night);
    expect(results.map(({ source, evaluations }) => [path.basename(source), evaluations.length])).toEqual([
      ["b.json", 1],
      ["d.json", 0],
      ["e.json", 0],
      ["f.json", 0],
      ["h.eval", 1],
    ]);
    expect(refused.map(({ code, source }) => [code, path.basename(source)])).toEqual([
      ["truncated", "a.json"],
      ["invalid", "c.json"],
    ]);
    expect(first).toMatchObject({ code: "truncated", source: refused[0]?.source });
    expect(refused[1]?.message).toMatch(/c\.json, samples\[0\], scores: is 7 where an object is needed$/);
    expect(results.flatMap((one) => one.notes).filter((note) => note.startsWith("the run"))).toEqual([
      "the run was cancelled before a sample ended",
      "the run failed before a sample ended: no key",
      "the run had started and no sample had ended when the log was written",
    ]);
    expect(notes.map((note) => note.replace(`${night}/`, ""))).toEqual([
      "g.json: this is a pointer of git-lfs, not the file: `git lfs pull` fetches it",
      "2 files were not recognised: README.md, z.txt",
    ]);
  });

  it("is no failure where what is invalid is skipped, or a pattern leaves it out", async () => {
    const skipped = await imported(night, { onInvalid: "skip" });
    expect(skipped.refused).toEqual([]);
    const rejected = skipped.results.map((one) => one.rejected.length);
    expect(rejected).toEqual([1, 0, 1, 0, 0, 0, 0]);
    const some = await imported(`${night}/[d-h].*`);
    expect([some.refused, some.results.length]).toEqual([[], 4]);
  });

  it("stores what is sound where a check fails elsewhere", async () => {
    const wrong = { total_samples: 2, scores: [{ name: "grade", metrics: { accuracy: { value: 0.9 } } }] };
    const folder = folderOf({ "a.json": log("wrong", { results: wrong }), "b.json": log("right") });
    const { results, refused } = await imported(folder, { check: "fail", onInvalid: "skip" });
    expect([results.map((one) => path.basename(one.source)), refused.map(({ code }) => code)]).toEqual([
      ["b.json"],
      ["check_failed"],
    ]);
  });

  it("is an error of files that were named by themselves, but the others are stored", async () => {
    const files = ["d.json", "z.txt", "b.json"].map((name) => path.join(night, name));
    const { results, refused } = await imported(files);
    expect(results.map(({ evaluations }) => evaluations.length)).toEqual([1]);
    expect(refused.map(({ code, reason }) => [code, reason])).toEqual([
      ["no_samples", "the run was cancelled before a sample ended"],
      ["unrecognised", "is none of the formats that can be imported: it begins with prose"],
    ]);
  });

  it("has its hidden files read where it is hidden itself", async () => {
    const folder = folderOf({
      ".tool/.log.json": log("hidden"),
      ".log.json": log("not read"),
      "b.json": log("read"),
      "node_modules/p/c.json": log("of others"),
    });
    expect((await imported(path.join(folder, ".tool"))).results).toHaveLength(1);
    const outside = await imported(folder);
    expect(outside.results.map(({ source }) => path.basename(source))).toEqual(["b.json"]);
  });
});

describe("a zip archive", () => {
  it("is a folder: each member is recognised, and named by the archive", async () => {
    const run = newFolder();
    const results = writeRun(run, lmEvalResults({ "exact_match,none": 1 }), [sampleLine(1, "none", 1)]);
    const lines = results.replace(/results_(.*)\.json$/, "samples_sums_$1.jsonl");
    const inner = zipFile([{ name: "deep.json", data: log("deep") }]);
    const entries = [
      { name: "logs/a.json", data: log("zip a") },
      { name: "logs/b.eval", data: evalLog(header(), samples) },
      { name: "logs/c.json", data: log("zip c").slice(0, -30) },
      { name: "logs/.hidden.json", data: log("zip hidden") },
      { name: "__MACOSX/logs/a.json", data: "x" },
      { name: `run/${path.basename(results)}`, data: readFileSync(results, "utf8") },
      { name: `run/${path.basename(lines)}`, data: readFileSync(lines, "utf8") },
      { name: "inner.zip", data: inner },
      { name: "notes.txt", data: "Dear reader" },
    ];
    const folder = folderOf({ "logs.zip": zipFile(entries) });
    const archive = path.join(folder, "logs.zip");
    for (const source of [archive, folder]) {
      const { results: all, refused, notes } = await imported(source);
      expect(all.map((one) => [one.source, one.format, one.evaluations[0]?.trials])).toEqual([
        [`${archive}/logs/a.json`, "inspect", 2],
        [`${archive}/logs/b.eval`, "inspect", 2],
        [`${archive}/run/${path.basename(results)}`, "lm-eval", 1],
      ]);
      expect(refused.map((one) => [one.source, one.code])).toEqual([[`${archive}/logs/c.json`, "truncated"]]);
      expect(notes).toEqual(["2 files were not recognised: inner.zip, notes.txt"]);
    }
    const bytes = await engine.importEvaluations(
      { bytes: zipFile(entries.slice(0, 2)), name: "up.zip" },
      { project: PROJECT },
    );
    expect(bytes.map((one) => one.source)).toEqual(["up.zip/logs/a.json", "up.zip/logs/b.eval"]);
  });

  it("costs a damaged member alone, whatever is wrong with its bytes", async () => {
    const zeros = Buffer.alloc(4 * 1024 * 1024);
    const bomb = { name: "bomb.json", data: zeros, packed: deflateRawSync(zeros) };
    const damaged = zipFile([
      { name: "a.json", data: log("crc"), crc: 1 },
      { name: "b.json", data: log("fine") },
    ]);
    const { results, refused } = await imported(path.join(folderOf({ "x.zip": damaged }), "x.zip"));
    expect([results.length, refused[0]?.reason]).toEqual([1, "is damaged: its checksum does not fit"]);
    const bombed = await imported(path.join(folderOf({ "x.zip": zipFile([bomb]) }), "x.zip"));
    expect(bombed.refused[0]?.message).toMatch(/bomb\.json: would unpack .* too much/);
  });

  it("without anything to read names its first members", async () => {
    const names = Array.from({ length: 20 }, (_, i) => ({
      name: `${String(i).padStart(2, "0")}.txt`,
      data: "x",
    }));
    const { first } = await imported(path.join(folderOf({ "x.zip": zipFile(names) }), "x.zip"));
    expect(first?.reason).toMatch(/without a file that can be imported: 00\.txt, .*11\.txt, … \(8 more\)$/);
  });

  it("of a stream is read too, and nothing of it is left behind", async () => {
    const fresh = await openEngine();
    const stream = Readable.from([zipFile([{ name: "a.json", data: log("streamed") }])]);
    const [result] = await fresh.importEvaluations({ stream, name: "s.zip" }, { project: PROJECT });
    expect(result?.evaluations).toHaveLength(1);
    await fresh.close();
  });
});
