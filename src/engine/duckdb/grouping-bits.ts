import { availableParallelism, totalmem } from "node:os";
import type { StoreOptions } from "./file/store-options.ts";

const DUCKDB_DEFAULT = 12;
const MOST = 20;
/** Of the states of one group in one thread's array, generously. */
const BYTES_A_GROUP = 128;
/** Of the memory limit, for one query. */
const SHARE = 1 / 4;

/**
 * DuckDB groups by dense integers in an array instead of a hash table as long as their range has no more bits
 * than this. The array is one a thread and cannot spill, so it must be small beside the memory limit.
 */
export function groupingBits({ threads, memoryLimit }: StoreOptions): number {
  const memory = memoryLimit === null ? 0.8 * totalmem() : memoryBytes(memoryLimit);
  const groups = (memory * SHARE) / BYTES_A_GROUP / (threads ?? availableParallelism());
  return Math.min(MOST, Math.max(DUCKDB_DEFAULT, Math.floor(Math.log2(Math.max(1, groups)))));
}

const UNITS: Readonly<Record<string, number>> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

/** A size as `openStore` accepts it. */
function memoryBytes(text: string): number {
  const [, digits = "", unit = ""] = /^([\d.]+)\s*(.+)$/.exec(text) ?? [];
  const scale = UNITS[unit.toUpperCase()] ?? 1;
  return Number(digits) * scale;
}
