import { afterEach, describe, expect, it, vi } from "vitest";
import { openEngine, type CheckResult, type Engine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { runOn } from "../support/duckdb.ts";
import { call, EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

afterEach(() => void vi.unstubAllEnvs());

const LONG = "über 語 ".repeat(2000);
const VALUE = { text: `v${LONG}` };

/** Long texts of each kind: outputs, inputs, attributes, rows with a value and inline ones, spelled in two ways. */
const CALLS = [
  root(),
  trial("t1", { q: 1 }, {}, { output: { output: `a${LONG}`, scores: { s: 1 } } }),
  trial(
    "t2",
    { q: 2, text: LONG },
    {},
    { output: { output: { messages: [LONG, { n: 1e21 }] }, scores: {} } },
  ),
  trial("t3", { text: LONG, q: 2 }),
  trial("t4", `svc:///${PROJECT}/object/d:v1/attr/rows/id/long`, {}, { attributes: { note: LONG } }),
  call("c1", { inputs: { text: LONG, n: 2 }, output: [LONG, LONG], summary: { said: LONG } }),
];
const ROWS = [
  { project_id: PROJECT, digest: "long", val: VALUE },
  { project_id: PROJECT, digest: "short", val: 1 },
];

async function withEngine<T>(path: string, work: (engine: Engine) => Promise<T>, others = {}): Promise<T> {
  const engine = await openEngine({ path, threads: 1, ...others });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

async function makeFile(): Promise<string> {
  const path = scratchPath();
  await withEngine(path, async (engine) => {
    await engine.ingestRows(ROWS);
    await engine.ingestCalls(CALLS);
  });
  return path;
}

const checked = (path: string): Promise<CheckResult> =>
  withEngine(path, (engine) => engine.check(), { readOnly: true });

/** The text of which a record has a stub. */
const keyIn = (column: string, table: string, id: string) =>
  `(SELECT split_part(split_part(${column}, (SELECT mark FROM text_mark), 2), ':', 4)::BIGINT FROM ${table} WHERE ${id})`;
const OUTPUT = keyIn("output", "trials", "id = 't1'");
const INPUT = keyIn("record", "calls", "id = 'c1'");
const ROW = keyIn("val", "rows", "digest = 'long'");
const INLINE = keyIn("inline_example", "rows", "inline_example LIKE '\"~%'");

describe("a check", () => {
  it("finds nothing wrong in long texts, and counts their pieces", async () => {
    const { problems, unknown, tables } = await checked(await makeFile());
    expect([problems, unknown]).toEqual([[], []]);
    expect(tables.find(({ name }) => name === "pieces")?.records).toBeGreaterThan(20);
  });

  it.each([
    ["missing", "call t1", `DELETE FROM pieces WHERE text_key = ${OUTPUT} AND piece = 1`],
    ["missing", "call t1", `DELETE FROM pieces WHERE text_key = ${OUTPUT} AND piece = 0`],
    ["missing", "call t1", `DELETE FROM pieces WHERE text_key = ${OUTPUT}`],
    ["missing", "call t1", `UPDATE pieces SET txt = txt[:-2] WHERE text_key = ${OUTPUT} AND piece = 2`],
    ["missing", "call c1", `DELETE FROM pieces WHERE text_key = ${INPUT} AND piece = 3`],
    ["missing", "row long", `DELETE FROM pieces WHERE text_key = ${ROW} AND piece = 3`],
    ["missing", "call t2", `DELETE FROM pieces WHERE text_key = ${INLINE} AND piece = 3`],
    ["superfluous", "call t1", `INSERT INTO pieces FROM pieces WHERE text_key = ${OUTPUT} AND piece = 2`],
    ["superfluous", "call t1", `UPDATE pieces SET txt = txt || 'x' WHERE text_key = ${OUTPUT} AND piece = 2`],
    ["misplaced", "call t1", `UPDATE pieces SET piece = 90 WHERE text_key = ${OUTPUT} AND piece = 2`],
    ["misplaced", "call t1", `UPDATE pieces SET piece = 1 WHERE text_key = ${OUTPUT} AND piece = 2`],
    ["misplaced", "call t1", `UPDATE pieces SET piece = piece + 1 WHERE text_key = ${OUTPUT}`],
  ] as const)("finds what is %s in the text of the %s after %s", async (kind, owner, statement) => {
    const path = await makeFile();
    await runOn(path, statement);
    const { problems } = await checked(path);
    expect(problems).toMatchObject([{ kind, table: "pieces", records: 1 }]);
    expect(problems[0]?.message).toMatch(new RegExp(`such as that of the ${owner}$`));
    expect(await evalcubeHere(["check", "--db", path])).toMatchObject({
      status: 1,
      stdout: `${problems[0]?.message}\n`,
    });
  });

  it("reads texts that together have more than its memory", async () => {
    const path = scratchPath();
    await withEngine(path, async (engine) => {
      for (let at = 0; at < 4; at++)
        await engine.ingestCalls(
          Array.from({ length: 25 }, (_, i) =>
            call(`c${at}-${i}`, { output: `${at} ${i} ${"text ".repeat(100_000)}` }),
          ),
        );
    });
    vi.stubEnv("EVALCUBE_MEMORY_LIMIT", "32MiB");
    expect(await evalcubeHere(["check", "--db", path])).toMatchObject({ status: 0, stdout: "" });
  });
});

it("a check reads large files that together have more than its memory", async () => {
  const path = await makeFile();
  await runOn(
    path,
    `INSERT INTO stored_files BY NAME
      SELECT '${PROJECT}' AS project_id, 'd' || i AS digest, 0 AS created_at, repeat(md5(i::VARCHAR), 40_000)::BLOB AS bytes
      FROM range(80) AS files(i)`,
  );
  const { problems, unknown, tables } = await withEngine(path, (engine) => engine.check(), {
    readOnly: true,
    memoryLimit: "48MiB",
  });
  expect([problems, unknown]).toEqual([[], []]);
  expect(tables).toContainEqual({ name: "stored_files", records: 80 });
});

/** The rows of a page, and each record. */
function everything(path: string) {
  return withEngine(path, async (engine) => {
    const request = {
      evaluation_call_ids: [EVALUATION],
      include_raw_data_rows: true,
      resolve_row_refs: true,
    };
    const records = await engine.sql(PROJECT, "SELECT id, record::VARCHAR AS record FROM calls ORDER BY id");
    return [(await engine.queryEvalResults(PROJECT, request)).rows, records.toArray().map(String)];
  });
}

it("a copy of a file has long texts as they were sent, and as few bytes of them", async () => {
  const [from, to] = [await makeFile(), scratchPath("copy.duckdb")];
  const { status, stdout } = await evalcubeHere(["migrate", "--db", from, "--to", to]);
  expect([status, JSON.parse(stdout)]).toMatchObject([
    0,
    { calls: CALLS.length, rows: ROWS.length, trials: 4 },
  ]);
  expect(await everything(to)).toEqual(await everything(from));
  const bytes = "SELECT count(*), sum(strlen(txt)) FROM pieces";
  expect(await runOn(to, bytes)).toEqual(await runOn(from, bytes));
  expect((await checked(to)).problems).toEqual([]);
});
