import type { z } from "zod";
import { parseJson } from "../../model/json.ts";
import type { RecordStore } from "../../store/session.ts";
import { sortInParts, sortKeys } from "../conditions/order.ts";
import { notFound } from "../request/read-request.ts";
import type { queryTableRequest } from "./requests.ts";
import { readRowValues } from "./stored-rows.ts";
import { countRows, readRowDigests } from "./stored-tables.ts";

type Asked = z.output<typeof queryTableRequest>;

/** A row of a table: its digest and its place. */
interface Place {
  readonly digest: string;
  readonly index: number;
}

/** Rows are read in parts of this many, each on a snapshot of its own: a table never changes. */
const PART = 500;

/** Yields the answer of a query of a table in pieces. Throws `not_found` before the first. */
export async function* writeRows(
  store: RecordStore,
  asked: Asked,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const places = await placesOf(store, asked, signal);
  let head = '{"rows":[';
  for (let at = 0; at < places.length; at += PART) {
    signal?.throwIfAborted();
    const part = places.slice(at, at + PART);
    const values = await valuesOf(store, asked.project_id, part, signal);
    const rows = part.map(
      ({ digest, index }) =>
        `{"digest":${JSON.stringify(digest)},"val":${values.get(digest) ?? "null"},"original_index":${index}}`,
    );
    yield `${head}${rows.join(",")}`;
    head = ",";
  }
  yield `${places.length === 0 ? head : ""}]}`;
}

function valuesOf(
  store: RecordStore,
  projectId: string,
  places: readonly Place[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const digests = places.map(({ digest }) => digest);
  return store.read((session) => readRowValues(session, projectId, digests), signal);
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
  const sorted = await sortInParts(kept, keys, {
    size: PART,
    turns: store.turns,
    read: async (part) => {
      const texts = await valuesOf(store, projectId, part, signal);
      return (place) => parseJson(texts.get(place.digest) ?? "null");
    },
  });
  return sorted.slice(from, to);
}
