import {
  compileLongTrials,
  isWholeOutput,
  type LongTrial,
  type LongUse,
} from "../../compile/filter/long-texts.ts";
import {
  BEGINS,
  compileLongHashes,
  compileLongParts,
  compileLongReadings,
  partOfReading,
  type ByteRange,
} from "../../compile/rows/sort-keys.ts";
import type { Key } from "../../model/digest.ts";
import { grouped } from "../../model/grouped.ts";
import { stringStart } from "../../model/read-json.ts";
import type { LongReadings, Plan, TextField, TextRange } from "../../plan/plan.ts";
import type { Query } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import { groupsOf, textStarts } from "../../texts/whole-texts.ts";

/** The plan for each range of the long texts that are asked for. */
export async function* ranges(
  session: Session,
  plan: Plan,
  use: LongUse,
): AsyncGenerator<Plan, void, undefined> {
  const trials = await session.all(compileLongTrials(plan, use));
  yield* rangesOf(
    session,
    plan,
    trials.toSorted((a, b) => textOf(a) - textOf(b)),
  );
}

/** Each range is of one row group, which is work for one thread. */
async function* rangesOf(session: Session, plan: Plan, trials: readonly LongTrial[]) {
  const groups = [...groupsOf(trials)];
  const lift = groups.length > 1 ? await session.limitToOneThread?.() : undefined;
  try {
    for (const group of groups) {
      await session.turns.take();
      yield { ...plan, range: rangeOf(group) };
    }
  } finally {
    await lift?.();
  }
}

function rangeOf(trials: readonly LongTrial[]): TextRange {
  const textKeys = trials.flatMap(({ outputKey, documentKey }) =>
    [outputKey ?? [], documentKey ?? []].flat(),
  );
  return {
    trialKeys: trials.map(({ trialKey }) => trialKey),
    textKeys: [...new Set(textKeys)],
    ofOutputs: trials.every(({ outputKey }) => outputKey !== null),
  };
}

function textOf({ outputKey, documentKey }: LongTrial): number {
  return outputKey ?? documentKey ?? 0;
}

/** A long text in which a field is, by trial; of an input by row. */
interface Source {
  readonly trial: LongTrial;
  readonly key: Key;
}

/** What a long text says in a field. */
interface Reading extends Source {
  readonly number: number | null;
  readonly begins: string | null;
  /** Whether it is longer than how it begins; and the hashes of its parts, null where nobody has read them. */
  readonly isLonger: boolean;
  readonly hashes: readonly string[] | null;
}

export async function readingsOf(
  session: Session,
  plan: Plan,
  use: LongUse,
  field: TextField,
): Promise<readonly Reading[]> {
  const keyOf = ({ trialKey, rowKey }: LongTrial) => (field.kind === "input" ? rowKey : trialKey);
  const trials = (await session.all(compileLongTrials(plan, use))).toSorted((a, b) => textOf(a) - textOf(b));
  const sources = [...new Map(trials.map((trial) => [keyOf(trial), { trial, key: keyOf(trial) }])).values()];
  const begun = await beginningsOf(session, sources, field);
  const known = new Set(begun.map(({ key }) => key));
  const others = sources.filter(({ key }) => !known.has(key));
  return [...begun, ...(await wholeReadings({ session, plan, field }, others))];
}

async function wholeReadings(from: TextSource, sources: readonly Source[]): Promise<readonly Reading[]> {
  const found = await readEach(from, sources, (plan) => compileLongReadings(plan, from.field));
  return sources.flatMap((source) => {
    const one = found.get(source.key);
    return one === undefined ? [] : [{ ...one, ...source, hashes: one.hashes.split(",") }];
  });
}

/** Bytes in which `BEGINS` code points are: one that is escaped has six. */
const BYTES_BEGUN = 6 * BEGINS;

/** Those readings of whole outputs that their beginnings tell: of texts that are no numbers, objects and lists. */
async function beginningsOf(
  session: Session,
  sources: readonly Source[],
  field: TextField,
): Promise<readonly Reading[]> {
  if (field.kind !== "output" || !isWholeOutput(field)) return [];
  const stubs = sources.flatMap(({ trial: { outputKey, isOutput } }) =>
    outputKey === null || (field.of === "call" && !isOutput) ? [] : [{ key: outputKey }],
  );
  const starts = await textStarts(session, stubs, BYTES_BEGUN);
  const readings: Reading[] = [];
  for (const source of sources) {
    await session.turns.take();
    const reading = beginningOf(source, starts.get(source.trial.outputKey ?? 0) ?? "");
    if (reading !== null) readings.push(reading);
  }
  return readings;
}

