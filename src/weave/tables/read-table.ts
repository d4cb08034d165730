import type { z } from "zod";
import { splitFieldPath } from "../../model/field-path.ts";
import { parseJson } from "../../model/json.ts";
import type { RecordStore } from "../../store/session.ts";
import { compareBy, sortKeys, sortValue, type SortValue } from "../conditions/order.ts";
import { valueAt } from "../conditions/readings.ts";
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
  return (await sorted(store, projectId, kept, keys, signal)).slice(from, to);
}

async function sorted(
  store: RecordStore,
  projectId: string,
  places: readonly Place[],
  keys: ReturnType<typeof sortKeys>,
  signal: AbortSignal | undefined,
): Promise<readonly Place[]> {
  if (keys.length === 0) return places;
  const paths = keys.map(({ field }) => splitFieldPath(field));
  const values = new Map<Place, readonly SortValue[]>();
  for (let at = 0; at < places.length; at += PART) {
    const part = places.slice(at, at + PART);
    const texts = await valuesOf(store, projectId, part, signal);
    for (const place of part) {
      await store.turns.take();
      const row = parseJson(texts.get(place.digest) ?? "null");
      values.set(
        place,
        paths.map((path) => sortValue(valueAt(row, path))),
      );
    }
  }
  return places.toSorted(
    (a, b) => compareBy(keys, values.get(a) ?? [], values.get(b) ?? []) || a.index - b.index,
  );
}
