import type { Key } from "../../model/digest.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { Column, FileSession } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";

/** Score records of a load that are yet to be written. */
export interface PendingScores {
  /** Takes columns of `scores`, ordered by dimension. */
  readonly add: (columns: readonly Column[]) => Promise<void>;
  /** Forgets the records of trials. */
  readonly remove: (trials: ReadonlySet<Key>) => void;
  readonly write: () => Promise<void>;
}

/** So many records are written at once, ordered by dimension: half of what a row group of DuckDB has. */
const RECORDS = 61_440;

/** Fewer where their texts are long. */
const CHARACTERS = 8 * 1024 * 1024;

export function pendingScores(session: FileSession, turns: TurnTaker): PendingScores {
  let batches: (readonly Column[])[] = [];
  let characters = 0;
  const write = async () => {
    if (batches.length === 0) return;
    const columns = await joined(batches, turns);
    batches = [];
    characters = 0;
    session.load("scores", columns);
    await session.run(sql`INSERT INTO scores BY NAME SELECT * FROM loaded('scores')`);
  };
  return {
    add: async (columns) => {
      if (lengthOf(columns) > 0) batches.push(columns);
      characters += charactersOf(columns);
      const records = batches.reduce((sum, batch) => sum + lengthOf(batch), 0);
      if (records >= RECORDS || characters >= CHARACTERS) await write();
    },
    remove: (trials) => {
      if (trials.size === 0) return;
      batches = batches.map((batch) => without(batch, trials)).filter((batch) => lengthOf(batch) > 0);
    },
    write,
  };
}

function lengthOf(columns: readonly Column[]): number {
  return columns[0]?.values.length ?? 0;
}

function valuesOf(columns: readonly Column[], name: string): Column["values"] {
  return columns.find((column) => column.name === name)?.values ?? [];
}

function charactersOf(columns: readonly Column[]): number {
  let characters = 0;
  for (const text of Array.from(valuesOf(columns, "text")))
    if (typeof text === "string") characters += text.length;
  return characters;
}

/** Records of one dimension that lie side by side in a batch. */
interface Run {
  readonly batch: number;
  readonly path: Key;
  readonly start: number;
  readonly end: number;
}

/** The records of all batches, ordered by dimension, and those of a dimension as they came. */
async function joined(batches: readonly (readonly Column[])[], turns: TurnTaker): Promise<readonly Column[]> {
  const [first = []] = batches;
  if (batches.length === 1) return first;
  const runs = batches
    .flatMap((columns, batch) => runsOf(valuesOf(columns, "path_key"), batch))
    .toSorted((a, b) => (a.path === b.path ? a.batch - b.batch : a.path < b.path ? -1 : 1));
  const columns: Column[] = [];
  for (const [i, { name, type }] of first.entries()) {
    await turns.next();
    const values: Column["values"][number][] = [];
    for (const { batch, start, end } of runs) {
      const from = batches[batch]?.[i]?.values ?? [];
      for (let at = start; at < end; at++) values.push(from[at] ?? null);
    }
    columns.push({ name, type, values });
  }
  return columns;
}

function runsOf(paths: Column["values"], batch: number): Run[] {
  const runs: Run[] = [];
  for (let start = 0, end = 0; start < paths.length; start = end) {
    const path = paths[start];
    while (end < paths.length && paths[end] === path) end++;
    runs.push({ batch, path: path as Key, start, end });
  }
  return runs;
}

function without(columns: readonly Column[], trials: ReadonlySet<Key>): readonly Column[] {
  const keys = Array.from(valuesOf(columns, "trial_key"));
  const isKept = keys.map((key) => !trials.has(key as Key));
  if (isKept.every(Boolean)) return columns;
  return columns.map(({ name, type, values }) => ({
    name,
    type,
    values: Array.from(values).filter((_, i) => isKept[i]),
  }));
}
