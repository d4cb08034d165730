import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import * as arrow from "apache-arrow";
import { memberTexts } from "../../src/model/member-texts.ts";
import { parseTimestamp } from "../../src/model/timestamp.ts";

const TEXTS = ["id", "project_id", "op_name", "trace_id", "parent_id"];
const TIMES = ["started_at", "ended_at"];
const PAYLOADS = ["attributes", "inputs", "output", "summary"];
const UTF8 = new arrow.Utf8();
const TIME = new arrow.Timestamp(arrow.TimeUnit.MICROSECOND, "UTC");
const SCHEMA = new arrow.Schema(
  [...TEXTS, ...TIMES, ...PAYLOADS].map(
    (name) => new arrow.Field(name, TIMES.includes(name) ? TIME : UTF8, true),
  ),
);
const BATCH = 16_384;

/** The first `calls` of an NDJSON file as a table: text, times in microseconds, payloads as JSON text. */
export async function callTable(ndjson: string, calls: number): Promise<arrow.Table> {
  const batches: arrow.RecordBatch[] = [];
  let records: Map<string, string>[] = [];
  let read = 0;
  for await (const line of createInterface({ input: createReadStream(ndjson) })) {
    if (read++ === calls) break;
    records.push(memberTexts(line));
    if (records.length < BATCH) continue;
    batches.push(batchOf(records));
    records = [];
  }
  if (records.length > 0) batches.push(batchOf(records));
  return new arrow.Table(SCHEMA, batches);
}

function batchOf(records: readonly ReadonlyMap<string, string>[]): arrow.RecordBatch {
  const children = SCHEMA.fields.map(({ name }) => {
    const texts = records.map((record) => record.get(name));
    if (PAYLOADS.includes(name)) return textColumn(texts.map((text) => text ?? null));
    const values = texts.map((text) => (text === undefined ? null : (JSON.parse(text) as string | null)));
    return TIMES.includes(name) ? timeColumn(values) : textColumn(values);
  });
  const type = new arrow.Struct(SCHEMA.fields);
  const data = arrow.makeData({ type, length: records.length, nullCount: 0, children });
  return new arrow.RecordBatch(SCHEMA, data);
}

function textColumn(values: readonly (string | null)[]): arrow.Data {
  const valueOffsets = new Int32Array(values.length + 1);
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
  const parts = values.map((value, i) => {
    const bytes = Buffer.from(value ?? "");
    valueOffsets[i + 1] = (valueOffsets[i] ?? 0) + bytes.length;
    if (value !== null) nullBitmap[i >> 3] = (nullBitmap[i >> 3] ?? 0) | (1 << (i & 7));
    return bytes;
  });
  const nullCount = values.filter((value) => value === null).length;
  const data = Buffer.concat(parts);
  return arrow.makeData({ type: UTF8, length: values.length, nullCount, nullBitmap, valueOffsets, data });
}

function timeColumn(values: readonly (string | null)[]): arrow.Data {
  const data = BigInt64Array.from(values, (value) => parseTimestamp(value ?? "") ?? 0n);
  return arrow.makeData({ type: TIME, length: values.length, nullCount: 0, data });
}
