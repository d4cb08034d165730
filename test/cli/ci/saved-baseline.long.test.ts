import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { readBaseline, saveBaseline } from "../../../src/cli/ci/saved-baseline.ts";
import type { Suite, Value } from "../../../src/cli/ci/suite.ts";
import { writeDescribed } from "../../../src/duckdb/described-file.ts";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { runOn } from "../../support/duckdb.ts";
import { complaint, temporaryFolder } from "../command.ts";
import { ci, database, passing, stubJob } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});

const NO_FIGURE = { value: null, known: 0 };

function suite(members: Partial<Suite>): Suite {
  const figures = { cost: NO_FIGURE, latency: { value: 1 / 3, known: 7 }, tokens: NO_FIGURE };
  return {
    id: "qa",
    name: "qa",
    model: "m",
    file: null,
    commit: "c",
    branch: null,
    dataset: "set:v1",
    scorers: { correct: "correct:v2" },
    directions: {},
    references: { model: "m", dataset: null, scorers: {} },
    figures,
    rows: [],
    contents: [],
    keys: new Map(),
    clusters: null,
    errors: [],
    scores: [],
    usage: { cost: [], latency: [], tokens: [] },
    ...members,
  };
}

function random(
  rows: number,
  trials: number,
  values: readonly ((of: () => number) => Value)[],
  isKeyed = false,
): Suite {
  const of = seededRandom(2026);
  const hex = () => Array.from({ length: 32 }, () => Math.floor(of() * 16).toString(16)).join("");
  const lists = <T>(one: () => T) => Array.from({ length: rows }, () => Array.from({ length: trials }, one));
  return suite({
    rows: Array.from({ length: rows }, hex).toSorted(),
    contents: Array.from({ length: rows }, () => (isKeyed ? hex().slice(0, 14) : null)),
    errors: lists(() => of() < 0.01),
    usage: {
      cost: Array.from({ length: rows }, () => null),
      latency: Array.from({ length: rows }, () => Math.fround(Math.log(of()))),
      tokens: Array.from({ length: rows }, () => (of() < 0.1 ? null : Math.fround(Math.log(900)))),
    },
    scores: values.map((value, i) => ({
      path: ["s", `${i}`],
      binary: i === 0,
      values: lists(() => value(of)),
    })),
  });
}

const truth = (of: () => number) => of() < 0.7;
const decimals = (of: () => number) => Math.round(of() * 100) / 100;

const odd = (of: () => number) => (of() < 0.2 ? null : of() * 10 ** Math.floor(of() * 600 - 300));

it("takes at most 250 KB for 10,000 rows x 3 trials x true or false, 350 KB with a score of two decimals", async () => {
  const file = join(folder, "size.parquet");
  await saveBaseline(file, [random(10_000, 3, [truth])]);
  const { size } = statSync(file);
  expect(size).toBeLessThan(250_000);
  await saveBaseline(file, [random(10_000, 3, [truth], true)]);
  expect(statSync(file).size).toBeLessThan(size + 8 * 10_000);
  await saveBaseline(file, [random(10_000, 3, [truth, decimals])]);
  expect(statSync(file).size).toBeLessThan(350_000);
});

it("gives back what was saved, to the bit, null and error apart", async () => {
  const file = join(folder, "whole.parquet");
  const suites = [
    random(50, 2, [truth, odd], true),
    suite({
      id: "other",
      name: "other",
      rows: ["00".repeat(16)],
      contents: [null],
      errors: [[true, false]],
      usage: { cost: [null], latency: [null], tokens: [null] },
      scores: [{ path: ["s", "0"], binary: false, values: [[null, 0.1]] }],
    }),
  ];
  await saveBaseline(file, suites);
  expect(await readBaseline(file, file)).toEqual(suites);
});

it("gives the same bytes for the same evaluations, in whatever order their calls were loaded", async () => {
  const run = { id: "a", trials: passing(50, 30, 2) };
  const files = ["one.parquet", "two.parquet"].map((name) => join(folder, name));
  const [one = "", two = ""] = files;
  await ci(await database(folder, "one.duckdb", [run]), "--save", one);
  const other = {
    id: "z",
    name: "another",
    trials: passing(3, 2),
    at: -5,
    rowOf: (i: number) => ({ n: 49 - i }),
  };
  await ci(await database(folder, "two.duckdb", [other, run]), "--save", two);
  expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
});

