import { IngestError } from "../errors.ts";
import type { RecordKind } from "../ingest/formats/record-kind.ts";
import { ingestError } from "../ingest/formats/record-source.ts";
import type { IngestResult } from "../ingest/load.ts";
import { InvalidRecord } from "../ingest/record/invalid-record.ts";
import type { Connection } from "./connection.ts";
import { routeOf } from "./place.ts";
import { readAnswer, type Shape } from "./shape.ts";

/** What the records of a lane have in common. */
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

/** The records of one kind and project, which are sent as the lines of one body. */
export class Lane {
  readonly #connection: Connection;
  readonly #options: LaneOptions;
  /** Of each line, its place in the source. */
  readonly #positions: number[] = [];
  #held: string[] = [];
  #size = 0;
  #streaming: Streaming | null = null;

  constructor(connection: Connection, options: LaneOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Adds a record with its place in the source; resolves when the service takes more. */
  async add(text: string, position: number): Promise<void> {
    this.#positions.push(position);
    // A text of a column may be JSON of several lines, whose ends stand between values alone.
    this.#held.push(text.includes("\n") ? text.replaceAll("\n", " ") : text, "\n");
    this.#size += text.length + 1;
    if (this.#size < (this.#streaming === null ? MOST_HELD : PIECE)) return;
    this.#streaming ??= this.#begin();
    await this.#flush(this.#streaming).catch(placed(this.#options.source, this.#positions));
  }

  /** Resolves when all is stored. */
  async end(): Promise<IngestResult> {
    const { source } = this.#options;
    const answer = await this.#ended(this.#streaming).catch(placed(source, this.#positions));
    return await resultOf(this.#connection, answer, source, this.#positions);
  }

  /** Ends what is under way; of the batch that is being sent nothing is stored. */
  leave(reason: unknown): void {
    this.#streaming?.writer.abort(reason).catch(() => undefined);
  }

  #take(): string {
    const text = this.#held.join("");
    this.#held = [];
    this.#size = 0;
    return text;
  }

  #send(body: string | ReadableStream<Uint8Array>): Promise<string> {
    const { projectId, kind, skipsInvalid, signal } = this.#options;
    const path = routeOf(projectId, `ingest?kind=${kind}${skipsInvalid ? "&skip_invalid=true" : ""}`);
    const again = typeof body === "string";
    return this.#connection.text({ method: "POST", path, type: "application/x-ndjson", body, again }, signal);
  }

  #begin(): Streaming {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = this.#send(readable);
    // Who adds the next record, or ends, is told.
    answer.catch(() => undefined);
    return { writer: writable.getWriter(), answer };
  }

  async #flush({ writer, answer }: Streaming): Promise<void> {
    const writing = writer.write(Buffer.from(this.#take()));
    // What the service refuses is its answer; that nothing can be written any more is not.
    await Promise.race([writing, answer]).catch(() => answer);
  }

  async #ended(streaming: Streaming | null): Promise<string> {
    if (streaming === null) return await this.#send(this.#take());
    await this.#flush(streaming);
    await streaming.writer.close().catch(() => streaming.answer);
    return await streaming.answer;
  }
}

/** Rethrows the refusal of a line as that of its record. */
function placed(source: string, positions: readonly number[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof IngestError && error.cause instanceof InvalidRecord)) throw error;
    throw ingestError(source, positions[error.position - 1] ?? error.position, error.cause);
  };
}

const RESULT: Shape = {
  received: "number",
  stored: "number",
  rejected: ["position"],
  unknown_members: "object",
  epoch_times: "object",
  unused_ops: "object",
};

async function resultOf(
  { place }: Connection,
  answer: string,
  source: string,
  positions: readonly number[],
): Promise<IngestResult> {
  const result = await readAnswer<IngestResult>(place, RESULT, () => JSON.parse(answer));
  const rejected = result.rejected.map((one) => ({
    ...one,
    source,
    position: positions[one.position - 1] ?? one.position,
  }));
  return { ...result, rejected };
}
