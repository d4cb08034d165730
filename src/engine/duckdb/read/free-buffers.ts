import { MessageChannel } from "node:worker_threads";

const { port1: closed } = new MessageChannel();
closed.close();

/**
 * Frees buffers at once, which are empty from then on: what is sent through a closed port is gone. The collector would find
 * them late, and is called the more often the more memory stands in buffers.
 */
export function discard(buffers: readonly ArrayBuffer[]): void {
  if (buffers.length > 0) closed.postMessage(null, buffers);
}
