import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { tableFromIPC } from "apache-arrow";
import { query as chdb } from "chdb";
import { parse } from "csv-parse/sync";
import pl from "nodejs-polars";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest, type ExportFormat } from "../../src/index.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { runOn } from "../support/duckdb.ts";
import { scratchFolder } from "../support/scratch.ts";
import { ADDED_COLUMNS, expectedTable, plainTable, type PlainTable } from "./expected-table.ts";
import { fromArrow } from "./read-arrow.ts";

const request: EvalResultsRequest = {
  evaluation_call_ids: ["e", "f"],
  include_raw_data_rows: true,
  sort_by: [{ field: "scores.number", direction: "desc" }],
};

let engine: Engine;
let expected: PlainTable;

beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  await engine.ingestCalls([
    root("e"),
    root("f"),
    ...hostileTexts.map((text, i) =>
      trial(
        `e ${i} ${text}`,
        { text, i },
        { number: i / 8, text, empty: "", flag: i % 2 === 0, [`key ${text}`]: i, "a.b": 1, a: { b: "two" } },
        {
          output: {
            output: { text, big: 12345678901234567890n },
            scores: {
              number: i / 8,
              text,
              empty: "",
              flag: i % 2 === 0,
              [`key ${text}`]: i,
              "a.b": 1,
              a: { b: "two" },
            },
          },
        },
      ),
    ),
    trial(
      "f1",
      { text: "é", i: 30 },
      { number: 1e-7, mixed: true, "zero\0key": 1, "zero\ufffdkey": 2, zero: "a\0b and more of it" },
      { parent_id: "f" },
    ),
    trial("f2", { text: "é", i: 30 }, { number: 0.1, mixed: 3, huge: 2 ** 81 }, { parent_id: "f" }),
    trial("f3", { only: "f" }, {}, { parent_id: "f", output: null }),
  ]);
  expected = await expectation(request);
  return () => engine.close();
});

async function expectation(asked: EvalResultsRequest): Promise<PlainTable> {
  const { evaluation_call_ids } = asked;
  const everything = await engine.queryEvalResults(PROJECT, { evaluation_call_ids });
  return expectedTable(await engine.queryEvalResults(PROJECT, asked), everything, true);
}

async function exported(format: ExportFormat, name = `table.${format}`): Promise<string> {
  const file = path.join(scratchFolder(), name);
  const { trials } = await engine.exportResults(PROJECT, request, { format, path: file });
  expect(trials).toBe(expected.records.length);
  expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  return file;
}

/** The clients of DuckDB and apache-arrow drop a byte order mark at the beginning of a text when they decode it. */
function withoutMarks({ names, records }: PlainTable): PlainTable {
  return { names, records: records.map((record) => record.map(withoutMark)) };
}

function withoutMark(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("\ufeff") ? value.slice(1) : value;
}

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A value of a text format by the type of the same place in the expected table. */
function typed(text: string, quoted: boolean, like: unknown): unknown {
  if (text === "" && !quoted) return null;
  if (quoted) return text;
  if (text === "true" || text === "false") return text === "true";
  expect(typeof like, text).toBe("number");
  return Number(text);
}

