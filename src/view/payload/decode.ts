import { unpackRows, type PackedRows } from "./packed-rows.ts";

/** Characters of base64 that are decoded in one go, a multiple of four. */
const PIECE = 2 ** 20;

/** Reads the text of `encodeRows`, piece by piece, so that the page answers meanwhile. */
export async function decodeRows(text: string): Promise<PackedRows> {
  const trimmed = text.trim();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: pieces(trimmed),
  }).pipeThrough(new DecompressionStream("gzip"));
  return unpackRows(new Uint8Array(await new Response(stream).arrayBuffer()));
}

function pieces(
  text: string,
): (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => void {
  let at = 0;
  return (controller) => {
    if (at >= text.length) controller.close();
    else controller.enqueue(bytesOf(text.slice(at, at + PIECE)));
    at += PIECE;
  };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
