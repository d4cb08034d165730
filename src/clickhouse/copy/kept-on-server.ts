import { integerOf } from "../server/integer-of.ts";
import { Vector } from "apache-arrow";
import { readBatches } from "../../arrow/ipc/batches.ts";
import { chunkReader } from "../../arrow/ipc/byte-reader.ts";
import { streamParts } from "../../arrow/ipc/messages.ts";
import { StoreError } from "../../errors.ts";
import { countsOf, type Counts, type Kept, type KeptCall } from "../../ingest/kept.ts";
import type { ParsedRow } from "../../ingest/record/dataset-row-record.ts";
import { nameRank, PARTS } from "../lookup/call-histories.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { IS_ALIVE, IS_VISIBLE, readCommits, visibleValues, type Visible } from "../lookup/visible.ts";

interface Source extends Pick<ClickHouseDatabase, "client" | "name"> {
  readonly visible: Visible;
  readonly signal: AbortSignal | undefined;
}

/** So many records are sorted and sent by one statement, where they are of several loads. */
const RECORDS_AT_ONCE = 200_000;
const ROWS_AT_ONCE = 500;

/** A large load is sorted on the server's disk, and comes in small blocks. */
const STREAMED = {
  wait_end_of_query: 0,
  max_block_size: "1000",
  max_bytes_before_external_sort: "1000000000",
} as const;

/** What is visible now. */
export async function keptOnServer(
  { client, name, hasCoordinator }: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): Promise<Kept> {
  const source = { client, name, signal, visible: await readCommits(client, hasCoordinator) };
  return { counts: () => count(source), calls: () => readCalls(source), rows: () => readRows(source) };
}

async function count({ client, visible, signal }: Source): Promise<Counts> {
  const [found] = await client.rows(
    `SELECT (SELECT count(DISTINCT project_key) FROM projects WHERE ${IS_VISIBLE}),
      (SELECT count() FROM (SELECT 1 FROM call_groups WHERE ${IS_VISIBLE} GROUP BY project_key, call_key)),
      (SELECT count() FROM (SELECT 1 FROM rows WHERE ${IS_VISIBLE} AND value IS NOT NULL GROUP BY project_key, row_key)),
      (SELECT count() FROM trials WHERE ${IS_ALIVE}), (SELECT count() FROM scores WHERE ${IS_ALIVE})`,
    visibleValues(visible),
    { settings: { optimize_aggregation_in_order: 1 }, signal },
  );
  return countsOf(found);
}

async function* readCalls(source: Source): AsyncGenerator<readonly KeptCall[]> {
  const { client, visible, signal } = source;
  const loads = await client.rows(
    `SELECT load, count() FROM fragments WHERE ${IS_VISIBLE} GROUP BY load ORDER BY load`,
    visibleValues(visible),
    { signal },
  );
  for (const range of ranges(
    loads.map(([load, records]) => ({ load: String(load), records: Number(records) })),
  ))
    yield* readLoads(source, range);
}

interface Loads {
  readonly from: string;
  readonly to: string;
  readonly records: number;
}

/** Loads one after another, so many together that a statement is worth it. */
function ranges(loads: readonly { readonly load: string; readonly records: number }[]): Loads[] {
  const all: Loads[] = [];
  for (const { load, records } of loads) {
    const last = all.at(-1);
    if (last === undefined || last.records + records > RECORDS_AT_ONCE)
      all.push({ from: load, to: load, records });
    else all[all.length - 1] = { from: last.from, to: load, records: last.records + records };
  }
  return all;
}

/** A server that fails in the middle of an answer ends it early. */
async function* readLoads(
  { client, name, visible, signal }: Source,
  { from, to, records }: Loads,
): AsyncGenerator<readonly KeptCall[]> {
  const stream = await client.arrow(
    `SELECT part, name_rank, record FROM fragments
      WHERE load >= {from: UInt64} AND load <= {to: UInt64} AND ${IS_VISIBLE} ORDER BY load, position`,
    { ...visibleValues(visible), from, to },
    { settings: STREAMED, signal },
  );
  let read = 0;
  for await (const { columns, length } of readBatches(streamParts(chunkReader(stream)))) {
    const [parts, ranks, texts] = columns.map((data) => new Vector([data]));
    read += length;
    yield Array.from({ length }, (_, i) => ({
      part: PARTS[Number(parts?.get(i))] ?? null,
      nameRank: nameRank(ranks?.get(i)),
      text: String(texts?.get(i)),
    }));
  }
  if (read !== records)
    throw new StoreError(
      "query_failed",
      `${name}: gave ${read} of ${records} records of calls; look into the server's log`,
    );
}

async function* readRows({ client, visible, signal }: Source): AsyncGenerator<readonly ParsedRow[]> {
  const values = visibleValues(visible);
  const projects = await client.rows(
    `SELECT DISTINCT project_key, project_id FROM projects WHERE ${IS_VISIBLE} ORDER BY project_id`,
    values,
    { signal },
  );
  for (const [project, id] of projects)
    for (let last = 0n; ;) {
      const found = await client.rows(
        `SELECT row_key, any(digest), argMax(value, (load, position)) FROM rows
          WHERE project_key = {project: UInt64} AND row_key > {last: UInt64} AND value IS NOT NULL AND ${IS_VISIBLE}
          GROUP BY row_key ORDER BY row_key LIMIT ${ROWS_AT_ONCE}`,
        { ...values, project: String(project), last },
        { settings: { optimize_aggregation_in_order: 1 }, signal },
      );
      if (found.length === 0) break;
      yield found.map(([, digest, value]) => rowOf(String(id), String(digest), String(value)));
      last = integerOf(found.at(-1)?.[0]);
    }
}

function rowOf(projectId: string, digest: string, val: string): ParsedRow {
  return { projectId, digest, val, unknownMembers: [] };
}
