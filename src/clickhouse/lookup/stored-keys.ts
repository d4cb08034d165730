import { chunkReader } from "../../arrow/ipc/byte-reader.ts";
import { readBatches } from "../../arrow/ipc/batches.ts";
import { streamParts } from "../../arrow/ipc/messages.ts";
import { createHashFilter, type HashFilter } from "../../ingest/lookup/hash-filter.ts";
import type { IdentityHash } from "../../ingest/lookup/identity-hash.ts";
import { nextTurn } from "../../model/turns.ts";
import type { ClickHouse } from "../server/client.ts";

/** The keys of everything that is stored, and perhaps of more: nothing is stored of what is not in them. */
export interface StoredKeys {
  readonly calls: HashFilter;
  /** The keys of calls that have children. */
  readonly groups: HashFilter;
  readonly rows: HashFilter;
}

export function noKeys(): StoredKeys {
  return { calls: createHashFilter(), groups: createHashFilter(), rows: createHashFilter() };
}

/** How many keys {@link readKeys} would read, about. */
export async function countKeys(client: ClickHouse): Promise<number> {
  const [found] = await client.rows(
    "SELECT (SELECT count() FROM call_groups) + (SELECT count() FROM row_digests)",
  );
  return Number(found?.[0]);
}

/** Adds the keys of what is in these loads; of all loads, whether they are visible or not, where it is null. */
export async function readKeys(
  client: ClickHouse,
  keys: StoredKeys,
  loads: readonly bigint[] | null,
): Promise<void> {
  const among = loads === null ? "" : "AND load IN {loads: Array(UInt64)}";
  const values = loads === null ? {} : { loads };
  await Promise.all([
    addAll(keys.calls, await client.arrow(`SELECT call_key FROM call_groups WHERE true ${among}`, values)),
    addAll(
      keys.groups,
      await client.arrow(
        `SELECT DISTINCT group_key FROM call_groups WHERE group_key != call_key ${among}
        UNION ALL SELECT DISTINCT evaluation_key FROM evaluations WHERE true ${among}`,
        values,
      ),
    ),
    addAll(keys.rows, await client.arrow(`SELECT row_key FROM row_digests WHERE true ${among}`, values)),
  ]);
}

async function addAll(filter: HashFilter, stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const { columns, length } of readBatches(streamParts(chunkReader(stream)))) {
    const values: unknown = columns[0]?.values;
    if (length === 0 || !(values instanceof BigUint64Array)) continue;
    const halves = new Int32Array(values.buffer, values.byteOffset, 2 * length);
    for (let i = 0; i < halves.length; i += 2) filter.add({ low: halves[i] ?? 0, high: halves[i + 1] ?? 0 });
    await nextTurn();
  }
}

/** A key as its halves. */
export function halvesOf(key: bigint): IdentityHash {
  return { low: Number(BigInt.asIntN(32, key)), high: Number(BigInt.asIntN(32, key >> 32n)) };
}
