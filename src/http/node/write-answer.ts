import type { ServerResponse } from "node:http";
import type { Answer } from "../wire/answer.ts";

/**
 * Writes an answer to a Node response: the headers immediately, a stream as it arrives and no faster than the client
 * reads. When the client disconnects, the stream is cancelled. When the stream breaks off, the connection is
 * destroyed, so that a partial answer does not look complete.
 */
export async function sendAnswer({ status, headers, body }: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  if (body instanceof ReadableStream) return writeStream(body, response);
  response.end(body);
}

async function writeStream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  if (response.destroyed) return leave();
  response.once("close", leave);
  response.flushHeaders();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (response.write(next.value)) continue;
      await taken(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}

/** Resolves when the response has room again or is closed. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}
