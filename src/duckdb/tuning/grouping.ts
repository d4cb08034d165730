import { availableParallelism, totalmem } from "node:os";
import { memoryBytes, type StoreOptions } from "../file/store-options.ts";

const DUCKDB_DEFAULT = 12;
const MOST = 20;
/** Bytes for the states of one group in one thread's array, estimated generously. */
const BYTES_A_GROUP = 128;
/** Share of the memory limit for one query. */
const SHARE = 1 / 4;

/**
 * Computes the largest number of bits for which DuckDB groups dense integers of a range in an array instead of a hash
 * table. Each thread has its own array, which cannot spill, so the array must be small beside the memory limit.
 */
export function groupingBits({ threads, memoryLimit }: StoreOptions): number {
  const memory = memoryLimit === null ? 0.8 * totalmem() : memoryBytes(memoryLimit);
  const groups = (memory * SHARE) / BYTES_A_GROUP / (threads ?? availableParallelism());
  return Math.min(MOST, Math.max(DUCKDB_DEFAULT, Math.floor(Math.log2(Math.max(1, groups)))));
}
