import { Message, type Schema } from "apache-arrow";
import { Footer } from "apache-arrow/ipc/metadata/file";
import { ArrowFault } from "../arrow-fault.ts";
import { checkFooter, checkMessage } from "./metadata-check.ts";
import { inOrder, type ByteReader, type RandomBytes } from "./byte-reader.ts";

/** A part of Arrow IPC: the schema, which comes first, or a message with its buffers. */
export type IpcPart =
  | { readonly kind: "schema"; readonly schema: Schema }
  | { readonly kind: "message"; readonly message: Message; readonly body: Uint8Array };

const MAGIC = "ARROW1";
const CONTINUATION = -1;
const OPEN_BRACE = 123;
/** The bytes after the footer of a file: the length of the footer, and the mark. */
const TAIL_BYTES = 4 + MAGIC.length;

/** Whether these first bytes are those of an IPC file, which has a footer, and not of a stream. */
export function isIpcFile(head: Uint8Array): boolean {
  return latin1(head.subarray(0, MAGIC.length)) === MAGIC;
}

/** The parts of an IPC file or stream. Throws {@link ArrowFault} on anything else, and on a missing end. */
export async function* readParts(bytes: RandomBytes): AsyncGenerator<IpcPart> {
  const head = await bytes.read(0, Math.min(bytes.size, MAGIC.length));
  yield* isIpcFile(head) ? fileParts(bytes) : streamParts(inOrder(bytes));
}

/** The parts of an IPC file, in the order of its footer: dictionaries, then records. */
async function* fileParts(bytes: RandomBytes): AsyncGenerator<IpcPart> {
  const tail = await bytes.read(Math.max(0, bytes.size - TAIL_BYTES), Math.min(TAIL_BYTES, bytes.size));
  if (!isIpcFile(tail.subarray(4)))
    throw new ArrowFault("ends early: the mark at the end of a file is missing");
  const length = int32(tail);
  const { schema, blocks } = decode(await bytes.read(bytes.size - TAIL_BYTES - length, length), (part) => {
    checkFooter(part);
    const footer = Footer.decode(part);
    return { schema: footer.schema, blocks: [...footer.dictionaryBatches(), ...footer.recordBatches()] };
  });
  yield { kind: "schema", schema };
  for (const { offset, metaDataLength, bodyLength } of blocks) {
    const metadata = await bytes.read(offset, metaDataLength);
    const prefix = int32(metadata) === CONTINUATION ? 8 : 4;
    const message = messageOf(metadata.slice(prefix));
    yield { kind: "message", message, body: await bytes.read(offset + metaDataLength, bodyLength) };
  }
}

/** The parts of an IPC stream. */
export async function* streamParts(bytes: ByteReader): AsyncGenerator<IpcPart> {
  for (;;) {
    const prefix = await bytes.next(4);
    if (prefix.length === 0) return;
    if (latin1(prefix) === "FEA1") throw new ArrowFault("is Feather version 1; write it as version 2");
    if (prefix[0] === OPEN_BRACE) throw new ArrowFault("is JSON; give NDJSON bytes as { ndjson, name }");
    let length = int32(prefix);
    // Before version 0.15 of the format, no mark preceded the length.
    if (length === CONTINUATION) length = int32(await bytes.next(4));
    if (length === 0) break;
    if (length < 0) throw new ArrowFault("is neither an Arrow IPC stream nor an Arrow IPC file");
    const message = messageOf(await whole(bytes, length));
    if (message.isSchema()) yield { kind: "schema", schema: decode(message, (part) => part.header()) };
    else yield { kind: "message", message, body: await whole(bytes, message.bodyLength) };
  }
  if ((await bytes.next(1)).length > 0) throw new ArrowFault("goes on after the end of its stream");
}

function messageOf(metadata: Uint8Array): Message {
  return decode(metadata, (part) => {
    checkMessage(part);
    return Message.decode(part);
  });
}

async function whole(bytes: ByteReader, length: number): Promise<Uint8Array> {
  if (!Number.isSafeInteger(length) || length < 0) throw new ArrowFault(`has a message of ${length} bytes`);
  const found = await bytes.next(length);
  if (found.length < length)
    throw new ArrowFault(`ends early: ${length} bytes are announced, ${found.length} are left`);
  return found;
}

function int32(bytes: Uint8Array): number {
  if (bytes.length < 4) throw new ArrowFault("ends early: within the length of a message");
  return Buffer.from(bytes.buffer, bytes.byteOffset, 4).readInt32LE(0);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Reads bytes with a library, whose errors become {@link ArrowFault}: the source is invalid. */
export function decode<T, R>(bytes: T, read: (bytes: T) => R): R {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof ArrowFault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArrowFault(`has a message that cannot be read: ${reason}`, { cause: error });
  }
}
