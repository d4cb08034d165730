import type { InputPath } from "../../../errors.ts";
import type { IngestOptions, IngestProgress } from "../../../ingest/load.ts";
import type { RecordKind } from "../../../ingest/formats/record-kind.ts";
import type { Conventions } from "../../../model/conventions.ts";
import type { PackedBatch } from "./pack-batch.ts";
import type { PackedError } from "./pack-error.ts";

/** How records are read, as plain data. */
export interface ReadingOfRecords {
  readonly kind: RecordKind | "mixed";
  readonly options: Pick<IngestOptions, "onInvalid" | "partial" | "sender" | "user">;
  /** Whether the caller wants to know how far it has come. */
  readonly tellsProgress: boolean;
  readonly conventions: Conventions;
}

/** A file to read. */
export interface FileToRead extends ReadingOfRecords {
  readonly path: string;
  readonly totalBytes: number | null;
}

/** Why a record is refused. */
export interface Refused {
  readonly position: number;
  readonly path: InputPath;
  readonly reason: string;
}

/** What is said to the thread that reads. `read` gives a reading its number. */
export type ToReader =
  | { readonly kind: "read"; readonly reading: number; readonly file: FileToRead }
  /** One more batch may be read. */
  | { readonly kind: "more"; readonly reading: number }
  | { readonly kind: "stop"; readonly reading: number };

/** What the thread that reads says, with the number of the reading. */
export type FromReader = { readonly reading: number } & (
  | { readonly kind: "progress"; readonly progress: IngestProgress }
  /** `received` and `rejected`: records read so far, and those refused since the batch before. */
  | {
      readonly kind: "batch";
      readonly batch: PackedBatch;
      readonly received: number;
      readonly rejected: readonly Refused[];
    }
  | { readonly kind: "end"; readonly received: number; readonly rejected: readonly Refused[] }
  | { readonly kind: "failed"; readonly error: PackedError }
);
