import { z } from "zod";
import { COMPACT, compactJson, writeJson, writeLongJson, writeLongList } from "../../model/json.ts";
import { itemTexts, memberTexts, textAt } from "../../model/member-texts.ts";
import { readJson } from "../../model/read-json.ts";
import { isLongText, mapInSlices } from "../../model/turns.ts";
import { now, writeRecords } from "../../store/records.ts";
import {
  authorize,
  checkDigest,
  meaningFault,
  notFound,
  readItems,
  readRequest,
  schemaFault,
} from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { SENT } from "../values/canonical.ts";
import { longValueDigest, tableDigest, valueDigest } from "../values/digests.ts";
import { writeRows } from "./read-table.ts";
import {
  createTableRequest,
  queryTableRequest,
  tableFromDigestsRequest,
  tableRow,
  tableStatsRequest,
  updateTableRequest,
} from "./requests.ts";
import { firstUnknownRow } from "./stored-rows.ts";
import { countRows, insertTable, readRowDigests, type SentRow } from "./stored-tables.ts";

/** Tables of rows, each of which is a dataset row of its project. Requests and answers are JSON texts. */
export interface WeaveTables {
  /** Stores rows and the table of them; answers its digest and theirs. */
  readonly createTable: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Stores a table of rows that are stored already. */
  readonly createTableFromDigests: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Stores a table that differs from another one; that one stays. Rejects with `not_found`. */
  readonly updateTable: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Rows of a table in pieces of JSON text, made as they are read. Rejects with `not_found`. */
  readonly queryTable: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
  /** How many rows a table has. Rejects with `not_found`. */
  readonly countTable: (request: string, caller: WeaveCaller) => Promise<string>;
}

export function createTables(seam: Pick<WeaveSeam, "store" | "storeRows">): WeaveTables {
  const { store } = seam;
  return {
    createTable: async (request, caller) => {
      const { results: rows, rest } = await readItems(
        request,
        ["table", "rows"],
        tableRow,
        (_, text) => readRow(text),
        caller,
      );
      const { table } = await readRequest(rest, createTableRequest, caller);
      authorize(caller, table.project_id);
      const rowDigests = rows.map(({ digest }) => digest);
      const digest = await tableDigest(rowDigests);
      checkDigest(table.expected_digest, digest);
      const written = await storeTable(seam, caller, {
        projectId: table.project_id,
        rows,
        digest,
        rowDigests,
      });
      return `{"digest":"${digest}","row_digests":${written}}`;
    },
    createTableFromDigests: (request, caller) => createFromDigests(seam, request, caller),
    updateTable: (request, caller) => updateTable(seam, request, caller),
    queryTable: async function* (request, caller) {
      const asked = await readRequest(request, queryTableRequest, caller);
      authorize(caller, asked.project_id);
      yield* writeRows(store, asked, caller.signal);
    },
    countTable: async (request, caller) => {
      const { project_id, digest } = await readRequest(request, tableStatsRequest, caller);
      authorize(caller, project_id);
      const count = await store.read((session) => countRows(session, project_id, digest), caller.signal);
      if (count === null) throw notFound(`table ${JSON.stringify(digest)}`);
      return writeJson({ count });
    },
  };
}

async function createFromDigests(
  seam: Pick<WeaveSeam, "store" | "storeRows">,
  request: string,
  caller: WeaveCaller,
): Promise<string> {
  const { results: rowDigests, rest } = await readItems(
    request,
    ["row_digests"],
    z.string(),
    (one) => one,
    caller,
  );
  const asked = await readRequest(rest, tableFromDigestsRequest, caller);
  const { project_id: projectId } = asked;
  authorize(caller, projectId);
  const digest = await tableDigest(rowDigests);
  checkDigest(asked.expected_digest, digest);
  const unknown = await seam.store.read((session) => firstUnknownRow(session, projectId, rowDigests));
  if (unknown !== null)
    throw meaningFault(["row_digests", unknown], "is the digest of no row that is stored in this project");
  await storeTable(seam, caller, { projectId, rows: [], digest, rowDigests });
  return writeJson({ digest });
}

