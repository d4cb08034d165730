import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { StoreError } from "../errors.ts";
import { isSet } from "../arrow/bits.ts";
import type { ColumnType, ColumnValues } from "../store/columns.ts";
import { CLIENT_VERSION } from "./native/bindings.ts";
import { columnStream } from "./read/batches.ts";

/**
 * Has a value of each layout that is read below the client: texts around the longest short one, lists, a decimal, a
 * struct.
 */
const PROBE = `SELECT * FROM (VALUES
  ('', [1, 2], 1.25::DECIMAL(9, 2), {'id': 1, 'name': 'a text that is not short'}),
  ('twelve bytes', [], -0.01, {'id': NULL, 'name': 'short'}),
  ('thirteen byte', NULL, NULL, NULL),
  (NULL, [NULL, 3], 9999999.99, {'id': -7, 'name': NULL})) AS probe(text, list, decimal, struct)`;

let checked: Promise<void> | null = null;

/**
 * Reads one statement through the client and through `read/`. Throws `StoreError` if the results differ, as they would
 * with a client whose vectors have another layout in memory. Runs once per process, since a process has one client.
 */
export function checkClient(connection: DuckDBConnection): Promise<void> {
  checked ??= compareReadings(connection).catch((error: unknown) => {
    checked = null;
    throw new StoreError(
      "unsupported_client",
      `@duckdb/node-api reads results in another way than evalcube does; install version ${CLIENT_VERSION} of it`,
      { cause: error },
    );
  });
  return checked;
}

async function compareReadings(connection: DuckDBConnection): Promise<void> {
  const expected = (await connection.runAndReadAll(PROBE)).getRows().map((row) => row.map(plainValue));
  const found = await readColumns(connection);
  const [one, other] = [spelled(expected), spelled(found)];
  if (one !== other) throw new TypeError(`the client reads ${one}, evalcube ${other}`);
}

function spelled(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_name, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

/** Returns lists and structs as arrays, and decimals as the integers that they are stored as. */
function plainValue(value: DuckDBValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("items" in value) return value.items.map(plainValue);
  if ("entries" in value && !Array.isArray(value.entries))
    return Object.values(value.entries).map((member) => plainValue(member));
  return "value" in value ? value.value : String(value);
}

async function readColumns(connection: DuckDBConnection): Promise<unknown[][]> {
  const result = await connection.stream(PROBE);
  const { fields, batches } = columnStream(
    result,
    (error) => error,
    () => Promise.resolve(),
    undefined,
  );
  const rows: unknown[][] = [];
  for await (const { length, columns } of batches) {
    for (let i = 0; i < length; i++)
      rows.push(fields.map(({ type }, column) => valueAt(type, columns[column], i)));
  }
  return rows;
}

function valueAt(type: ColumnType, values: ColumnValues | undefined, i: number): unknown {
  if (values === undefined) throw new TypeError("a column without values");
  const { validity, bytes, offsets, children } = values;
  if (validity !== null && !isSet(validity, i)) return null;
  const [start = 0, end = 0] = offsets?.subarray(i, i + 2) ?? [];
  if (type.kind === "struct") return type.fields.map((field, k) => valueAt(field.type, children[k], i));
  if (type.kind === "list")
    return Array.from({ length: end - start }, (_, k) => valueAt(type.item, children[0], start + k));
  const data = Buffer.from(bytes?.buffer ?? new ArrayBuffer(0), bytes?.byteOffset, bytes?.byteLength);
  if (type.kind === "text") return data.toString("utf8", start, end);
  return type.kind === "decimal" ? data.readBigInt64LE(16 * i) : data.readInt32LE(4 * i);
}
