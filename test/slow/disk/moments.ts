import type { Random } from "../../../src/stats/numeric/random.ts";
import type { Cut } from "./disk.ts";
import type { State } from "./states.ts";
import type { Entry } from "./trace.ts";

/** DuckDB's file begins with three headers of 4 KiB. */
const HEADERS = 3 * 4096;
const WRITES: readonly Cut["writes"][] = ["half", "none", "prefix", "last", "missing", "few", "most", "all"];
const NAMES: readonly Cut["names"][] = ["all", "none", "some"];
const PARTS = ["sectors", "prefix", "suffix"] as const;

/**
 * States of a trace, up to `count`, from groups that take turns, so that what is rare (headers, syncs, names) is there
 * beside what is frequent.
 */
export function chooseStates(entries: readonly Entry[], count: number, random: Random): State[] {
  const groups = momentGroups(entries).map((moments) => shuffled(moments, random));
  const chosen = new Map<string, State>();
  const end: State = { kind: "kill", at: entries.length };
  chosen.set(JSON.stringify(end), end);
  for (let round = 0; chosen.size < count && round < 20 * count; round++) {
    const group = groups[round % groups.length];
    const turn = Math.floor(round / groups.length);
    const moment = group?.[turn % Math.max(1, group.length)];
    if (moment === undefined) continue;
    const state = moment(random, turn);
    chosen.set(JSON.stringify(state), state);
  }
  return [...chosen.values()];
}

type Moment = (random: Random, turn: number) => State;

const kill =
  (at: number): Moment =>
  () => ({ kind: "kill", at });
const torn =
  (at: number): Moment =>
  (random, turn) => ({
    kind: "torn",
    at,
    part: PARTS[turn % PARTS.length] ?? "sectors",
    seed: seedOf(random),
  });
const cut =
  (at: number): Moment =>
  (random, turn) => ({
    kind: "cut",
    at,
    writes: WRITES[turn % WRITES.length] ?? "half",
    names: NAMES[Math.floor(random() * NAMES.length)] ?? "all",
    seed: seedOf(random),
  });

const isDatabase = ({ name }: Entry): boolean => name.endsWith(".duckdb");
const isWrite = ({ operation }: Entry): boolean => operation === "write";
const isSync = ({ operation }: Entry): boolean => operation === "sync" || operation === "sync-folder";
const changesNames = ({ operation, offset }: Entry): boolean =>
  ["rename", "unlink", "link", "resize", "extend"].includes(operation) ||
  (operation === "open" && offset === 1);

function around(moments: readonly number[]): number[] {
  return [...new Set(moments.flatMap((i) => [i, i + 1]))];
}

function momentGroups(entries: readonly Entry[]): Moment[][] {
  const of = (is: (entry: Entry) => boolean) => [...entries].flatMap((entry, i) => (is(entry) ? [i] : []));
  const headers = of((entry) => isWrite(entry) && isDatabase(entry) && entry.offset < HEADERS);
  const blocks = of((entry) => isWrite(entry) && isDatabase(entry) && entry.offset >= HEADERS);
  const others = of((entry) => isWrite(entry) && !isDatabase(entry));
  const syncs = of(isSync);
  const names = of(changesNames);
  return [
    around(headers).map(kill),
    headers.flatMap((i) => [torn(i), cut(i + 1)]),
    syncs.map(cut),
    blocks.map(torn),
    others.map(torn),
    around(syncs).map(kill),
    around(names).map(kill),
    around(names).map(cut),
    blocks.map(cut),
    others.map(cut),
    entries.map((_entry, i) => kill(i)),
  ].filter((group) => group.length > 0);
}

function seedOf(random: Random): number {
  return Math.floor(random() * 2 ** 31);
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  for (let i = left.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const [a, b] = [left[i], left[j]];
    if (a === undefined || b === undefined) continue;
    left[i] = b;
    left[j] = a;
  }
  return left;
}

/** A state of one kind at any moment of a trace, for a session that goes on from there. */
export function randomState(entries: readonly Entry[], kind: State["kind"], random: Random): State {
  const writes = [...entries.keys()].filter((i) => entries[i]?.operation === "write");
  const at = Math.floor(random() * entries.length);
  const moment = {
    kill: kill(at),
    cut: cut(at),
    torn: torn(writes[Math.floor(random() * writes.length)] ?? at),
  }[kind];
  return moment(random, Math.floor(random() * WRITES.length));
}
