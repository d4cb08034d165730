import { writeFileSync } from "node:fs";
import * as arrow from "apache-arrow";
import { describe, expect, it } from "vitest";
import { IngestError, type IngestSource } from "../../src/index.ts";
import { ipcMemoryGroups } from "../../src/ingest/formats/arrow.ts";
import { storedIds } from "../support/queries.ts";
import { PROJECT, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";
import { field, recordColumns, recordTable, tableOf, UTF8, type Columns } from "./table.ts";

const SEED = Number(process.env["SEED"] ?? 606);
const RECORDS = Array.from({ length: 4 }, (_, i) => trial(`t${i}`, { q: i }, { acc: i }));
const TABLE = recordTable(RECORDS);
const INT = new arrow.Int32();

/** The same calls with other columns as well, or instead of theirs. */
const withColumns = (columns: Columns) => tableOf({ ...recordColumns(RECORDS), ...columns });

/** A column of text made of bytes and offsets that are what they are. */
function rawText(offsets: readonly number[], bytes: Uint8Array): arrow.Data {
  const valueOffsets = Int32Array.from(offsets);
  return arrow.makeData({ type: UTF8, length: offsets.length - 1, nullCount: 0, valueOffsets, data: bytes });
}

/** The calls with a column whose data is given. */
function withData(name: string, data: arrow.Data): arrow.RecordBatch {
  const [batch] = TABLE.batches;
  const kept = TABLE.schema.fields
    .map((one, i) => ({ one, data: batch?.data.children[i] }))
    .filter(({ one }) => one.name !== name);
  const fields = [...kept.map(({ one }) => one), field(name, data.type)];
  const children = [...kept.flatMap((one) => one.data ?? []), data];
  const schema = new arrow.Schema(fields);
  return new arrow.RecordBatch(
    schema,
    arrow.makeData({ type: new arrow.Struct(fields), length: 4, nullCount: 0, children }),
  );
}

function saved(name: string, bytes: Uint8Array): string {
  const path = scratchPath(name);
  writeFileSync(path, bytes);
  return path;
}

describe("a schema that cannot be calls", () => {
  it.each<[string, IngestSource, RegExp]>([
    [
      "none of theirs",
      tableOf({ a: [INT, [1]], b: [UTF8, ["x"]] }),
      /records: cannot be calls, it lacks the columns id, project_id, op_name, started_at; it has a, b/,
    ],
    [
      "some of theirs",
      tableOf({ id: [UTF8, []], op_name: [UTF8, []] }),
      /lacks the columns project_id, started_at; it has id, op_name/,
    ],
    ["no columns at all", new arrow.Table(), /it has none/],
    [
      "two of one name",
      {
        arrow: new arrow.RecordBatch(
          new arrow.Schema([...TABLE.schema.fields, field("id", INT)]),
          TABLE.batches[0]?.data as arrow.Data<arrow.Struct>,
        ),
        name: "twins",
      },
      /twins: has two columns "id"/,
    ],
    [
      "that only later batches have",
      { arrow: [...TABLE.batches, ...tableOf({ id: [UTF8, ["x"]] }).batches], name: "mixed" },
      /mixed, from record 5 on: .* lacks the columns project_id, op_name, started_at; it has id/,
    ],
  ])("is refused: %s", async (_fault, source, message) => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls(source, { onInvalid: "skip" }));
    expect(error.code).toBe("invalid_schema");
    expect(error.message).toMatch(message);
    expect(await storedIds(engine)).toEqual([]);
  });

  it("may change from batch to batch as long as it can be calls", async () => {
    const engine = await scratchEngine();
    const second = tableOf({ ...recordColumns([trial("x", { q: 9 })]), note: [INT, [1]] });
    const result = await engine.ingestCalls([...TABLE.batches, ...second.batches]);
    expect(result).toMatchObject({ stored: 5, unknown_members: { note: 1 } });
  });
});

