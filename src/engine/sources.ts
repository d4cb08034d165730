import { createReadStream, statSync } from "node:fs";
import { EvalcubeError } from "../errors.ts";
import { ndjsonSource } from "../ingest/ndjson.ts";
import { objectSource, type RecordSource } from "../ingest/record-source.ts";
import type { Store } from "../model/session.ts";
import { parquetGroups } from "./parquet-source.ts";

/** NDJSON bytes that come from elsewhere than a file; `name` is used in errors. */
export interface NdjsonStream {
  readonly ndjson: AsyncIterable<Uint8Array>;
  readonly name: string;
}

/** A path or paths of files (.ndjson, .jsonl, each also as .gz, .parquet), NDJSON bytes, or objects. */
export type IngestSource =
  | string
  | readonly string[]
  | NdjsonStream
  | Iterable<unknown>
  | AsyncIterable<unknown>;

/** The sources that a caller's argument stands for; each is loaded in one transaction. */
export function openSources(store: Store, source: IngestSource): RecordSource[] {
  if (typeof source !== "object" && typeof source !== "string") throw invalidSource();
  if (source === null) throw invalidSource();
  if (typeof source === "string") return [fileSource(store, source)];
  if (isNdjsonStream(source)) return [ndjsonSource(source.ndjson, source.name, null)];
  if (Array.isArray(source) && source.length > 0 && source.every((item) => typeof item === "string")) {
    return (source as readonly string[]).map((path) => fileSource(store, path));
  }
  if (
    typeof source === "object" &&
    source !== null &&
    (Symbol.iterator in source || Symbol.asyncIterator in source)
  ) {
    return [objectSource(source as Iterable<unknown> | AsyncIterable<unknown>, "records")];
  }
  throw invalidSource();
}

function invalidSource(): EvalcubeError {
  return new EvalcubeError(
    "invalid_source",
    "a source is a file path, a list of paths, { ndjson, name }, or an iterable of objects",
  );
}

function isNdjsonStream(source: IngestSource): source is NdjsonStream {
  return typeof source === "object" && "ndjson" in source && "name" in source;
}

function fileSource(store: Store, path: string): RecordSource {
  let size: number;
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new EvalcubeError("invalid_source", `${path}: is a folder, not a file`);
    size = found.size;
  } catch (error) {
    if (error instanceof EvalcubeError) throw error;
    throw new EvalcubeError("no_source", `${path}: cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (/\.parquet$/i.test(path)) return { name: path, totalBytes: null, groups: parquetGroups(store, path) };
  return ndjsonSource(createReadStream(path, { highWaterMark: 1024 * 1024 }), path, size);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
