import { createReadStream, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import * as arrow from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type IngestSource, type ResultRow } from "../../src/index.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";
import { field, MICROSECONDS, recordColumns, recordTable, tableOf, UTF8 } from "./table.ts";

const RECORDS = [
  root(),
  ...Array.from({ length: 300 }, (_, i) => trial(`t${i}`, { q: i, é: "漢" }, { acc: i / 8 })),
];
const TABLE = recordTable(RECORDS);
const STREAM = arrow.tableToIPC(TABLE, "stream");
const FILE = arrow.tableToIPC(TABLE, "file");
const parts = (size: number) =>
  Array.from({ length: Math.ceil(RECORDS.length / size) }, (_, i) => TABLE.slice(i * size, (i + 1) * size));

function* bytewise(bytes: Uint8Array) {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

function saved(name: string, bytes: Uint8Array): string {
  const path = scratchPath(name);
  writeFileSync(path, bytes);
  return path;
}

const ALL = {
  received: RECORDS.length,
  stored: RECORDS.length,
  unchanged: 0,
  rejected: [],
  unknown_members: {},
};

let expected: readonly ResultRow[];

beforeAll(async () => {
  const engine = await openEngine();
  await engine.ingestCalls(RECORDS);
  expected = (await askAll(engine)).rows;
  await engine.close();
});

describe("calls in Arrow", () => {
  it.each<[string, () => IngestSource]>([
    ["a table", () => TABLE],
    ["a table of slices", () => new arrow.Table(parts(100).flatMap((part) => part.batches))],
    ["a record batch", () => TABLE.batches[0] ?? []],
    ["an array of record batches", () => parts(99).flatMap((part) => part.batches)],
    ["a reader of record batches", () => arrow.RecordBatchReader.from(STREAM)],
    [
      "record batches as they are made, some of them empty",
      async function* () {
        for (const part of [TABLE.slice(0, 0), ...parts(130), TABLE.slice(0, 0)]) yield* part.batches;
      },
    ],
    ["the bytes of a stream", () => STREAM],
    ["the bytes of a file", () => FILE],
    ["bytes that begin at an odd address", () => Buffer.concat([Buffer.of(1), STREAM]).subarray(1)],
    ["a stream in chunks of a byte", () => bytewise(arrow.tableToIPC(TABLE, "stream"))],
    ["a file in chunks of a byte", () => bytewise(FILE)],
    [
      "a web stream",
      () => Readable.toWeb(Readable.from([STREAM, new Uint8Array(0)])) as AsyncIterable<Uint8Array>,
    ],
    ["a file on disk", () => saved("calls.arrow", FILE)],
    ["a stream on disk", () => saved("calls.arrows", STREAM)],
    ["a file that is a stream, whatever its name", () => saved("calls.feather", STREAM)],
    ["a file whose name tells no format", () => saved("calls", FILE)],
    ["a stream on disk whose name tells no format", () => saved("calls.bin", STREAM)],
    ["a stream of Node", () => createReadStream(saved("calls.bin", FILE))],
    ["a table with a name", () => ({ arrow: TABLE, name: "frame" })],
  ])("may be %s", async (_kind, source) => {
    const engine = await scratchEngine();
    expect(await engine.ingestCalls(source())).toMatchObject(ALL);
    const { rows } = await askAll(engine);
    expect(rows).toEqual(expected);
    expect((await engine.listEvaluations(PROJECT))[0]).toMatchObject({ id: EVALUATION, trial_count: 300 });
  });

  it("may be none", async () => {
    const engine = await scratchEngine();
    const none = { ...ALL, received: 0, stored: 0 };
    expect(await engine.ingestCalls(TABLE.slice(0, 0))).toMatchObject(none);
    expect(await engine.ingestCalls(new arrow.Table(TABLE.schema))).toMatchObject(none);
    expect(await engine.ingestCalls(arrow.tableToIPC(new arrow.Table(TABLE.schema), "stream"))).toMatchObject(
      none,
    );
  });

  it("are recognised by their columns, as dataset rows are", async () => {
    const engine = await scratchEngine();
    const rows = recordTable([{ project_id: PROJECT, digest: "d", val: null }]);
    expect(await engine.ingestFile(rows.slice(0, 0))).toMatchObject({ kind: "rows", received: 0 });
    expect(await engine.ingestFile(rows)).toMatchObject({ kind: "rows", stored: 1 });
    expect(await engine.ingestFile(TABLE.slice(0, 0))).toMatchObject({ kind: "calls", received: 0 });
  });

  it("may come in several sources: the end of a call after its start", async () => {
    const engine = await scratchEngine();
    const { output, ...start }: { readonly [name: string]: unknown } = trial("t", { q: 1 }, { acc: 1 });
    await engine.ingestCalls(recordTable([start]));
    await engine.ingestCalls(
      recordTable([{ id: "t", project_id: PROJECT, ended_at: "2026-01-01T00:00:05Z", output }]),
    );
    expect((await askAll(engine)).rows[0]?.evaluations[0]?.trials[0]?.scores).toEqual({ acc: 1 });
  });

  it("may hold text as bytes, in dictionaries, in views and with long offsets", async () => {
    const records = RECORDS.slice(0, 40);
    const plain = recordTable(records);
    const column = (name: string) => [...(plain.getChild(name) ?? [])] as (string | null)[];
    const bytes = (name: string) => column(name).map((value) => (value === null ? null : Buffer.from(value)));
    const engine = await scratchEngine();
    const table = tableOf({
      id: [new arrow.Utf8View(), column("id")],
      project_id: [new arrow.Dictionary(UTF8, new arrow.Int8()), column("project_id")],
      op_name: [new arrow.Binary(), bytes("op_name")],
      parent_id: [new arrow.LargeUtf8(), column("parent_id")],
      started_at: [
        new arrow.Dictionary(UTF8, new arrow.Uint16()),
        records.map((record) => record.started_at),
      ],
      inputs: [new arrow.BinaryView(), bytes("inputs")],
      output: [new arrow.LargeBinary(), bytes("output")],
    });
    expect(await engine.ingestCalls(table)).toMatchObject({ stored: 40, unknown_members: {} });
    const other = await scratchEngine();
    await other.ingestCalls(records);
    expect((await askAll(engine)).rows).toEqual((await askAll(other)).rows);
  });

  it.each<[string, arrow.DataType, unknown, string]>([
    ["microseconds", MICROSECONDS, Date.UTC(2026, 0, 31, 12), "2026-01-31T12:00:00.000000Z"],
    [
      "milliseconds",
      new arrow.TimestampMillisecond(),
      Date.UTC(2026, 0, 31, 12, 0, 0, 7),
      "2026-01-31T12:00:00.007000Z",
    ],
    ["seconds", new arrow.TimestampSecond(), Date.UTC(1969, 11, 31, 12), "1969-12-31T12:00:00.000000Z"],
    [
      "nanoseconds",
      new arrow.TimestampNanosecond(),
      Date.UTC(2026, 0, 31, 12),
      "2026-01-31T12:00:00.000000Z",
    ],
    [
      "JavaScript's dates",
      new arrow.DateMillisecond(),
      new Date(Date.UTC(2026, 0, 31)),
      "2026-01-31T00:00:00.000000Z",
    ],
    ["text with an offset", UTF8, "2026-01-31T13:00:00.123456+01:00", "2026-01-31T12:00:00.123456Z"],
  ])("may hold times as %s", async (_kind, type, value, started_at) => {
    const engine = await scratchEngine();
    const table = recordTable([{ id: EVALUATION, project_id: PROJECT, op_name: "Evaluation.evaluate" }]);
    await engine.ingestCalls(table.assign(tableOf({ started_at: [type, [value]] })));
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([{ started_at }]);
  });

  it("keep columns of any name, and count them", async () => {
    const engine = await scratchEngine();
    const names = ["a\"b'c\\d", "é😀", "__proto__", "1"];
    const more = names.map((name) => [name, [new arrow.Int32(), [1, null]]] as const);
    const table = tableOf({ ...recordColumns(RECORDS.slice(0, 2)), ...Object.fromEntries(more) });
    const { unknown_members } = await engine.ingestCalls(table);
    expect(new Map(Object.entries(unknown_members))).toEqual(new Map(names.map((name) => [name, 1])));
  });

  it("are told apart from a source that changes its mind", async () => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls([...TABLE.batches, RECORDS[1]] as unknown[]));
    expect(error.message).toContain("item 2 of the source is not a record batch");
    expect(
      (await refusal(engine.ingestCalls([...bytewise(STREAM.slice(0, 64)), 5] as unknown[]))).message,
    ).toContain("item 65");
    expect(await storedIds(engine)).toEqual([]);
  });
});

describe("dataset rows in Arrow", () => {
  it.each([
    ["JSON text", [UTF8, ['{"q":[1,"x"]}']]],
    [
      "columns, JSON inside of them",
      [
        new arrow.Struct([
          field("q", new arrow.List(field("item", UTF8, { "ARROW:extension:name": "arrow.json" }))),
        ]),
        [{ q: ["1", '"x"'] }],
      ],
    ],
  ] as const)("may hold values as %s", async (_kind, val) => {
    const engine = await scratchEngine();
    await engine.ingestCalls([trial("t", "svc:///acme/qa/object/data:v1/attr/rows/id/d1")]);
    const table = recordTable([{ project_id: PROJECT, digest: "d1" }]).assign(tableOf({ val }));
    expect(await engine.ingestRows(table)).toMatchObject({ stored: 1 });
    const { rows } = await askAll(engine, { resolve_row_refs: true });
    expect(rows[0]?.raw_data_row).toEqual({ q: [1, "x"] });
  });
});
