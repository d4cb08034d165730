import { IngestError, EvalcubeError } from "../../errors.ts";
import { isJsonObject, isPlain, UnwritableJson, writeJson, type JsonObject } from "../../model/json.ts";
import { InvalidRecord } from "../record/invalid-record.ts";
import { sizeReason } from "../record/record-size.ts";
import { createReadStream } from "node:fs";
import { fileFault } from "../../model/messages.ts";

/** A record's JSON text, or why there is none. `position` counts lines or items from 1. */
export interface SourceRecord {
  readonly position: number;
  readonly text: string | InvalidRecord;
  /** Whether it is a dataset row, in a source that holds both kinds. */
  readonly isRow?: boolean;
  /** What `JSON.parse` makes of the text, where the source has it already. */
  readonly members?: JsonObject;
  /** The UTF-8 bytes of `text`, where the source has them: they need not be made again to be stored. */
  readonly bytes?: Uint8Array;
}

/** Some records of a source, which can be gone through again, and the bytes of it that are read so far. */
export interface RecordGroup {
  readonly records: Iterable<SourceRecord>;
  readonly bytes: number;
  /** The names of the columns that these records come from, one list for all groups with the same columns. */
  readonly columns?: readonly string[];
}

/** Records of one source, in small groups. A source of columns begins with a group that names them. */
export interface RecordSource {
  readonly name: string;
  readonly totalBytes: number | null;
  readonly groups: AsyncIterable<RecordGroup>;
  /** Whether its records are in memory, so that reading them waits for nothing. */
  readonly inMemory?: boolean;
  /** Whether it is an array of so few records that they are read as one group. */
  readonly isSmall?: boolean;
  /** Whether it is an NDJSON file with the path `name`, which another thread can read as well. */
  readonly isNdjsonFile?: boolean;
}

const GROUP_SIZE = 256;

/**
 * Objects of the process: the same values that NDJSON could carry, `bigint` for long integers. `stay`: nobody changes
 * them, so what was written need not be parsed again.
 */
export function objectSource(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  name: string,
  stay = false,
): RecordSource {
  async function* groups() {
    let records: SourceRecord[] = [];
    let position = 0;
    let bytes = 0;
    for await (const item of items) {
      position++;
      const text = objectText(item);
      bytes += lengthOf(text);
      records.push(
        stay && isJsonObject(item) && isPlain(item) ? { position, text, members: item } : { position, text },
      );
      if (records.length < GROUP_SIZE) continue;
      yield { records, bytes };
      records = [];
    }
    if (records.length > 0) yield { records, bytes };
  }
  const inMemory = Array.isArray(items);
  return {
    name,
    totalBytes: null,
    groups: groups(),
    inMemory,
    isSmall: inMemory && items.length <= GROUP_SIZE,
  };
}

/** Records whose JSON texts the process has; they must be valid. */
export function textSource(texts: readonly (string | InvalidRecord)[], name: string): RecordSource {
  async function* groups() {
    let bytes = 0;
    for (let at = 0; at < texts.length; at += GROUP_SIZE) {
      const part = texts.slice(at, at + GROUP_SIZE);
      bytes += lengthOfAll(part);
      yield await Promise.resolve({
        records: part.map((text, i) => ({ position: at + i + 1, text })),
        bytes,
      });
    }
  }
  const totalBytes = lengthOfAll(texts);
  return { name, totalBytes, groups: groups(), inMemory: true, isSmall: texts.length <= GROUP_SIZE };
}

function lengthOfAll(texts: readonly (string | InvalidRecord)[]): number {
  return texts.reduce((sum, text) => sum + lengthOf(text), 0);
}

function lengthOf(text: string | InvalidRecord): number {
  return typeof text === "string" ? text.length : 0;
}

function objectText(item: unknown): string | InvalidRecord {
  if (typeof item !== "object" || item === null) {
    return new InvalidRecord([], `must be an object, not ${item === null ? "null" : `a ${typeof item}`}`);
  }
  try {
    return writeJson(item);
  } catch (error) {
    if (error instanceof UnwritableJson) return new InvalidRecord(error.path, error.message);
    if (error instanceof RangeError && error.message === "Invalid string length")
      return new InvalidRecord([], sizeReason("more than 500"));
    if (error instanceof RangeError) return new InvalidRecord([], "is nested too deeply or refers to itself");
    throw error;
  }
}

/** The error of a refused record, with its source. */
export function ingestError(source: string, position: number, error: InvalidRecord): IngestError {
  return new IngestError(source, position, error.path, error.reason, { cause: error });
}

/** The bytes of a file, which is opened only when they are read. */
export async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** An error of the file system becomes `EvalcubeError`; others stay. */
export function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new EvalcubeError("no_source", `${path}: cannot be read: ${fileFault(error)}`, { cause: error });
}
