import type { Turns } from "../../../model/turns.ts";

/** The numbers of some records in an order of theirs; null for all as they come. */
type Order = Int32Array | null;

/** So many records are gone through in one turn of the event loop. */
const SOME = 65_536;

/** Records by a key of theirs that is not negative, in the order before where keys are equal. */
export async function orderBy(keys: Int32Array, before: Order, turns: Turns): Promise<Order> {
  if (await isOrdered(keys, before, turns)) return before;
  const { places } = await placesBy(keys, before, turns);
  const order = new Int32Array(places.length);
  for (let record = 0; record < places.length; record++) {
    if (record % SOME === 0) await turns.take();
    order[places[record] ?? 0] = record;
  }
  return order;
}

async function isOrdered(keys: Int32Array, order: Order, turns: Turns): Promise<boolean> {
  let last = 0;
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    const key = keys[order === null ? i : (order[i] ?? 0)] ?? 0;
    if (key < last) return false;
    last = key;
  }
  return true;
}

export interface Places {
  /** Where each record stands, -1 for one that is left out. */
  readonly places: Int32Array;
  /** The keys of the records, where they stand. */
  readonly keys: Int32Array<ArrayBuffer>;
}

/**
 * Where records stand by a key of theirs, in the order before where keys are equal; those whose key is negative are left
 * out. By counting: where the records of each key begin is known before they are gone through.
 */
export async function placesBy(keys: Int32Array, before: Order, turns: Turns): Promise<Places> {
  let most = -1;
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    most = Math.max(most, keys[i] ?? 0);
  }
  const starts = new Int32Array(most + 2);
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    const key = keys[i] ?? 0;
    if (key >= 0) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
  }
  for (let key = 0; key <= most; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  const ordered = new Int32Array(starts[most + 1] ?? 0);
  for (let key = 0; key <= most; key++) ordered.fill(key, starts[key], starts[key + 1]);
  const places = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    const record = before === null ? i : (before[i] ?? 0);
    const key = keys[record] ?? 0;
    const place = key < 0 ? -1 : (starts[key] ?? 0);
    places[record] = place;
    if (place >= 0) starts[key] = place + 1;
  }
  return { places, keys: ordered };
}

/** Values of records, where they stand. */
export async function placed(
  values: Int32Array,
  { places, keys }: Places,
  turns: Turns,
): Promise<Int32Array<ArrayBuffer>> {
  const found = new Int32Array(keys.length);
  for (let record = 0; record < values.length; record++) {
    if (record % SOME === 0) await turns.take();
    const place = places[record] ?? -1;
    if (place >= 0) found[place] = values[record] ?? 0;
  }
  return found;
}