describe("a value that is refused", () => {
  const invalid = Uint8Array.from(Buffer.concat([Buffer.from("okay"), Buffer.of(0xff), Buffer.from("é")]));
  it.each<[string, () => IngestSource, number, readonly (string | number)[], RegExp]>([
    [
      "a number for an id",
      () => withColumns({ id: [INT, [1, 2, 3, 4]] }),
      1,
      ["id"],
      /must be a string or null, not a number/,
    ],
    [
      "a list for inputs",
      () => withColumns({ inputs: [new arrow.List(field("item", INT)), [null, null, [1], null]] }),
      3,
      ["inputs"],
      /must be an object/,
    ],
    [
      "a boolean for a time",
      () => withColumns({ ended_at: [new arrow.Bool(), [null, true, null, null]] }),
      2,
      ["ended_at"],
      /must be an ISO 8601 time/,
    ],
    [
      "a null for a project",
      () => withColumns({ project_id: [UTF8, [PROJECT, PROJECT, PROJECT, null]] }),
      4,
      ["project_id"],
      /is required/,
    ],
    [
      "text that is no JSON",
      () => withColumns({ output: [UTF8, ["{}", "1, 2", "{}", "{}"]] }),
      2,
      ["output"],
      /is not JSON/,
    ],
    [
      "text that smuggles a member",
      () => withColumns({ inputs: [UTF8, ['{},"project_id":"evil/corp"', "{}", "{}", "{}"]] }),
      1,
      ["inputs"],
      /is not JSON/,
    ],
    [
      "NaN deep inside",
      () =>
        withColumns({
          output: [
            new arrow.Struct([field("scores", new arrow.Struct([field("acc", new arrow.Float64())]))]),
            [{ scores: { acc: 1 } }, { scores: { acc: NaN } }, null, null],
          ],
        }),
      2,
      ["output", "scores", "acc"],
      /NaN/,
    ],
    [
      "text that is not UTF-8",
      () => withData("display_name", rawText([0, 4, 5, 7, 7], invalid)),
      2,
      ["display_name"],
      /is not UTF-8/,
    ],
    [
      "a letter cut in two",
      () =>
        withData(
          "display_name",
          rawText([0, 4, 4, 6, 7], Uint8Array.from(Buffer.from("okaxxé").subarray(0, 7))),
        ),
      3,
      ["display_name"],
      /is not UTF-8/,
    ],
    [
      "an offset beyond the bytes",
      () => withData("display_name", rawText([0, 2, 2, 9, 9], invalid.slice(0, 4))),
      3,
      ["display_name"],
      /outside of its buffer/,
    ],
    [
      "offsets that go back",
      () => withData("display_name", rawText([0, 3, 1, 4, 4], invalid.slice(0, 4))),
      2,
      ["display_name"],
      /outside of its buffer/,
    ],
    [
      "a key that its dictionary has not",
      () =>
        withData(
          "display_name",
          arrow.makeData({
            type: new arrow.Dictionary(UTF8, INT),
            length: 4,
            nullCount: 0,
            data: Int32Array.of(0, -1, 0, 0),
            dictionary: arrow.vectorFromArray(["x"], UTF8),
          }),
        ),
      2,
      ["display_name"],
      /has the key -1, which its dictionary of 1 values has not/,
    ],
  ])(
    "%s: source, position and path are named, and the others can be kept",
    async (_fault, source, position, path, reason) => {
      const engine = await scratchEngine();
      const error = await refusal(engine.ingestCalls(source()));
      expect(error).toMatchObject({ code: "invalid_record", source: "records", position, path });
      expect(error.message).toMatch(reason);
      expect(await storedIds(engine)).toEqual([]);
      const { received, rejected, stored } = await engine.ingestCalls(source(), { onInvalid: "skip" });
      expect(rejected[0]).toMatchObject({ position, path });
      expect({ received, all: stored + rejected.length }).toEqual({ received: 4, all: 4 });
    },
  );

  it("a list of more nulls than memory has", async () => {
    const engine = await scratchEngine();
    const type = new arrow.List(field("item", new arrow.Null()));
    const child = arrow.makeData({ type: new arrow.Null(), length: 2 ** 31 - 1 });
    const data = arrow.makeData({
      type,
      length: 4,
      nullCount: 0,
      valueOffsets: Int32Array.of(0, 1, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1),
      child,
    });
    const { rejected } = await engine.ingestCalls(withData("note", data), { onInvalid: "skip" });
    expect(rejected).toMatchObject([{ position: 2, path: ["note"] }]);
  });

  it("a column that is shorter than it says", async () => {
    const engine = await scratchEngine();
    const short = arrow.makeData({
      type: new arrow.Float64(),
      length: 4,
      nullCount: 0,
      data: Float64Array.of(1),
    });
    const error = await refusal(engine.ingestCalls(withData("note", short), { onInvalid: "skip" }));
    expect(error).toMatchObject({ code: "invalid_record", position: 1 });
    expect(error.message).toContain("column note: the values are shorter than its 4 values");
  });
});