function readRow(text: string): SentRow | Promise<SentRow> {
  if (isLongText(text)) return readLongRow(text);
  const val = readJson(text, SENT);
  return { digest: valueDigest(text), val, isCompact: compactJson(text) === val };
}

async function readLongRow(text: string): Promise<SentRow> {
  const digest = await longValueDigest(text);
  const val = await writeLongJson(text, SENT);
  return { digest, val, isCompact: (await writeLongJson(text, COMPACT)) === val };
}

interface SentTable {
  readonly projectId: string;
  readonly digest: string;
  readonly rowDigests: readonly string[];
  /** Those that may be new. */
  readonly rows: readonly SentRow[];
}

/**
 * Stores new rows, then their table: a table is never seen without its rows. Resolves to the JSON list of the digests.
 */
async function storeTable(
  { store, storeRows }: Pick<WeaveSeam, "store" | "storeRows">,
  { signal }: WeaveCaller,
  { rows, ...table }: SentTable,
): Promise<string> {
  const met = new Set<string>();
  const spelled: SentRow[] = [];
  const texts: string[] = [];
  const project = JSON.stringify(table.projectId);
  await mapInSlices(rows, (row) => {
    const { digest, val, isCompact } = row;
    if (met.size === met.add(digest).size) return;
    if (!isCompact) spelled.push(row);
    texts.push(`{"project_id":${project},"digest":"${digest}","val":${val}}`);
  });
  if (texts.length > 0) await storeRows(texts, signal);
  const rowDigests = await writeLongList(table.rowDigests);
  const stored = { ...table, rowDigests, createdAt: now(), spelled };
  await writeRecords(store, (session) => insertTable(session, stored), signal);
  return rowDigests;
}

async function updateTable(
  seam: Pick<WeaveSeam, "store" | "storeRows">,
  request: string,
  caller: WeaveCaller,
): Promise<string> {
  const {
    project_id: projectId,
    base_digest: base,
    updates,
  } = await readRequest(request, updateTableRequest, caller);
  authorize(caller, projectId);
  const rowDigests = await seam.store.read(async (session) => {
    if ((await countRows(session, projectId, base)) === null) throw notFound(`table ${JSON.stringify(base)}`);
    return readRowDigests(session, projectId, base);
  });
  const texts = itemTexts(await textAt(request, "updates"));
  const rows: SentRow[] = [];
  const changed = await mapInSlices(
    updates,
    async (update, i) => {
      const [name = "", members = "{}"] =
        [...memberTexts(texts[i] ?? "{}")].find(([one]) => Object.hasOwn(OPERATIONS, one)) ?? [];
      const { index } = indexOf(update);
      const most = rowDigests.length - (name === "pop" ? 1 : 0);
      if (index !== undefined && index > most)
        throw schemaFault(["updates", i, name, "index"], `must be at most ${most}`);
      if (name === "pop") return rowDigests.splice(index ?? most, 1)[0] ?? "";
      const row = await readRow(await textAt(members, "row"));
      rows.push(row);
      rowDigests.splice(index ?? rowDigests.length, 0, row.digest);
      return row.digest;
    },
    caller.signal,
  );
  const digest = await tableDigest(rowDigests);
  await storeTable(seam, caller, { projectId, rows, digest, rowDigests });
  return writeJson({ digest, updated_row_digests: changed });
}

const OPERATIONS = { append: true, pop: true, insert: true };

function indexOf(update: z.output<typeof updateTableRequest>["updates"][number]): {
  readonly index?: number | undefined;
} {
  const inner = z.looseObject({ index: z.int().optional() });
  if ("pop" in update) return inner.parse(update.pop);
  return "insert" in update ? inner.parse(update.insert) : {};
}
