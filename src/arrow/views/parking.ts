import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import type { Turns } from "../../model/turns.ts";

/** So many buffers are sent together. */
const TOGETHER = 16;

/**
 * Where buffers stand that are kept for long, until all of them are wanted: sent through a channel and not yet received. V8
 * walks its whole heap whenever some 20 MB of buffers have come, kept or not; those on their way do not count. To be closed.
 */
export class Parking {
  readonly #channel = new MessageChannel();
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #sent = 0;

  /** Takes a buffer, whose memory is its own; gives its ticket. */
  park(buffer: Uint8Array<ArrayBuffer>): number {
    const ticket = this.#sent * TOGETHER + this.#waiting.length;
    this.#waiting.push(buffer);
    if (this.#waiting.length === TOGETHER) {
      this.#channel.port1.postMessage(
        this.#waiting,
        this.#waiting.map((one) => one.buffer),
      );
      this.#waiting = [];
      this.#sent++;
    }
    return ticket;
  }

  /** All buffers, by ticket. Nothing is parked any more. */
  async collect(turns: Turns): Promise<Uint8Array<ArrayBuffer>[]> {
    const buffers: Uint8Array<ArrayBuffer>[] = [];
    for (; this.#sent > 0; this.#sent--) {
      await turns.take();
      const received = receiveMessageOnPort(this.#channel.port2);
      if (received === undefined) throw new RangeError("parked buffers are not there");
      buffers.push(...(received.message as Uint8Array<ArrayBuffer>[]));
    }
    buffers.push(...this.#waiting);
    this.#waiting = [];
    return buffers;
  }

  close(): void {
    this.#channel.port1.close();
  }
}
