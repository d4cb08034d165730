import { isJSONRPCNotification, isJSONRPCRequest } from "@modelcontextprotocol/server";
import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server";

const MOST_RUNNING = 16;
/** It is answered when it ends, which may be never. */
const SUBSCRIPTION = "subscriptions/listen";

/** A transport over another one that lets sixteen requests run at a time; the others wait in order. */
interface InTurns extends Transport {
  /** Calls the function once each request that has come is answered; what comes later is not waited for. */
  readonly whenAnswered: (idle: () => void) => void;
}

export function inTurns(transport: Transport): InTurns {
  const turns = createTurns((message) => wire.onmessage?.(message));
  const take = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message) && message.method !== SUBSCRIPTION) return turns.take(message);
    wire.onmessage?.(message);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      turns.forget(message.params?.["requestId"]);
  };
  const wire: InTurns = {
    start: () => {
      const heard: Pick<Transport, "onmessage" | "onerror" | "onclose"> = {
        onmessage: take,
        onerror: (error) => wire.onerror?.(error),
        onclose: () => wire.onclose?.(),
      };
      Object.assign(transport, heard);
      return transport.start();
    },
    send: (message, options) =>
      transport.send(message, options).finally(() => {
        if ("id" in message && !("method" in message)) turns.forget(message.id);
      }),
    close: () => transport.close(),
    whenAnswered: turns.whenEmpty,
  };
  return wire;
}

function createTurns(run: (request: JSONRPCRequest) => void) {
  const running = new Set<unknown>();
  let waiting: JSONRPCRequest[] = [];
  let whenEmpty: (() => void) | null = null;
  const next = () => {
    while (running.size < MOST_RUNNING) {
      const one = waiting.shift();
      if (one === undefined) break;
      running.add(one.id);
      run(one);
    }
    if (running.size === 0) whenEmpty?.();
  };
  return {
    take: (request: JSONRPCRequest) => {
      waiting.push(request);
      next();
    },
    /** Drops a request that is answered or cancelled. */
    forget: (id: unknown) => {
      waiting = waiting.filter((one) => one.id !== id);
      if (running.delete(id)) next();
    },
    whenEmpty: (call: () => void) => {
      whenEmpty = call;
      next();
    },
  };
}
