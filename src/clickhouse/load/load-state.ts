import { createHashFilter, type HashFilter } from "../../ingest/lookup/hash-filter.ts";
import type { CallReading } from "../../ingest/record/call-reading.ts";
import type { CallIdentity, StoredCalls } from "../../ingest/lookup/known-call.ts";
import type { StoredRows } from "../../ingest/write/row-entries.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { Servers } from "../server/shards.ts";
import type { Commits } from "../lookup/visible.ts";
import type { Known, StoredPlace } from "../lookup/dictionaries.ts";
import type { MetCalls } from "../lookup/met-calls.ts";
import type { OpenLoad } from "./open-load.ts";
import type { BinaryValue } from "../insert/row-binary.ts";

/** A load under way. Filters may hold more than was added: what follows is that a trial is settled once more. */
export interface LoadState extends Servers {
  readonly hasCoordinator: boolean;
  readonly writer: string;
  readonly reading: CallReading;
  readonly turns: TurnTaker;
  /** What was visible when the load began. */
  readonly snapshot: Commits;
  readonly open: OpenLoad;
  readonly known: Known;
  readonly met: MetCalls;
  readonly calls: StoredCalls;
  readonly rows: StoredRows;
  /** Calls on which what was written depends. */
  readonly looked: HashFilter;
  /** Calls of which a record was left out, since it said nothing new. */
  readonly unchanged: HashFilter;
  /** Trials that were settled, and hidden calls: what is added below them concerns the load. */
  readonly settled: HashFilter;
  readonly hidden: HashFilter;
  /** Trials that are to be settled again at the end, by identity. */
  readonly again: Map<string, CallIdentity>;
  /** Records of `evaluations`, which are written at the end, by identity. */
  readonly evaluations: Map<string, EvaluationRecord>;
  /** Records read so far. */
  position: number;
  isLarge: boolean;
  /** Batches so far, and how many keys were stored when the load became large. */
  batches: number;
  storedKeys: number;
}

export type EvaluationRecord = Readonly<Record<string, BinaryValue>>;

export function createFilters() {
  return {
    looked: createHashFilter(),
    unchanged: createHashFilter(),
    settled: createHashFilter(),
    hidden: createHashFilter(),
  };
}

/** Where an evaluation was first met; noted where it is new. */
export function firstOf(state: LoadState, identity: string): StoredPlace {
  const known = state.known.first.get(identity);
  if (known !== undefined) return known;
  const place = { load: state.open.outbox.load, position: state.known.first.size };
  state.known.first.set(identity, place);
  return place;
}
