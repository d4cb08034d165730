import { IngestError } from "../errors.ts";
import type { RecordKind } from "../ingest/formats/record-kind.ts";
import { ingestError } from "../ingest/formats/record-source.ts";
import type { IngestResult } from "../ingest/load.ts";
import { InvalidRecord } from "../ingest/record/invalid-record.ts";
import type { Connection } from "./connection.ts";
import { projectPath } from "./place.ts";

/** The records of one kind and project, which are sent as the lines of one body. */
export interface Lane {
  /** Adds a record with its place in the source; resolves when the service takes more. */
  readonly add: (text: string, position: number) => Promise<void>;
  readonly end: () => Promise<IngestResult>;
  /** Ends what is under way; of the batch that is being sent nothing is stored. */
  readonly leave: (reason: unknown) => void;
}

interface LaneOptions {
  /** Of the records, in errors. */
  readonly source: string;
  readonly projectId: string;
  readonly kind: RecordKind;
  readonly skipsInvalid: boolean;
  readonly signal: AbortSignal;
}

/** What is held before it is sent: less is sent as one body, again if that fails. */
const MOST_HELD = 16 * 1024 * 1024;
/** Of a longer one, pieces of so many characters. */
const PIECE = 1024 * 1024;

/** A body that is being sent. */
interface Streaming {
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly answer: Promise<string>;
}

export function openLane(connection: Connection, options: LaneOptions): Lane {
  const { source, projectId, kind, skipsInvalid, signal } = options;
  const path = projectPath(projectId, `ingest?kind=${kind}${skipsInvalid ? "&skip_invalid=true" : ""}`);
  const sent = { method: "POST", path, type: "application/x-ndjson" } as const;
  const positions: number[] = [];
  let held: string[] = [];
  let size = 0;
  let streaming: Streaming | null = null;
  const take = (): string => {
    const text = held.join("");
    held = [];
    size = 0;
    return text;
  };
  const begin = (): Streaming => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = connection.text({ ...sent, body: readable, again: false }, signal);
    // Who adds the next record, or ends, is told.
    answer.catch(() => undefined);
    return { writer: writable.getWriter(), answer };
  };
  const flush = async ({ writer, answer }: Streaming): Promise<void> => {
    const writing = writer.write(Buffer.from(take()));
    // What the service refuses is its answer; that nothing can be written any more is not.
    await Promise.race([writing, answer]).catch(() => answer);
  };
  return {
    add: async (text, position) => {
      positions.push(position);
      held.push(text, "\n");
      size += text.length + 1;
      if (size < (streaming === null ? MOST_HELD : PIECE)) return;
      streaming ??= begin();
      await flush(streaming).catch(placed(source, positions));
    },
    end: async () => {
      const answer = await ended(streaming).catch(placed(source, positions));
      return resultOf(answer, source, positions);
    },
    leave: (reason) => void streaming?.writer.abort(reason).catch(() => undefined),
  };

  async function ended(open: Streaming | null): Promise<string> {
    if (open === null) return await connection.text({ ...sent, body: take(), again: true }, signal);
    await flush(open);
    await open.writer.close().catch(() => open.answer);
    return await open.answer;
  }
}

/** Rethrows the refusal of a line as that of its record. */
function placed(source: string, positions: readonly number[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof IngestError && error.cause instanceof InvalidRecord)) throw error;
    throw ingestError(source, positions[error.position - 1] ?? error.position, error.cause);
  };
}

function resultOf(answer: string, source: string, positions: readonly number[]): IngestResult {
  const result = JSON.parse(answer) as IngestResult;
  const rejected = result.rejected.map((one) => ({
    ...one,
    source,
    position: positions[one.position - 1] ?? one.position,
  }));
  return { ...result, rejected };
}
