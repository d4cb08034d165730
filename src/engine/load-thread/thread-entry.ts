import { parentPort } from "node:worker_threads";
import type { ToThread } from "./messages.ts";
import { createThreadWork } from "./run-load.ts";

/** Where a thread begins. What its work throws ends it, and with it the load. */
if (parentPort !== null) {
  const port = parentPort;
  const work = createThreadWork((message, moved = []) => port.postMessage(message, moved));
  port.on("message", (message: ToThread) => void work(message));
}
