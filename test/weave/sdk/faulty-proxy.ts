import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../../../src/stats/numeric/random.ts";

/** A way to a service on which one request in five goes wrong. */
export interface FaultyProxy {
  readonly url: string;
  /** How often each fault has happened. */
  readonly faults: { busy: number; cut: number };
  readonly close: () => Promise<void>;
}

const EVERY = 5;

/**
 * Of five requests one is answered with 503 and not carried out, or its connection is cut after it was. Which of both is by
 * chance; every fifth one, so that what comes alone is not hit twice in a row.
 */
export async function startFaultyProxy(target: string, random: Random): Promise<FaultyProxy> {
  const faults = { busy: 0, cut: 0 };
  let count = 0;
  const server = createServer((incoming, response) => {
    const isFault = ++count % EVERY === 0;
    if (isFault && random() < 0.5) {
      faults.busy++;
      incoming.resume().once("end", () => {
        response.writeHead(503, { "retry-after": "1", "content-type": "application/json" });
        response.end('{"reason":"busy"}');
      });
      return;
    }
    if (isFault) faults.cut++;
    forward(target, incoming, response, isFault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forward(target: string, incoming: IncomingMessage, response: ServerResponse, isCut: boolean): void {
  const { method, headers, url } = incoming;
  const onward = request(target + (url ?? "/"), { method, headers }, (answer) => {
    if (isCut) {
      answer.resume().once("end", () => response.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once("error", () => response.destroy());
  incoming.pipe(onward);
}