function beginningOf(source: Source, json: string): Reading | null {
  const said = /^[[{]/.test(json) ? json : stringStart(json)?.value;
  if (said === undefined || MAY_BE_NUMBER.test(said)) return null;
  const begins = firstPoints(said);
  const isLonger = said.length > begins.length || Buffer.byteLength(json) < source.trial.bytes;
  return { ...source, number: null, begins, isLonger, hashes: null };
}

function firstPoints(text: string): string {
  const start = text.slice(0, BEGINS);
  if (!/[\ud800-\udbff]/.test(start)) return start;
  return Array.from(text.slice(0, 2 * BEGINS))
    .slice(0, BEGINS)
    .join("");
}

const MAY_BE_NUMBER = /^[\d.eE+-]*$/;

/** Readings of which the texts are told by how they begin. */
export function orderOf(readings: readonly Reading[]): LongReadings {
  return {
    trialKeys: readings.map(({ key }) => key),
    numbers: readings.map(({ number }) => number),
    texts: readings.map(({ begins }) => begins),
  };
}

/**
 * The same with texts that are in the order of the whole texts: one that is longer than how it begins is followed by
 * its rank among those that begin alike. No short text begins like a long one and is longer than that.
 */
export async function inOrder(
  session: Session,
  plan: Plan,
  field: TextField,
  readings: readonly Reading[],
): Promise<LongReadings> {
  const { trialKeys, numbers } = orderOf(readings);
  const ranks = new Map<Key, number>();
  const source = { session, plan, field };
  for (const [, group] of grouped(
    readings.filter(({ isLonger }) => isLonger),
    ({ begins }) => begins,
  )) {
    const read = group.length > 1 ? await withHashes(source, group) : group;
    for (const [key, rank] of await ranksOf(source, read, 0)) ranks.set(key, rank);
  }
  const texts = readings.map(({ key, begins }) => {
    const rank = ranks.get(key);
    return rank === undefined ? begins : `${begins ?? ""}${String(rank).padStart(10, "0")}`;
  });
  return { trialKeys, numbers, texts };
}

/** The same readings with hashes. */
async function withHashes(source: TextSource, group: readonly Reading[]): Promise<readonly Reading[]> {
  const unread = group.filter(({ hashes }) => hashes === null);
  return [
    ...group.filter(({ hashes }) => hashes !== null),
    ...(unread.length === 0 ? [] : await wholeReadings(source, unread)),
  ];
}

interface TextSource {
  readonly session: Session;
  readonly plan: Plan;
  readonly field: TextField;
}

type Ranks = ReadonlyMap<Key, number>;

/** The place of each of these texts among them, which are alike before a part; equal texts have one. */
async function ranksOf(source: TextSource, group: readonly Reading[], from: number): Promise<Ranks> {
  const place = differsAt(group, ({ hashes }) => hashes ?? [], from);
  if (place === null) return new Map(group.map(({ key }) => [key, 0]));
  return ranksBy(await textsBetween(source, group, partOfReading(place)), group, (same) =>
    ranksOf(source, same, place + 1),
  );
}

/** The first part from a place on in which texts differ; null where there is none. */
function differsAt<T>(
  group: readonly T[],
  hashesOf: (one: T) => readonly string[],
  from: number,
): number | null {
  const [first] = group;
  const hashes = first === undefined ? [] : hashesOf(first);
  for (let place = from; place < hashes.length; place++)
    if (group.some((one) => hashesOf(one)[place] !== hashes[place])) return place;
  return null;
}

async function ranksBy(
  texts: ReadonlyMap<Key, string>,
  group: readonly Reading[],
  among: (same: readonly Reading[]) => Promise<Ranks>,
): Promise<Ranks> {
  const alike = [...grouped(group, ({ key }) => texts.get(key) ?? "")];
  const ranks = new Map<Key, number>();
  let before = 0;
  for (const [, same] of alike.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [key, rank] of await among(same)) ranks.set(key, before + rank);
    before += same.length;
  }
  return ranks;
}

/** Bytes of each text that are compared at once. */
const COMPARED = 16 * 1024;
const PARTS = 16;

/** Texts in the order of what these long texts say between two bytes. */
async function textsBetween(
  source: TextSource,
  group: readonly Reading[],
  range: ByteRange,
): Promise<ReadonlyMap<Key, string>> {
  const [from, to] = range;
  if (to - from <= COMPARED) {
    const parts = await readEach(source, group, (plan) => compileLongParts(plan, source.field, range));
    return new Map(
      [...parts].map(([key, { part }]) => [key, Buffer.from(part ?? "", "base64").toString("latin1")]),
    );
  }
  const found = await readEach(source, group, (plan) => compileLongHashes(plan, source.field, range, PARTS));
  const hashes = new Map([...found].map(([key, one]) => [key, one.hashes.split(",")]));
  const width = (to - from) / PARTS;
  const rank = async (some: readonly Reading[], place: number): Promise<Ranks> => {
    const next = differsAt(some, ({ key }) => hashes.get(key) ?? [], place);
    if (next === null) return new Map(some.map(({ key }) => [key, 0]));
    const part: ByteRange = [Math.ceil(from + next * width), Math.ceil(from + (next + 1) * width)];
    return ranksBy(await textsBetween(source, some, part), some, (same) => rank(same, next + 1));
  };
  const ranks = await rank(group, 0);
  return new Map([...ranks].map(([key, one]) => [key, String(one).padStart(10, "0")]));
}

async function readEach<T extends { readonly trialKey: Key }>(
  { session, plan }: TextSource,
  group: readonly Source[],
  compile: (plan: Plan) => Query<T>,
): Promise<ReadonlyMap<Key, T>> {
  const found = new Map<Key, T>();
  const byTrial = new Map(group.map(({ trial, key }) => [trial.trialKey, key]));
  const trials = group.map(({ trial }) => trial);
  for await (const range of rangesOf(session, plan, trials))
    for (const one of await session.all(compile(range))) {
      const key = byTrial.get(one.trialKey);
      if (key !== undefined) found.set(key, one);
    }
  return found;
}
