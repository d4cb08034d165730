import {
  compileAnyStep,
  compileCallTree,
  compileTreeSteps,
  isCallColumn,
  type CallColumn,
  type Parents,
  type StepColumn,
  type TreeColumn,
  type WalkScope,
} from "../../compile/walk/call-tree.ts";
import { inSlices, type Turns } from "../../model/turns.ts";
import type { ColumnBatch } from "../../store/columns.ts";
import type { Session } from "../../store/session.ts";
import { statement, type Sql } from "../../store/sql.ts";
import { createHashIndex, NONE, type HashIndex } from "./hash-index.ts";
import { TreeValues, type Halves, type Texts, type WordColumn } from "./tree-values.ts";

/** Calls below trials, column by column. */
export interface CallTree {
  readonly length: number;
  readonly has: (column: TreeColumn) => boolean;
  readonly halves: (column: TreeColumn) => Halves;
  readonly numbers: (column: TreeColumn) => Float64Array;
  readonly bytes: (column: TreeColumn) => Uint8Array;
  readonly words: (column: TreeColumn) => WordColumn;
  readonly texts: (column: TreeColumn) => Texts;
}

/** Of so many calls the children and what they tell of steps are found by key, of more by reading what is there. */
const FEW = 10_000;
/** Levels below trials that are read one by one; where there are more, all calls of the project are read. */
const LEVELS = 16;
/** Whether any call that is stored may be a step; that is far less to read than the calls below trials. */
export async function mayHaveSteps(session: Session): Promise<boolean> {
  return (await session.all(compileAnyStep())).length > 0;
}

/** Reads these columns of what is below the trials of a scope; nothing where no call is a step. */
export async function readCallTree(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
  trials: Trials,
): Promise<CallTree> {
  const values = new Map(columns.map((name) => [name, new TreeValues(name)]));
  if (!(await mayHaveSteps(session))) return treeOf(values, 0, null);
  const ofCalls = columns.filter((name) => isCallColumn(name));
  const calls = await readCalls(session, scope, ofCalls, trials);
  await addAll(ofCalls, calls, values, session.turns);
  const length = lengthOf(calls);
  const keys = new Int32Array(values.get("key")?.take(length, null) ?? new ArrayBuffer());
  const places = await readSteps(session, columns, keys, values);
  return treeOf(values, length, places);
}

/** The trials of a walk, by their hashes. */
interface Trials {
  readonly index: HashIndex;
}

type Values = ReadonlyMap<TreeColumn, TreeValues>;

async function addAll(
  columns: readonly TreeColumn[],
  batches: readonly ColumnBatch[],
  values: Values,
  turns: Turns,
): Promise<void> {
  for (const batch of batches)
    for (const [i, name] of columns.entries()) {
      await turns.take();
      const own = batch.columns[i];
      if (own !== undefined) values.get(name)?.add(own);
    }
}

function treeOf(values: Values, length: number, places: Int32Array | null): CallTree {
  // Each column is put together when it is first asked for: all at once would hold the event loop.
  const known = new Map<TreeColumn, ArrayBuffer>();
  const valuesOf = (name: TreeColumn) => {
    const found = values.get(name);
    if (found === undefined) throw new TypeError(`${name} was not asked for`);
    return found;
  };
  const buffer = (name: TreeColumn): ArrayBuffer => {
    const made = known.get(name) ?? valuesOf(name).take(length, isCallColumn(name) ? null : places);
    known.set(name, made);
    return made;
  };
  return {
    length,
    has: (column) => values.has(column),
    halves: (column) => ({ words: new Int32Array(buffer(column)), longs: new BigInt64Array(buffer(column)) }),
    numbers: (column) => new Float64Array(buffer(column)),
    bytes: (column) => new Uint8Array(buffer(column)),
    words: (column) => {
      const codes = new Int32Array(buffer(column));
      const { words } = valuesOf(column);
      return { codes, at: (place) => words.word(codes[place] ?? NONE) };
    },
    texts: (column) => valuesOf(column).texts,
  };
}