describe("an exported table", () => {
  it("is the response in Parquet, as DuckDB reads it", async () => {
    const file = await exported("parquet");
    const names = await runOn(":memory:", `SELECT column_name FROM (DESCRIBE FROM ${sqlText(file)})`);
    const records = await runOn(":memory:", `SELECT * FROM ${sqlText(file)}`);
    expect(
      plainTable(
        names.map(([name]) => String(name)),
        records,
      ),
    ).toEqual(withoutMarks(expected));
  });

  it("is the response in Parquet, as polars reads it", async () => {
    const frame = pl.readParquet(await exported("parquet"));
    expect(plainTable(frame.columns, frame.rows())).toEqual(expected);
  });

  it("is the response in Parquet and Arrow, as ClickHouse reads it", async () => {
    for (const [format, name] of [
      ["parquet", "Parquet"],
      ["arrow", "Arrow"],
    ] as const) {
      const file = await exported(format);
      const json = chdb(`SELECT * FROM file(${sqlText(file)}, ${name})`, "JSONCompact");
      const { meta, data } = JSON.parse(json) as { meta: { name: string }[]; data: unknown[][] };
      expect(
        plainTable(
          meta.map((column) => column.name),
          data,
        ),
      ).toEqual(expected);
    }
  });

  it("is the response in Arrow, as apache-arrow and polars read it", async () => {
    const bytes = readFileSync(await exported("arrow"));
    expect(fromArrow(tableFromIPC(bytes))).toEqual(withoutMarks(expected));
    const frame = pl.readIPC(bytes);
    expect(plainTable(frame.columns, frame.rows())).toEqual(expected);
  });

  it("is the response in CSV of RFC 4180, where an empty text is quoted and null is not", async () => {
    const text = readFileSync(await exported("csv"), "utf8");
    expect(text.endsWith("\r\n")).toBe(true);
    const cells = parse(text, {
      record_delimiter: "\r\n",
      cast: (value, { quoting }) => ({ value, quoting }),
    }) as unknown as { value: string; quoting: boolean }[][];
    const isOwn = (_: unknown, i: number) => !ADDED_COLUMNS.has(cells[0]?.[i]?.value ?? "");
    const [head = [], ...lines] = cells.map((line) => line.filter(isOwn));
    const records = lines.map((line, row) =>
      line.map(({ value, quoting }, i) => typed(value, quoting, expected.records[row]?.[i])),
    );
    expect(
      plainTable(
        head.map(({ value }) => value),
        records,
      ),
    ).toEqual(expected);
    const everyFlag = records.map((record) => record[expected.names.indexOf("scores.empty")]);
    expect(new Set(everyFlag)).toEqual(new Set(["", null]));
  });

  it("is the response in JSON lines", async () => {
    const text = readFileSync(await exported("jsonl"), "utf8");
    expect(text.endsWith("}\n")).toBe(true);
    const objects = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const names = Object.keys(objects[0] ?? {});
    expect(
      plainTable(
        names,
        objects.map((one) => names.map((name) => one[name])),
      ),
    ).toEqual(expected);
  });

  it("honours filters, order and page", async () => {
    const page: EvalResultsRequest = {
      ...request,
      filters: [{ query: { $expr: { $gt: [{ $getField: "scores.number" }, { $literal: 2 }] } } }],
      sort_by: [{ field: "inputs.text" }],
      limit: 5,
      offset: 3,
    };
    const file = path.join(scratchFolder(), "page.arrow");
    await engine.exportResults(PROJECT, page, { format: "arrow", path: file });
    const table = fromArrow(tableFromIPC(readFileSync(file)));
    expect(table).toEqual(withoutMarks(await expectation(page)));
    expect(table.records).toHaveLength(5);
  });

  it("has its columns where no trial is selected", async () => {
    for (const none of [{}, { evaluation_call_ids: ["nobody"] }, { ...request, limit: 0 }]) {
      const table = await engine.queryTable(PROJECT, none);
      expect(table.numRows).toBe(0);
      expect(table.schema.fields[0]?.name).toBe("row_digest");
      const folder = scratchFolder();
      for (const format of ["parquet", "csv", "jsonl", "arrow"] as const) {
        const file = path.join(folder, `none.${format}`);
        expect(await engine.exportResults(PROJECT, none, { format, path: file })).toEqual({ trials: 0 });
        expect(existsSync(file)).toBe(true);
      }
    }
  });

  it("has a column for each derived score", async () => {
    const derived: EvalResultsRequest = {
      evaluation_call_ids: ["f"],
      derived_scores: { tenfold: "10 * number", small: "number < 0.01" },
      sort_by: [{ field: "scores.tenfold" }],
    };
    const table = await engine.queryTable(PROJECT, derived);
    const values = (name: string) => Array.from(table.getChild(name) ?? [], (value: unknown) => value);
    expect(values("scores.number")).toEqual([1e-7, 0.1, null]);
    expect(values("scores.tenfold")).toEqual([1e-6, 1, null]);
    expect(values("scores.small")).toEqual([true, false, null]);
  });

  it("tells what a response would warn of", async () => {
    const warnings: string[] = [];
    await engine.queryTable(
      PROJECT,
      { evaluation_call_ids: ["nobody"] },
      { onWarning: (one) => warnings.push(one) },
    );
    expect(warnings).toEqual([expect.stringContaining('"nobody"')]);
  });
});