it("holds no input, output, reason or text of an error, and any reader of Parquet opens it", async () => {
  const trials = passing(10, 5).map((row, i) => (i === 3 ? (["error"] as const) : row));
  const file = join(folder, "plain.parquet");
  const saved = await ci(
    await database(folder, "plain.duckdb", [
      { id: "a", trials, rowOf: (i) => ({ question: `secret question ${i}` }) },
    ]),
    "--save",
    file,
  );
  expect(saved.stdout).toBe(`${file}: 1 evaluation, 10 rows, ${statSync(file).size} bytes\n`);
  const rows = await runOn(
    ":memory:",
    `SELECT evaluation, octet_length("row"), errors, score_0 FROM '${file}'`,
  );
  expect(rows).toHaveLength(10);
  expect(`${rows.length}` + readFileSync(file, "latin1")).not.toContain("secret");
});

it("says that a file is damaged, none, or of a later format, with status 2", async () => {
  const db = await database(folder, "c.duckdb", [{ id: "a", trials: passing(10, 5) }]);
  const file = join(folder, "good.parquet");
  await ci(db, "--save", file);
  const bytes = readFileSync(file);
  const damaged = join(folder, "damaged.parquet");
  const described = async (description: string) => {
    const other = join(folder, "other.parquet");
    await writeDescribed(other, new Map([["evaluation", "INTEGER"]]), [], description);
    return readFileSync(other);
  };
  const other = join(folder, "plain-table.parquet");
  await runOn(":memory:", `COPY (SELECT 1 AS evaluation) TO '${other}' (FORMAT parquet)`);
  for (const [content, text] of [
    [bytes.subarray(0, 500), "cannot be read as Parquet"],
    [Buffer.from("x"), "cannot be read as Parquet"],
    [Buffer.alloc(0), "cannot be read as Parquet"],
    [readFileSync(other), "has no description; evalcube ci --save writes one"],
    [await described("{"), "its description is not JSON"],
    [await described('{ "format": 2 }'), "it has format 2, which a later version of evalcube wrote"],
    [await described("null"), "description: "],
    [await described('{ "format": "1" }'), "description.format: "],
    [await described('{ "format": 1 }'), "description.evaluations: is required"],
    [await described('{ "format": 1, "evaluations": [] }'), "description.evaluations: "],
    [await described('{ "format": 1, "evaluations": [{ "name": 7 }] }'), "description.evaluations.0.name: "],
  ] as const) {
    writeFileSync(damaged, content);
    const { status, stdout, stderr } = await ci(db, "--baseline", damaged);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain(`${damaged} is no saved baseline: `);
    expect(complaint(stderr).reason).toContain(text);
  }
});

it.skipIf(process.platform === "win32")(
  "refuses what is no regular file, or too large, at once",
  async () => {
    const db = await database(folder, "odd.duckdb", [{ id: "a", trials: passing(10, 5) }]);
    const large = join(folder, "large.parquet");
    writeFileSync(large, "");
    truncateSync(large, 2 ** 30 + 1);
    for (const ending of ["parquet", "duckdb", "bin"]) {
      const pipe = join(folder, `pipe.${ending}`);
      execFileSync("mkfifo", [pipe]);
      const device = join(folder, `device.${ending}`);
      symlinkSync("/dev/zero", device);
      const socket = join(folder, `socket.${ending}`);
      const server = createServer().listen(socket);
      await once(server, "listening");
      for (const file of [pipe, device, socket]) {
        const { status, stderr } = await ci(db, "--baseline", file);
        expect({ status, reason: complaint(stderr).reason }).toEqual({
          status: 2,
          reason: expect.stringContaining(`${file} is no regular file`) as string,
        });
      }
      server.close();
    }
    const { status, stderr } = await ci(db, "--baseline", large);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toContain(`${large} is no saved baseline: it has more than 1 GiB`);
  },
);

it("saves nothing where there is no trial", async () => {
  const db = await database(folder, "none.duckdb", [{ id: "a", trials: [] }]);
  const file = join(folder, "none.parquet");
  const { status, stderr } = await ci(db, "--save", file);
  expect(status).toBe(1);
  expect(stderr).toBe(`evalcube: there is no trial to save in ${file}\n`);
  expect(() => statSync(file)).toThrow("no such file");
});