async function readAll(session: Session, query: Sql): Promise<ColumnBatch[]> {
  const { batches } = await session.vectors(statement(query, session.dialect));
  const all: ColumnBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

function lengthOf(batches: readonly ColumnBatch[]): number {
  return batches.reduce((sum, { length }) => sum + length, 0);
}

/** The calls below trials, in which circles may be; calls elsewhere may be among them. */
async function readCalls(
  session: Session,
  scope: WalkScope,
  columns: readonly CallColumn[],
  trials: Trials,
): Promise<readonly ColumnBatch[]> {
  const read = (parents: Parents, most: number | null) =>
    readAll(session, compileCallTree(scope, columns, parents, most));
  const first = await read("trials", null);
  const count = lengthOf(first);
  if (count > FEW) {
    const others = await read("others", count + 1);
    if (lengthOf(others) <= count) return [...first, ...others];
  }
  const all = [...first];
  let last = first;
  for (let level = 1; lengthOf(last) > 0; level++) {
    if (level === LEVELS) return [...first, ...(await read("others", null))];
    const hashes = await parentsAmong(last, columns.indexOf("hash"), trials, session.turns);
    session.load("walked_hashes", [{ name: "hash", type: "UBIGINT", values: hashes }]);
    last = await read(hashes.length > FEW ? "loaded" : Array.from(hashes), null);
    all.push(...last);
  }
  return all;
}

/** The hashes of calls but for those of trials, whose children are read already. */
async function parentsAmong(
  batches: readonly ColumnBatch[],
  column: number,
  { index }: Trials,
  turns: Turns,
): Promise<BigUint64Array> {
  const hashes = new BigUint64Array(lengthOf(batches));
  let count = 0;
  for (const { columns, length } of batches) {
    await turns.take();
    const bytes = columns[column]?.bytes?.slice(0, length * 8) ?? new Uint8Array(0);
    const [halves, own] = [new Int32Array(bytes.buffer), new BigUint64Array(bytes.buffer)];
    for (let i = 0; i < own.length; i++) if (index.find(halves, i) === NONE) hashes[count++] = own[i] ?? 0n;
  }
  return hashes.subarray(0, count);
}

/** Adds what calls tell of steps; returns the place of each call that it is of, null where these are the first ones. */
async function readSteps(
  session: Session,
  columns: readonly TreeColumn[],
  keys: Int32Array,
  values: Values,
): Promise<Int32Array | null> {
  const ofSteps = columns.filter((name): name is StepColumn => !isCallColumn(name));
  if (keys.length === 0) return null;
  const among = keys.length / 2 > FEW ? rangeOf(keys) : Array.from(new BigUint64Array(keys.buffer));
  const found = new TreeValues("key");
  const { batches } = await session.vectors(statement(compileTreeSteps(ofSteps, among), session.dialect));
  let count = 0;
  for await (const batch of batches) {
    const [own, ...others] = batch.columns;
    if (own !== undefined) found.add(own);
    await addAll(ofSteps, [{ length: batch.length, columns: others }], values, session.turns);
    count += batch.length;
  }
  return placesOf(new Int32Array(found.take(count, null)), keys, session.turns);
}

/** The least and the greatest key. */
function rangeOf(keys: Int32Array): { readonly from: bigint; readonly to: bigint } {
  const isLess = (a: number, b: number) => {
    const upper = ((keys[a * 2 + 1] ?? 0) >>> 0) - ((keys[b * 2 + 1] ?? 0) >>> 0);
    return (upper || ((keys[a * 2] ?? 0) >>> 0) - ((keys[b * 2] ?? 0) >>> 0)) < 0;
  };
  let [from, to] = [0, 0];
  for (let i = 1; i < keys.length / 2; i++) {
    if (isLess(i, from)) from = i;
    if (isLess(to, i)) to = i;
  }
  const own = new BigUint64Array(keys.buffer);
  return { from: own[from] ?? 0n, to: own[to] ?? 0n };
}

/** The place of each of some keys among those of calls, -1 for none; null where they are the first of these. */
async function placesOf(own: Int32Array, keys: Int32Array, turns: Turns): Promise<Int32Array | null> {
  const isSame = (i: number, place: number) =>
    keys[place * 2] === own[i * 2] && keys[place * 2 + 1] === own[i * 2 + 1];
  // Both are mostly in the order in which they were stored.
  let areFirst = true;
  await inSlices(own.length / 2, turns, (from, to) => {
    for (let i = from; areFirst && i < to; i++) areFirst = isSame(i, i);
  });
  if (areFirst) return null;
  const index = await indexHashes(keys, turns);
  const places = new Int32Array(own.length / 2);
  let next = 0;
  await inSlices(places.length, turns, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = isSame(i, next) ? next : index.find(own, i);
      places[i] = place;
      if (place !== NONE) next = place + 1;
    }
  });
  return places;
}

export async function indexHashes(hashes: Int32Array, turns: Turns): Promise<HashIndex> {
  const index = createHashIndex(hashes, hashes.length / 2);
  await inSlices(hashes.length / 2, turns, (from, to) => {
    for (let i = from; i < to; i++) index.add(i);
  });
  return index;
}
