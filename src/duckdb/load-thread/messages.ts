import type { PackedCounts } from "../../ingest/counts.ts";
import type { IngestProgress, IngestResult } from "../../ingest/load.ts";
import type { PackedMemory } from "../load/writer-memory.ts";
import type { ColumnBatch, ColumnField } from "../../store/columns.ts";
import type { PackedColumn } from "../../store/session.ts";
import type { Sql, SqlStatement, SqlValue } from "../../store/sql.ts";
import type { ReadingOfRecords } from "./read/messages.ts";
import type { PackedError } from "./read/pack-error.ts";
import type { PackedSource } from "./pack-source.ts";

/** A load as plain data. */
export interface SentLoad extends ReadingOfRecords {
  readonly source: PackedSource;
  readonly counts: PackedCounts;
}

/** What the thread is given to write the load that it has begun to read. */
export interface WriteMessage {
  readonly kind: "write";
  readonly memory: PackedMemory;
  /** About how many bytes of rows to remember. */
  readonly rowBytes: number;
  /** Whether the thread wrote last, so that the rows that it remembers are still as they are. */
  readonly wroteLast: boolean;
}

/** What the engine says to the thread. It gives one load after another: `read`, then `write` or `drop`. */
export type ToThread =
  | { readonly kind: "read"; readonly load: SentLoad }
  | WriteMessage
  | { readonly kind: "abort" }
  | { readonly kind: "drop" }
  /** Buffers of columns that were read. */
  | { readonly kind: "used"; readonly buffers: readonly ArrayBuffer[] }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** What was asked failed; the engine knows why. */
  | { readonly kind: "refusal"; readonly id: number };

/** What the thread says to the engine. Columns and statements are carried out in the order in which they are sent. */
export type FromThread =
  | { readonly kind: "begun"; readonly records: number; readonly characters: number }
  | { readonly kind: "progress"; readonly progress: IngestProgress }
  | {
      readonly kind: "columns";
      readonly session: number;
      readonly name: string;
      readonly columns: PackedColumn[];
    }
  | { readonly kind: "run"; readonly query: Sql }
  | { readonly kind: "ask"; readonly id: number; readonly ask: Ask }
  | WrittenMessage
  | FailedMessage;

export interface WrittenMessage {
  readonly kind: "written";
  readonly result: IngestResult;
  readonly counts: PackedCounts;
  readonly memory: PackedMemory;
}

/** The load is not stored; `memory` is null where it was not begun to be written. */
export interface FailedMessage {
  readonly kind: "failed";
  readonly error: PackedError;
  readonly memory: PackedMemory | null;
}

/** What the thread asks; `session` 0 is that of the load, others are those that it opened beside it. */
export type Ask =
  | { readonly what: "rows"; readonly session: number; readonly query: Sql }
  | { readonly what: "vectors"; readonly session: number; readonly query: SqlStatement }
  | { readonly what: "openSecond"; readonly session: number }
  | { readonly what: "closeSecond"; readonly session: number }
  | { readonly what: "endBatch" | "written" | "becomesLarge" };

export interface Vectors {
  readonly fields: readonly ColumnField[];
  readonly batches: readonly ColumnBatch[];
}

export type Answer = null | readonly (readonly SqlValue[])[] | Vectors;
