import { unpackNumbers } from "./number-column.ts";
import { KIND, type PayloadHeader } from "./payload-rows.ts";
import { unpackTexts, type TextColumn } from "./text-column.ts";

/** The values of one dimension, one for each trial. */
interface TrialValues {
  /** One of `KIND`. */
  readonly kinds: Uint8Array;
  /** Numbers, true as 1 and false as 0; NaN where there is none. */
  readonly values: Float64Array;
}

/** The rows of a report in memory. Trials are counted in the order row, evaluation, trial. */
export interface PackedRows {
  readonly header: PayloadHeader;
  readonly digests: TextColumn;
  /** JSON texts. */
  readonly inputs: TextColumn;
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`, the end one place later. */
  readonly starts: Uint32Array;
  readonly dimension: (place: number) => TrialValues;
  readonly latency: () => TrialValues;
  readonly tokens: () => TrialValues;
  readonly errors: TextColumn;
  /** JSON texts of the scores that are text, by name. */
  readonly texts: TextColumn;
  /** JSON texts. */
  readonly outputs: TextColumn;
}

/** Reads the block that `encodeRows` packs. Throws where it is another one. */
export function unpackRows(block: Uint8Array): PackedRows {
  const size = new DataView(block.buffer, block.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(block.subarray(4, 4 + size))) as PayloadHeader;
  if (header.format !== 1) throw new Error(`rows of format ${String(header.format)} cannot be read`);
  const places = new Map(header.sections.map((one) => [one.name, one]));
  const column = (name: string): Uint8Array => {
    const section = places.get(name);
    if (section === undefined) throw new Error(`the rows have no column ${name}`);
    const start = 4 + size + section.at;
    return block.subarray(start, start + section.bytes);
  };
  return {
    header,
    digests: unpackTexts(column("digests")),
    inputs: unpackTexts(column("inputs")),
    starts: startsOf(unpackNumbers(column("counts"))),
    dimension: oncePerPlace((place) => spread(column(`kinds ${place}`), column(`numbers ${place}`))),
    latency: once(() => spread(column("latency known"), column("latency"))),
    tokens: once(() => spread(column("tokens known"), column("tokens"))),
    errors: unpackTexts(column("errors")),
    texts: unpackTexts(column("texts")),
    outputs: unpackTexts(column("outputs")),
  };
}

function startsOf(counts: Float64Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  let next = 0;
  counts.forEach((count, i) => {
    starts[i] = next;
    next += count;
  });
  starts[counts.length] = next;
  return starts;
}

function spread(kinds: Uint8Array, packed: Uint8Array): TrialValues {
  const numbers = unpackNumbers(packed);
  const values = new Float64Array(kinds.length);
  let next = 0;
  for (let at = 0; at < kinds.length; at++) {
    const kind = kinds[at];
    if (kind === KIND.number) values[at] = numbers[next++] ?? Number.NaN;
    else values[at] = kind === KIND.yes ? 1 : kind === KIND.no ? 0 : Number.NaN;
  }
  return { kinds, values };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

function oncePerPlace<Value>(make: (place: number) => Value): (place: number) => Value {
  const made = new Map<number, Value>();
  return (place) => {
    const known = made.get(place);
    if (known !== undefined) return known;
    const value = make(place);
    made.set(place, value);
    return value;
  };
}
