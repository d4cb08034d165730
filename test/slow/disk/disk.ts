import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { fileContents, type Change, type FileContents } from "./file-contents.ts";
import type { Entry } from "./trace.ts";

/** Files by their names within a folder. */
export type Files = ReadonlyMap<string, { readonly inode: number; readonly bytes: Buffer }>;

/** What of the changes that no sync had reached is on disk after a power cut. */
export interface Cut {
  /**
   * `last`: of each file the last change alone. `missing`: all but one. `prefix`: in their order up to one that is
   * torn. The others: each sector by chance, one in two, in ten, or nine in ten.
   */
  readonly writes: "none" | "all" | "last" | "missing" | "prefix" | "half" | "few" | "most";
  /** Files made, renamed and removed, in their order. */
  readonly names: "none" | "all" | "some";
  readonly seed: number;
}

interface FileNode {
  readonly live: FileContents;
  /** What a sync has brought to disk, and the changes since then. */
  readonly durable: FileContents;
  pending: Change[];
}

interface NameChange {
  readonly remove: string | null;
  readonly set: { readonly name: string; readonly node: FileNode } | null;
}

/** A folder of files to which recorded changes are applied. */
export interface Disk {
  readonly apply: (entry: Entry) => void;
  /** What a killed process leaves. */
  readonly afterKill: () => Map<string, Buffer>;
  /** What is there when of the next entry, a write, some sectors alone are done; null when it is no write. */
  readonly afterTorn: (entry: Entry, keeps: (sector: number) => boolean) => Map<string, Buffer> | null;
  readonly afterCut: (cut: Cut) => Map<string, Buffer>;
  /** How many changes wait for a sync. */
  readonly pending: () => number;
}

export function openDisk(before: Files): Disk {
  const byInode = new Map<number, FileNode>();
  const names = new Map<string, FileNode>();
  for (const [name, { inode, bytes }] of before) {
    const node = { live: fileContents(bytes), durable: fileContents(bytes), pending: [] };
    byInode.set(inode, node);
    names.set(name, node);
  }
  const durableNames = new Map(names);
  let pendingNames: NameChange[] = [];

  const nodeOf = ({ operation, inode, name }: Entry): FileNode => {
    const node = byInode.get(inode);
    if (node === undefined) throw new Error(`the trace has ${operation} of ${name}, which was never opened`);
    return node;
  };
  const rename = (change: NameChange): void => {
    pendingNames.push(change);
    changeName(names, change);
  };
  const change = (entry: Entry, what: Change): void => {
    const node = nodeOf(entry);
    node.live.apply(what);
    node.pending.push(what);
  };
  /** A sync of a file also brings its name to disk, and what was done to names before that. */
  const sync = (node: FileNode): void => {
    for (const one of node.pending) node.durable.apply(one);
    node.pending = [];
    flushNames(pendingNames.findLastIndex(({ set }) => set?.node === node) + 1);
  };
  const flushNames = (count: number): void => {
    for (const one of pendingNames.slice(0, count)) changeName(durableNames, one);
    pendingNames = pendingNames.slice(count);
  };
  const make = ({ inode, name }: Entry): void => {
    const node = { live: fileContents(Buffer.alloc(0)), durable: fileContents(Buffer.alloc(0)), pending: [] };
    byInode.set(inode, node);
    rename({ remove: null, set: { name, node } });
  };
  const named = (entry: Entry): void => {
    const node = names.get(entry.name);
    if (node === undefined)
      throw new Error(`the trace has ${entry.operation} of ${entry.name}, which is not there`);
    const set = entry.operation === "unlink" ? null : { name: entry.other, node };
    rename({ remove: entry.operation === "link" ? null : entry.name, set });
  };

  const apply = (entry: Entry): void => {
    const { operation } = entry;
    const what = changeOf(entry);
    if (what !== null) change(entry, what);
    else if (operation === "open" && entry.offset === 1) make(entry);
    else if (operation === "sync" && byInode.has(entry.inode)) sync(nodeOf(entry));
    else if (operation === "sync-folder") flushNames(pendingNames.length);
    else if (operation === "rename" || operation === "unlink" || operation === "link") named(entry);
    else if (operation === "unknown") throw new Error(`the recorder cannot follow ${entry.name}`);
  };
  return {
    apply,
    afterKill: () => new Map(Array.from(names, ([name, { live }]) => [name, live.bytes()])),
    afterTorn: (entry, keeps) => {
      const what = changeOf(entry);
      if (what?.kind !== "write") return null;
      const torn = nodeOf(entry);
      const contents = torn.live.copy();
      contents.applyPart(what, keeps, false);
      return new Map(
        Array.from(names, ([name, node]) => [name, (node === torn ? contents : node.live).bytes()]),
      );
    },
    afterCut: (cut) => {
      const random = seededRandom(cut.seed);
      const kept = new Map(durableNames);
      for (const one of pendingNames.slice(0, keptNames(cut, pendingNames.length, random)))
        changeName(kept, one);
      return new Map(Array.from(kept, ([name, node]) => [name, contentsAfterCut(node, cut, random)]));
    },
    pending: () =>
      [...names.values()].reduce((sum, { pending }) => sum + pending.length, pendingNames.length),
  };
}

function changeName(names: Map<string, FileNode>, { remove, set }: NameChange): void {
  if (remove !== null) names.delete(remove);
  if (set !== null) names.set(set.name, set.node);
}

function changeOf({ operation, offset, length, data }: Entry): Change | null {
  if (operation === "write") return { kind: "write", offset, data };
  if (operation === "resize") return { kind: "resize", size: offset };
  if (operation === "extend") return { kind: "extend", size: offset + length };
  return null;
}

function keptNames({ names }: Cut, count: number, random: Random): number {
  if (names === "none") return 0;
  return names === "all" ? count : Math.floor(random() * (count + 1));
}

const CHANCES = { half: 0.5, few: 0.1, most: 0.9 } as const;

function contentsAfterCut({ durable, pending }: FileNode, { writes }: Cut, random: Random): Buffer {
  const contents = durable.copy();
  const chosen = Math.floor(random() * pending.length);
  for (const [i, change] of pending.entries()) {
    if (writes === "half" || writes === "few" || writes === "most")
      contents.applyPart(change, () => random() < CHANCES[writes], random() < CHANCES[writes]);
    else if (writes === "prefix" && i === chosen)
      contents.applyPart(change, () => random() < 0.5, random() < 0.5);
    else if (isKept(writes, i, chosen, pending.length)) contents.apply(change);
  }
  return contents.bytes();
}

function isKept(writes: Cut["writes"], i: number, chosen: number, count: number): boolean {
  if (writes === "all") return true;
  if (writes === "last") return i === count - 1;
  if (writes === "missing") return i !== chosen;
  return writes === "prefix" && i < chosen;
}
