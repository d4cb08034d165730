import type { z } from "zod";
import { parseAnyJson } from "../../model/json.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { valueAt } from "../conditions/operands.ts";
import { sortByValues, sortKeys, sortValues } from "../conditions/order.ts";
import { notFound } from "../request/read-request.ts";
import type { queryTableRequest } from "./requests.ts";
import { readInParts, writeListAnswer } from "../request/long-answers.ts";
import { inWhole } from "../request/whole-answers.ts";
import { readRowValues } from "./stored-rows.ts";
import { countRows, readRowDigests } from "./stored-tables.ts";

type Asked = z.output<typeof queryTableRequest>;

/** A row of a table: its digest and its place. */
interface Place {
  readonly digest: string;
  readonly index: number;
}

/** Rows are read in parts of at most this many, each on a snapshot of its own: a table never changes. */
const PART = 500;

/** Yields the answer of a query of a table in pieces. Throws `not_found` before the first. */
export async function* writeRows(
  store: RecordStore,
  asked: Asked,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const places = await placesOf(store, asked, signal);
  yield* writeListAnswer("rows", rowTexts(valuesOf(store, asked.project_id, places, signal)));
}

async function* rowTexts(rows: ReturnType<typeof valuesOf>): AsyncGenerator<string, void, undefined> {
  for await (const [{ digest, index }, value = "null"] of rows)
    yield `{"digest":${JSON.stringify(digest)},"val":${value},"original_index":${index}}`;
}

function valuesOf(
  store: RecordStore,
  projectId: string,
  places: readonly Place[],
  signal: AbortSignal | undefined,
) {
  const read = (session: Session, part: readonly Place[]) =>
    readRowValues(
      session,
      projectId,
      part.map(({ digest }) => digest),
    );
  const texts = readInParts(places, {
    most: PART,
    keyOf: ({ digest }) => digest,
    read: (part) => store.read((session) => read(session, part), signal),
    signal,
  });
  const again = async (session: Session, part: readonly Place[]) => {
    const values = await read(session, part);
    return part.map(({ digest }) => values.get(digest));
  };
  return inWhole(texts, { store, again, signal });
}

async function* sortable(
  rows: ReturnType<typeof valuesOf>,
  keys: ReturnType<typeof sortKeys>,
  { turns }: Pick<RecordStore, "turns">,
) {
  for await (const [place, text] of rows) {
    await turns.take();
    const value = text === undefined ? null : await parseAnyJson(text);
    yield [place, sortValues(keys, (path) => valueAt(value, path))] as const;
  }
}

/** The rows that are wanted, in their order. */
async function placesOf(
  store: RecordStore,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<readonly Place[]> {
  const { project_id: projectId, digest, filter, limit, offset } = asked;
  const keys = sortKeys(asked.sort_by);
  const from = offset ?? 0;
  const to = limit == null ? Number.MAX_SAFE_INTEGER : from + limit;
  const wanted = filter?.row_digests == null ? null : new Set(filter.row_digests);
  const isWhole = wanted === null && keys.length === 0;
  const digests = await store.read(async (session) => {
    if ((await countRows(session, projectId, digest)) === null)
      throw notFound(`table ${JSON.stringify(digest)}`);
    const last = Math.min(to, 2 ** 31 - 1);
    return isWhole
      ? readRowDigests(session, projectId, digest, from, last)
      : readRowDigests(session, projectId, digest);
  }, signal);
  const places = digests.map((one, i) => ({ digest: one, index: isWhole ? from + i : i }));
  if (isWhole) return places;
  const kept = wanted === null ? places : places.filter((one) => wanted.has(one.digest));
  if (keys.length === 0) return kept.slice(from, to);
  const rows = valuesOf(store, projectId, kept, signal);
  return (await sortByValues(sortable(rows, keys, store), keys)).slice(from, to);
}
