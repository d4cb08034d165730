/** A set of hashes of 64 bits without a sign. 0 and 1 are the same. */
export interface HashSet {
  readonly has: (hash: bigint) => boolean;
  readonly add: (hash: bigint) => void;
  readonly delete: (hash: bigint) => void;
  readonly size: () => number;
  readonly pack: () => PackedHashes;
}

/** The slots of a set as plain data: a power of two of them, 0 where nothing is. */
export interface PackedHashes {
  readonly slots: BigUint64Array<ArrayBuffer>;
  readonly size: number;
}

/** 64 bytes, see `KEYS` of key-set.ts. */
const FEWEST_SLOTS = 8;

/** An open hash table: a hash is in the first free slot from the one that its upper half names. It keeps `slots`. */
export function createHashSet(packed: PackedHashes = packedNothing()): HashSet {
  let table = tableOf(packed.slots);
  let { size } = packed;
  return {
    has: (hash) => !isFree(table, slotOf(table, hash)),
    add: (hash) => {
      const slot = slotOf(table, hash);
      if (!isFree(table, slot)) return;
      table.slots[slot] = valueOf(hash);
      size++;
      if (size * 3 > table.slots.length * 2) table = twiceAsLarge(table);
    },
    delete: (hash) => {
      const slot = slotOf(table, hash);
      if (isFree(table, slot)) return;
      free(table, slot);
      size--;
    },
    size: () => size,
    pack: () => ({ slots: table.slots.slice(), size }),
  };
}

function packedNothing(): PackedHashes {
  return { slots: new BigUint64Array(FEWEST_SLOTS), size: 0 };
}

/** The same memory twice: comparing halves makes no bigint. */
interface Table {
  readonly slots: BigUint64Array<ArrayBuffer>;
  readonly halves: Int32Array;
  readonly mask: number;
}

function tableOf(slots: BigUint64Array<ArrayBuffer>): Table {
  return { slots, halves: new Int32Array(slots.buffer), mask: slots.length - 1 };
}

const valueOf = (hash: bigint) => (hash === 0n ? 1n : hash);
const VALUE = new BigUint64Array(1);
const HALVES = new Int32Array(VALUE.buffer);

function isFree({ halves }: Table, slot: number): boolean {
  return halves[slot * 2] === 0 && halves[slot * 2 + 1] === 0;
}

/** The slot of a hash, or the free one where it belongs. */
function slotOf(table: Table, hash: bigint): number {
  VALUE[0] = valueOf(hash);
  const [low = 0, high = 0] = [HALVES[0], HALVES[1]];
  const { halves, mask } = table;
  for (let slot = high & mask; ; slot = (slot + 1) & mask) {
    const isSame = halves[slot * 2] === low && halves[slot * 2 + 1] === high;
    if (isSame || isFree(table, slot)) return slot;
  }
}

function twiceAsLarge({ slots }: Table): Table {
  const larger = tableOf(new BigUint64Array(slots.length * 2));
  for (const hash of slots) if (hash !== 0n) larger.slots[slotOf(larger, hash)] = hash;
  return larger;
}

/** Frees a slot, and moves what would not be found beyond it. */
function free({ slots, halves, mask }: Table, slot: number): void {
  let hole = slot;
  for (let next = (hole + 1) & mask; (slots[next] ?? 0n) !== 0n; next = (next + 1) & mask) {
    const wanted = (halves[next * 2 + 1] ?? 0) & mask;
    if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
    slots[hole] = slots[next] ?? 0n;
    hole = next;
  }
  slots[hole] = 0n;
}