describe("an export to a stream", () => {
  it.each(["parquet", "csv", "jsonl", "arrow"] as const)("has the bytes of the file: %s", async (format) => {
    const chunks: Uint8Array[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk: Uint8Array, _encoding, done) => {
        chunks.push(chunk);
        setImmediate(done);
      },
    });
    await engine.exportResults(PROJECT, request, { format, stream: slow });
    expect(slow.writableEnded).toBe(false);
    const web: Uint8Array[] = [];
    const stream = new WritableStream<Uint8Array>({ write: (chunk) => void web.push(chunk) });
    await engine.exportResults(PROJECT, request, { format, stream });
    const bytes = Buffer.concat(chunks);
    expect(Buffer.concat(web).equals(bytes)).toBe(true);
    const file = readFileSync(await exported(format));
    const same = format === "arrow" ? fromArrow(tableFromIPC(bytes)) : file.equals(bytes);
    expect(same).toEqual(format === "arrow" ? withoutMarks(expected) : true);
  });

  it("fails with the stream", async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no more room")) });
    const failed = engine.exportResults(PROJECT, request, { format: "csv", stream: broken });
    await expect(failed).rejects.toThrow("no more room");
  });

  it("ends when it is aborted while the stream takes nothing", async () => {
    const controller = new AbortController();
    const stuck = new Writable({ write: () => controller.abort(new Error("enough")) });
    const aborted = engine.exportResults(PROJECT, request, {
      format: "csv",
      stream: stuck,
      signal: controller.signal,
    });
    await expect(aborted).rejects.toThrow("enough");
  });
});

describe("an export to a path", () => {
  it("takes the place of a file of its name, all at once", async () => {
    const file = path.join(scratchFolder(), 'it\'s "the" table; é.parquet');
    writeFileSync(file, "old");
    await engine.exportResults(PROJECT, request, { format: "parquet", path: file });
    expect(readFileSync(file).subarray(0, 4).toString()).toBe("PAR1");
    expect(readdirSync(path.dirname(file))).toHaveLength(1);
  });

  it.each(["parquet", "csv", "jsonl", "arrow"] as const)(
    "leaves nothing behind when it is aborted: %s",
    async (format) => {
      const folder = scratchFolder();
      const file = path.join(folder, "table");
      writeFileSync(file, "old");
      const controller = new AbortController();
      const running = engine.exportResults(
        PROJECT,
        { ...request, evaluation_call_ids: ["e", "nobody"] },
        {
          format,
          path: file,
          signal: controller.signal,
          onWarning: () => controller.abort(new Error("enough")),
        },
      );
      await expect(running).rejects.toThrow("enough");
      expect(readdirSync(folder)).toEqual(["table"]);
      expect(readFileSync(file, "utf8")).toBe("old");
    },
  );

  it("is not made when it is aborted, and can be asked for again", async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onWarning: () => controller.abort(new Error("enough")) };
    const asked = { ...request, evaluation_call_ids: ["e", "nobody"] };
    await expect(engine.queryTable(PROJECT, asked, options)).rejects.toThrow("enough");
    expect(fromArrow(await engine.queryTable(PROJECT, request))).toEqual(withoutMarks(expected));
  });

  it("leaves nothing behind when it fails", async () => {
    const folder = scratchFolder();
    const bad = engine.exportResults(
      PROJECT,
      // @ts-expect-error the types refuse it too
      { sort_by: [{ field: "nonsense" }] },
      { format: "csv", path: path.join(folder, "x") },
    );
    await expect(bad).rejects.toMatchObject({ code: "unsupported_request" });
    const nowhere = engine.exportResults(PROJECT, request, {
      format: "csv",
      path: path.join(folder, "a", "b.csv"),
    });
    await expect(nowhere).rejects.toMatchObject({
      code: "unwritable_target",
      message: expect.stringContaining("b.csv") as unknown,
    });
    const taken = engine.exportResults(PROJECT, request, { format: "parquet", path: folder });
    await expect(taken).rejects.toMatchObject({ code: "unwritable_target" });
    expect(readdirSync(folder)).toEqual([]);
    expect(
      readdirSync(path.dirname(folder)).filter((name) => name.includes(`${path.basename(folder)}.`)),
    ).toEqual([]);
  });

  it("runs beside others", async () => {
    const folder = scratchFolder();
    const formats = ["parquet", "csv", "jsonl", "arrow"] as const;
    const files = formats.flatMap((format) =>
      [1, 2].map((n) => ({ format, path: path.join(folder, `${n}.${format}`) })),
    );
    await Promise.all(files.map((options) => engine.exportResults(PROJECT, request, options)));
    for (const format of formats) {
      const [one, two] = [1, 2].map((n) => readFileSync(path.join(folder, `${n}.${format}`)));
      expect(two !== undefined && one?.equals(two)).toBe(true);
    }
  });
});
