import type { Writable } from "node:stream";

/**
 * The answer, whose connection is destroyed when its stream breaks off: it must not look whole, and the fault
 * is nothing for the body.
 */
export function cutOnFault(answer: Response, connection: Pick<Writable, "destroy">): Response {
  if (answer.body === null || answer.headers.has("content-length")) return answer;
  const reader = answer.body.getReader();
  reader.closed.catch(() => connection.destroy());
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch(() => undefined);
        if (next === undefined) return;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: answer.status, headers: answer.headers });
}
