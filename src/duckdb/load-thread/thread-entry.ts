import { parentPort, workerData } from "node:worker_threads";
import type { ToThread } from "./messages.ts";
import type { ToReader } from "./read/messages.ts";
import { createReadWork } from "./read/run-read.ts";
import { createThreadWork } from "./run-load.ts";

/** What a thread is given: the one that loads the program of the one that reads, or null to read itself. */
type ThreadData = { readonly reads: true } | { readonly reads: false; readonly program: string | null };

/** Where both threads of a load begin. What their work throws ends them, and with them the load. */
if (parentPort !== null) {
  const port = parentPort;
  const send = (message: unknown, moved: readonly ArrayBuffer[] = []) => port.postMessage(message, moved);
  const data = workerData as ThreadData;
  if (data.reads) {
    const work = createReadWork(send);
    port.on("message", (message: ToReader) => work(message));
  } else {
    const work = createThreadWork(send, data.program);
    port.on("message", (message: ToThread) => void work(message));
  }
}
