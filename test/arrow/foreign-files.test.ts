import { writeFileSync } from "node:fs";
import * as zlib from "node:zlib";
import { Session } from "chdb";
import pl from "nodejs-polars";
import * as arrow from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type IngestSource } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";
import { recordTable } from "./table.ts";

const TRIALS = Array.from({ length: 300 }, (_, i) =>
  trial(
    `t${i}`,
    { question: `what is ${i} × 漢?`.repeat(1 + (i % 7)), i },
    { acc: i / 8, ok: i % 3 === 0 },
    {
      started_at: `2026-01-01T00:0${i % 10}:00.00${i % 10}Z`,
    },
  ),
);
const RECORDS = [root(), ...TRIALS];
const noZstd = "zstdDecompress" in zlib ? null : "this Node has no zstd";
const REQUEST = { evaluation_call_ids: [EVALUATION], include_raw_data_rows: true, include_summary: true };

/** The answer's bytes after loading a source. */
async function answerTo(source: IngestSource): Promise<string> {
  const engine = await openEngine({ threads: 1 });
  try {
    expect(await engine.ingestCalls(source)).toMatchObject({ stored: RECORDS.length, unknown_members: {} });
    return await engine.queryEvalResultsJson(PROJECT, REQUEST);
  } finally {
    await engine.close();
  }
}

function saved(name: string, bytes: Uint8Array): string {
  const path = scratchPath(name);
  writeFileSync(path, bytes);
  return path;
}

const times = (name: "started_at") => RECORDS.map((record) => new Date(record[name]));
const texts = (name: string) => RECORDS.map((record) => (record as Record<string, unknown>)[name] ?? null);
const payload = (name: string) => texts(name).map((value) => (value === null ? null : JSON.stringify(value)));

function frame(): pl.DataFrame {
  return pl.DataFrame({
    id: texts("id"),
    project_id: texts("project_id"),
    op_name: texts("op_name"),
    parent_id: texts("parent_id"),
    started_at: times("started_at"),
    inputs: payload("inputs"),
    output: payload("output"),
  });
}

const NDJSON = `${RECORDS.map((record) => JSON.stringify(record)).join("\n")}\n`;
const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
let clickhouse: Session;
let expected: string;

beforeAll(async () => {
  expected = await answerTo(RECORDS);
  clickhouse = new Session();
});
afterAll(() => clickhouse.cleanup());

/** A file that ClickHouse writes of the records, with its own types: nested ones where `nested` says so. */
function byClickhouse(format: string, name: string, settings = ""): string {
  const path = scratchPath(name);
  const source = saved("calls.ndjson", Buffer.from(NDJSON));
  const columns =
    "id String, project_id LowCardinality(String), op_name LowCardinality(String), parent_id Nullable(String), started_at String, inputs Nullable(String), output Nullable(String)";
  clickhouse.query(
    `SELECT * REPLACE (parseDateTime64BestEffort(started_at, 6, 'UTC') AS started_at)
     FROM file(${quoted(source)}, JSONEachRow, ${quoted(columns)})
     INTO OUTFILE ${quoted(path)} FORMAT ${format} SETTINGS input_format_json_read_objects_as_strings = 1${settings}`,
  );
  return path;
}

async function byDuckdb(select: string): Promise<string> {
  const path = scratchPath("calls.parquet");
  const source = saved("calls.ndjson", Buffer.from(NDJSON));
  await runOn(
    ":memory:",
    `COPY (SELECT ${select} FROM read_json('${source}', format = 'newline_delimited')) TO '${path}' (FORMAT parquet)`,
  );
  return path;
}

const zstd = () => saved("calls.feather", frame().writeIPC({ compression: "zstd" }));

describe("files that others write load unchanged", () => {
  it.each<[string, () => IngestSource | Promise<IngestSource>]>([
    ["polars: Parquet", () => saved("calls.parquet", frame().writeParquet())],
    [
      "polars: Parquet with zstd",
      () => saved("calls.parquet", frame().writeParquet({ compression: "zstd" })),
    ],
    ["polars: an Arrow file", () => saved("calls.arrow", frame().writeIPC())],
    [
      "polars: an Arrow file with LZ4",
      () => saved("calls.feather", frame().writeIPC({ compression: "lz4" })),
    ],
    ["polars: an Arrow stream", () => saved("calls.arrows", frame().writeIPCStream())],
    ["polars: an Arrow stream with LZ4", () => frame().writeIPCStream({ compression: "lz4" })],
    ["apache-arrow: an Arrow file", () => arrow.tableToIPC(recordTable(RECORDS), "file")],
    ["apache-arrow: an Arrow stream", () => arrow.tableToIPC(recordTable(RECORDS), "stream")],
    ["DuckDB: Parquet with nested columns", () => byDuckdb("*")],
    [
      "DuckDB: Parquet with JSON text",
      () => byDuckdb("* REPLACE (inputs::JSON AS inputs, output::JSON AS output)"),
    ],
    ["ClickHouse: Parquet", () => byClickhouse("Parquet", "calls.parquet")],
    ["ClickHouse: an Arrow stream", () => byClickhouse("ArrowStream", "calls.arrows")],
    ["ClickHouse: an Arrow file", () => byClickhouse("Arrow", "calls.arrow")],
    [
      "ClickHouse: an Arrow stream with text as bytes and dictionaries",
      () =>
        byClickhouse(
          "ArrowStream",
          "calls.arrows",
          ", output_format_arrow_string_as_string = 0, output_format_arrow_low_cardinality_as_dictionary = 1",
        ),
    ],
    [
      "ClickHouse: Parquet with text as bytes",
      () => byClickhouse("Parquet", "calls.parquet", ", output_format_parquet_string_as_string = 0"),
    ],
  ])("%s", async (_writer, source) => {
    expect(await answerTo(await source())).toBe(expected);
  });

  it.skipIf(noZstd !== null)(`polars: an Arrow file with zstd${because(noZstd)}`, async () => {
    expect(await answerTo(zstd())).toBe(expected);
  });

  it.skipIf(noZstd === null)(
    `zstd is refused where Node has none, with a word on what to do${because(noZstd === null ? "this Node has zstd" : null)}`,
    async () => {
      const engine = await scratchEngine();
      expect((await refusal(engine.ingestCalls(zstd()))).message).toMatch(
        /calls\.feather, record 1: .*compressed with zstd.*write it with lz4/,
      );
    },
  );
});