describe("times of a unit that there is not", () => {
  it.each([
    new arrow.TimestampMicrosecond(),
    new arrow.TimeMicrosecond(),
    new arrow.Duration(arrow.TimeUnit.MICROSECOND),
  ])("are refused: %s", async (type) => {
    Object.assign(type, { unit: 4 });
    const values = BigInt64Array.of(1n, 2n, 3n, 2n ** 62n);
    const data = new arrow.Data(type, 0, 4, 0, [undefined, values]);
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls(withData("note", data)));
    expect(error).toMatchObject({ code: "invalid_record" });
    expect(error.message).toContain("a time cannot have the unit 4");
  });
});

describe("bytes that are no Arrow", () => {
  const stream = arrow.tableToIPC(TABLE, "stream");
  const head = (length: number) => {
    const bytes = Buffer.from(stream);
    bytes.writeInt32LE(length, 4);
    return bytes;
  };

  it.each<[string, string, Uint8Array, RegExp]>([
    ["nothing", "calls.arrow", new Uint8Array(0), /is empty/],
    ["NDJSON", "calls.arrow", Buffer.from('{"id":1}\n'), /is JSON; give NDJSON bytes as \{ ndjson, name \}/],
    ["Feather version 1", "calls.feather", Buffer.from("FEA1\0\0\0\0"), /Feather version 1/],
    ["a message longer than the file", "calls.arrows", head(2 ** 31 - 1), /ends early/],
    ["a message of a length below nothing", "calls.arrows", head(-2), /neither an Arrow IPC stream nor/],
    ["a stream that goes on", "calls.arrows", Buffer.concat([stream, Buffer.of(1)]), /goes on after the end/],
    ["a file without its end", "calls.arrow", arrow.tableToIPC(TABLE, "file").slice(0, -1), /ends early/],
  ])("are refused: %s", async (_what, name, bytes, reason) => {
    const engine = await scratchEngine();
    const path = saved(name, bytes);
    const error = await refusal(engine.ingestCalls(path));
    expect(error).toMatchObject({ code: "invalid_record", source: path });
    expect(error.message).toMatch(reason);
  });

  it("are refused wherever they are cut", async () => {
    for (const bytes of [stream, arrow.tableToIPC(TABLE, "file")])
      for (let length = 0; length < bytes.length; length += 7)
        expect(await outcomeOf(bytes.slice(0, length), `cut at ${length}`), `cut at ${length}`).toBe(
          "refused",
        );
  });

  it(`are refused, or read, whatever is changed in them (SEED=${SEED})`, async () => {
    let state = SEED;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return state % below;
    };
    const mixed = withColumns({
      tag: [new arrow.Dictionary(UTF8, new arrow.Int8()), ["x", null, "y", "x"]],
      list: [
        new arrow.List(field("item", new arrow.Struct([field("q", new arrow.Utf8View())]))),
        [[{ q: "a" }], null, [], null],
      ],
      pair: [new arrow.FixedSizeList(2, field("i", new arrow.Null())), [[null, null], null, null, null]],
    });
    let refused = 0;
    for (const whole of [arrow.tableToIPC(mixed, "stream"), arrow.tableToIPC(mixed, "file")])
      for (let round = 0; round < 500; round++) {
        const bytes = whole.slice();
        for (let change = 0; change <= random(3); change++)
          bytes.set(random(2) === 0 ? [random(256)] : [255, 255, 255, 127], random(bytes.length - 4));
        if ((await outcomeOf(bytes, `round ${round}`)) === "refused") refused++;
      }
    expect(refused).toBeGreaterThan(100);
  });
});

/** Reads all records; anything else than a refusal of ours fails. */
async function outcomeOf(bytes: Uint8Array, place: string): Promise<"read" | "refused"> {
  try {
    let records = 0;
    for await (const group of ipcMemoryGroups(bytes, place)) records += [...group.records].length;
    expect(records, place).toBeLessThan(1000);
    return "read";
  } catch (error) {
    if (error instanceof IngestError) return "refused";
    throw error;
  }
}
