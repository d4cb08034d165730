import { createHash } from "node:crypto";
import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { openDisk, type Cut, type Disk, type Files } from "./disk.ts";
import { SECTOR } from "./file-contents.ts";
import { acknowledgements, type Entry } from "./trace.ts";

/** A moment, `at` entries into a trace, and what happens then. */
export type State = { readonly at: number } & (
  | { readonly kind: "kill" }
  | { readonly kind: "torn"; readonly part: "prefix" | "suffix" | "sectors"; readonly seed: number }
  | ({ readonly kind: "cut" } & Cut)
);

/** What a disk then holds, and how many acknowledgements had been given. */
export interface BuiltState {
  readonly state: State;
  readonly files: Map<string, Buffer>;
  readonly acknowledged: number;
}

/** Letters for a command line. */
export function stateName(state: State): string {
  if (state.kind === "kill") return `kill:${state.at}`;
  if (state.kind === "torn") return `torn:${state.at}:${state.part}:${state.seed}`;
  return `cut:${state.at}:${state.writes}:${state.names}:${state.seed}`;
}

export function parseState(name: string): State {
  const [kind, at = "", first = "", second = "", third = ""] = name.split(":");
  if (kind === "kill") return { kind, at: Number(at) };
  if (kind === "torn") return { kind, at: Number(at), part: first as "prefix", seed: Number(second) };
  if (kind === "cut")
    return { kind, at: Number(at), writes: first as "none", names: second as "none", seed: Number(third) };
  throw new Error(`${name} is no state; it reads kill:AT, torn:AT:PART:SEED or cut:AT:WRITES:NAMES:SEED`);
}

/** The states one after another, in the order of their moments, each content once. */
export function* buildStates(
  before: Files,
  entries: readonly Entry[],
  states: readonly State[],
): Generator<BuiltState> {
  const disk = openDisk(before);
  const seen = new Set<string>();
  let at = 0;
  let acknowledged = 0;
  for (const state of states.toSorted((a, b) => a.at - b.at)) {
    for (; at < state.at; at++) {
      const entry = entries[at];
      if (entry === undefined) break;
      disk.apply(entry);
      acknowledged += acknowledgements(entry);
    }
    const files = build(disk, entries[at], state);
    if (files === null) continue;
    const digest = `${acknowledged} ${digestOf(files)}`;
    if (seen.has(digest)) continue;
    seen.add(digest);
    yield { state, files, acknowledged };
  }
}

function build(disk: Disk, next: Entry | undefined, state: State): Map<string, Buffer> | null {
  if (state.kind === "kill") return disk.afterKill();
  if (state.kind === "cut") return disk.afterCut(state);
  return next === undefined
    ? null
    : disk.afterTorn(next, keptSectors(next, state.part, seededRandom(state.seed)));
}

function keptSectors(
  { offset, data }: Entry,
  part: "prefix" | "suffix" | "sectors",
  random: Random,
): (sector: number) => boolean {
  const first = Math.floor(offset / SECTOR);
  const last = Math.floor((offset + data.length - 1) / SECTOR);
  const middle = first + Math.floor(random() * (last - first + 1));
  if (part === "prefix") return (sector) => sector < middle;
  if (part === "suffix") return (sector) => sector > middle;
  return () => random() < 0.5;
}

function digestOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha1");
  for (const name of [...files.keys()].toSorted())
    hash.update(`${name}\0${files.get(name)?.length ?? 0}\0`).update(files.get(name) ?? "");
  return hash.digest("hex");
}
