import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { readDescribed, writeDescribed } from "../../../src/duckdb/described-file.ts";
import { seededRandom } from "../../../src/stats/numeric/random.ts";
import { temporaryFolder } from "../command.ts";
import { ci, database, passing, stubJob } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const random = seededRandom(SEED);
const below = (n: number) => Math.floor(random() * n);
const damaged = join(folder, "damaged.parquet");
let db = "";
let whole = Buffer.alloc(0);
let described: NonNullable<Awaited<ReturnType<typeof readDescribed>>>;

beforeAll(async () => {
  stubJob();
  db = await database(folder, "new.duckdb", [{ id: "cand", trials: passing(8, 4, 2), at: 5 }]);
  await ci(db, "--save", damaged);
  whole = readFileSync(damaged);
  const read = await readDescribed(damaged);
  if (read === null) throw new Error("nothing was saved");
  described = read;
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** What is wrong where the answer is neither a judgement nor one line that names the file. */
async function faultsOf(what: string): Promise<string[]> {
  const { status, stderr } = await ci(db, "--baseline", damaged);
  const isJudged = status === 0 || status === 3 || status === 4;
  const isOneLine = status === 2 && stderr.trimEnd().split("\n").length === 1 && stderr.includes(damaged);
  const isFine = (isJudged || isOneLine) && !/^\s+at /m.test(stderr);
  return isFine ? [] : [`seed ${SEED}, ${what}: ${status} ${stderr.slice(0, 400)}`];
}

it("a baseline that is cut is refused in one line", async () => {
  const faults: string[] = [];
  const step = Math.ceil(whole.length / 25);
  for (let length = below(step); length < whole.length; length += step) {
    writeFileSync(damaged, whole.subarray(0, length));
    faults.push(...(await faultsOf(`cut at ${length}`)));
  }
  expect(faults).toEqual([]);
});

it("a baseline with other bytes is refused in one line, or judged", async () => {
  const faults: string[] = [];
  for (let round = 0; round < 25; round++) {
    const bytes = Buffer.from(whole);
    const flips = Array.from({ length: 1 + below(3) }, () => [below(bytes.length), 1 + below(255)] as const);
    for (const [at, by] of flips) bytes[at] = (bytes[at] ?? 0) ^ by;
    writeFileSync(damaged, bytes);
    faults.push(...(await faultsOf(`bytes ${JSON.stringify(flips)}`)));
  }
  expect(faults).toEqual([]);
});

const OTHERS: readonly unknown[] = [null, true, -1, 1.5, "x", "", [], [null], {}, { a: 1 }];

/** Each value inside another, with what puts another in its place. */
function placesIn(value: unknown, put: (other: unknown) => unknown): ((other: unknown) => unknown)[] {
  if (typeof value !== "object" || value === null) return [put];
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const withOther = (other: unknown) =>
      Array.isArray(value)
        ? value.map((one: unknown, i) => (i === Number(name) ? other : one))
        : { ...value, [name]: other };
    return placesIn(member, (other) => put(withOther(other)));
  });
  return [put, ...inner];
}

it("a description with members of other types is refused in one line, or judged", async () => {
  const faults: string[] = [];
  const columns = new Map([
    ["evaluation", "INTEGER"],
    ["row", "BLOB"],
    ["errors", "BOOLEAN[]"],
    ["score_0", "BOOLEAN[]"],
  ] as const);
  const places = placesIn(JSON.parse(described.description), (other) => other);
  expect(places.length).toBeGreaterThan(15);
  for (const [i, put] of places.entries()) {
    const other = OTHERS[below(OTHERS.length)];
    await writeDescribed(damaged, columns, described.records, JSON.stringify(put(other)));
    faults.push(...(await faultsOf(`place ${i}, ${JSON.stringify(other)}`)));
  }
  expect(faults).toEqual([]);
});

it("records with values of other types are refused in one line, or judged", async () => {
  const faults: string[] = [];
  for (const [columns, record] of [
    [[["evaluation", "INTEGER"]], { evaluation: 0 }],
    [[["evaluation", "INTEGER"]], { evaluation: 7 }],
    [[["evaluation", "BOOLEAN[]"]], { evaluation: [true] }],
    [[["row", "BLOB"]], { row: "AAAA" }],
    [[["row", "INTEGER"]], { row: 5 }],
    [[["errors", "DOUBLE[]"]], { errors: [1, 0] }],
    [[["errors", "BOOLEAN[]"]], { errors: [true, null] }],
    [[["errors", "BOOLEAN[]"]], { errors: [] }],
    [[["score_0", "DOUBLE[]"]], { score_0: [0.5, 1] }],
    [[["score_0", "INTEGER"]], { score_0: 1 }],
    [[["__proto__", "INTEGER"]], { constructor: 1 }],
  ] as const) {
    const [kept = {}] = described.records;
    const all = new Map<string, "INTEGER" | "BLOB" | "BOOLEAN[]" | "DOUBLE[]">([
      ["evaluation", "INTEGER"],
      ["row", "BLOB"],
      ["errors", "BOOLEAN[]"],
      ["score_0", "BOOLEAN[]"],
      ...columns,
    ]);
    await writeDescribed(damaged, all, [{ ...kept, ...record }], described.description);
    faults.push(...(await faultsOf(JSON.stringify(record))));
  }
  expect(faults).toEqual([]);
});
