import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../bench/answer.ts";
import { firstDifference } from "../../bench/canonical.ts";
import { prepareFiles, type DataFiles } from "../../bench/generate/files.ts";
import { sizes } from "../../bench/generate/parameters.ts";
import { parseOptions } from "../../bench/options.ts";
import { proveSubject, WrongAnswer } from "../../bench/prove.ts";
import { plainJavaScript } from "../../bench/subjects/javascript/subject.ts";
import { createSubject } from "../../bench/subjects/registry.ts";
import type { Subject } from "../../bench/subjects/subject.ts";
import { buildQueries } from "../../bench/workloads.ts";

const letters = "a,b,c,d,e,f,g,h,i,j,k".split(",");
const queries = buildQueries(sizes.small);
let folder = "";
let files: DataFiles;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "evalcube-bench-test-"));
  process.env["EVALCUBE_BENCH_DIR"] = folder;
  files = await prepareFiles(sizes.small);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the generator", () => {
  it("writes the same calls whatever the order, and children before parents", async () => {
    const parentsFirst = await prepareFiles({ ...sizes.small, order: "parents-first" });
    const [lines, others] = [await readLines(files.calls), await readLines(parentsFirst.calls)];
    expect(lines.toSorted()).toEqual(others.toSorted());
    expect(countOrphans(others)).toBe(0);
    expect(countOrphans(lines)).toBe(lines.length - sizes.small.evaluations);
  });

  it("writes about 800 bytes a call, four calls a trial", async () => {
    const lines = await readLines(files.calls);
    expect(lines).toHaveLength(4 * 300 * 2 * 4 + 4);
    expect(files.callBytes / lines.length).toBeGreaterThan(700);
    expect(files.callBytes / lines.length).toBeLessThan(900);
  });
});

describe("proving a subject", () => {
  it("has something to find for every question", async () => {
    const subject = plainJavaScript();
    await subject.load(files, "");
    for (const { question } of queries) {
      const answer = await subject.answer(question);
      expect(question.page === null ? answer.summary?.row_count : answer.rows.length).toBeGreaterThan(2);
    }
  });

  it.each(["evalcube", "duckdb-json", "duckdb-parquet", "clickhouse"] as const)(
    "accepts %s",
    async (name) => {
      expect(await proveSubject(await createSubject(name), files, queries)).toEqual(letters);
    },
  );

  it("accepts the floor for what it answers", async () => {
    expect(await proveSubject(await createSubject("floor"), files, queries)).toEqual(
      "a,b,c,d,e,h,j,k".split(","),
    );
  });

  it("has evalcube's bytes from the floor", async () => {
    const [evalcube, floor] = [await createSubject("evalcube"), await createSubject("floor")];
    await evalcube.load(files, path.join(folder, "evalcube"));
    await floor.load(files, path.join(folder, "floor"));
    const same: string[] = [];
    for (const { letter, question } of queries) {
      const text = (await floor.text?.(question)) ?? null;
      if (text !== null && text === (await evalcube.text?.(question))) same.push(letter);
    }
    await floor.close();
    await evalcube.close();
    expect(same).toEqual("a,b,c,d,e,h,j,k".split(","));
  });

  it.each([
    ["orders the last two rows wrongly", swapLastRows, "at /rows/48/"],
    [
      "miscounts the rows",
      (answer: Answer) => ({ ...answer, total_rows: answer.total_rows + 1 }),
      "/total_rows",
    ],
    ["drops a trial's tokens", dropTokens, "/total_tokens"],
  ])("refuses a subject that %s", async (_fault, fault, place) => {
    const proof = proveSubject(plant(fault), files, queries);
    await expect(proof).rejects.toThrow(WrongAnswer);
    await expect(proof).rejects.toThrow(place);
  });

  it("ignores the order of members, the spelling of times and statistics beyond the specification", async () => {
    const subject = plainJavaScript();
    await subject.load(files, "");
    const summary = queries.find((query) => query.letter === "h");
    if (summary === undefined) throw new Error("no summary among the queries");
    const right = await subject.answer(summary.question);
    const text = JSON.stringify(right)
      .replaceAll("000Z", "000+00:00")
      .replaceAll('"scorer_key"', '"value_type":"text","scorer_key"');
    const other: Answer = JSON.parse(text);
    expect(text).toContain("value_type");
    expect(firstDifference(other, right)).toBeNull();
  });
});

describe("the command", () => {
  it("names an unknown workload, subject or size", () => {
    expect(() => parseOptions(["--workloads", "a,z"])).toThrow("--workloads: z is unknown");
    expect(() => parseOptions(["--subjects", "sqlite"])).toThrow("--subjects: sqlite is unknown");
    expect(() => parseOptions(["--size", "2m"])).toThrow("--size: 2m is unknown");
    expect(() => parseOptions(["--runs", "0"])).toThrow("--runs");
  });

  it("prints one table with medians, spread and ratios", async () => {
    const main = path.join(import.meta.dirname, "../../bench/main.ts");
    const args = ["--size", "small", "--subjects", "evalcube,floor", "--workloads", "b,l,n,o", "--runs", "2"];
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", main, ...args]);
    for (const letter of ["b", "l", "n", "o"]) expect(stdout).toContain(`| (${letter}) `);
    expect(stdout).toMatch(/\| \(l\) NDJSON load \| [\d.]+ s \| – \|/);
    expect(stdout).toMatch(
      /\| \(b\) sorted by a score \| [\d.]+ ms \([\d.]+–[\d.]+\) \| .* \*\*[\d.]+×\*\* \|/,
    );
  });
});

function plant(fault: (answer: Answer) => Answer): Subject {
  const subject = plainJavaScript();
  return {
    ...subject,
    name: "planted",
    answer: async (question) => {
      const answer = await subject.answer(question);
      return question.page?.order === "score difference" ? fault(answer) : answer;
    },
  };
}

function swapLastRows(answer: Answer): Answer {
  const rows = [...answer.rows];
  return { ...answer, rows: [...rows.slice(0, -2), ...rows.slice(-2).toReversed()] };
}

function dropTokens(answer: Answer): Answer {
  const text = JSON.stringify(answer).replace(/"total_tokens":\d+/, '"total_tokens":null');
  return JSON.parse(text);
}

async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, "utf8")).trimEnd().split("\n");
}

/** Calls that are written before the call that they belong to. */
function countOrphans(lines: readonly string[]): number {
  const seen = new Set<string>();
  let orphans = 0;
  for (const line of lines) {
    const call: { id: string; parent_id: string | null } = JSON.parse(line);
    if (call.parent_id !== null && !seen.has(call.parent_id)) orphans += 1;
    seen.add(call.id);
  }
  return orphans;
}
