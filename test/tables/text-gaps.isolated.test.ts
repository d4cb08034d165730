import { expect, it, vi } from "vitest";
import type { Vector } from "../../src/duckdb/native/vectors.ts";
import { texts } from "../../src/duckdb/read/texts.ts";

const LETTERS = "thirteen text";
const ADDRESS = 4096;
/** Two texts side by side, one four bytes further. */
const ADDRESSES = [ADDRESS, ADDRESS + 13, ADDRESS + 30];
const asked: (readonly [from: number, byteCount: number])[] = [];

vi.mock("../../src/duckdb/native/bindings.ts", () => ({
  bindings: {
    vector_get_validity: () => null,
    vector_get_data: (entries: Uint8Array) => entries,
    get_data_from_pointer: (buffer: ArrayBuffer, offset: number, byteCount: number) => {
      asked.push([Number(new DataView(buffer).getBigUint64(offset, true)), byteCount]);
      return new Uint8Array(Buffer.from(LETTERS.repeat(byteCount / LETTERS.length), "latin1"));
    },
  },
}));

function vectorOf(addresses: readonly number[]): Uint8Array & Vector {
  const entries = new DataView(new ArrayBuffer(16 * addresses.length));
  for (const [i, address] of addresses.entries()) {
    entries.setUint32(16 * i, LETTERS.length, true);
    entries.setBigUint64(16 * i + 8, BigInt(address), true);
  }
  return Object.assign(new Uint8Array(entries.buffer), { __duckdb_type: "duckdb_vector" as const });
}

it("no byte between texts is read, however close together they lie", () => {
  const gathered = texts();
  gathered.append(vectorOf(ADDRESSES), 0, 3);
  expect(asked).toEqual([
    [ADDRESS, 26],
    [ADDRESS + 30, 13],
  ]);
  const { bytes, offsets } = gathered.take();
  expect(Buffer.from(bytes ?? []).toString()).toBe(LETTERS.repeat(3));
  expect([...(offsets ?? [])]).toEqual([0, 13, 26, 39]);
});
