import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";
import type { HttpHandler } from "../handler.ts";
import { jsonAnswer, toResponse, type Answer } from "../wire/answer.ts";
import type { RunningService } from "./serve.ts";

const REASON =
  "This service answers under its own address and as localhost, not under the name that the request has in Host.";

/**
 * The handler, where every request that names another host is answered with 403: a page of another site can reach a
 * service on loopback by letting its own name point there. `hosts` may be filled after the service listens.
 */
export function answeringOnlyFor(hosts: ReadonlySet<string>, handler: HttpHandler): HttpHandler {
  const answer = async (request: Request): Promise<Answer> => {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    return hosts.has(host) ? handler.answer(request) : refusal();
  };
  const handle = async (request: Request) => toResponse(await answer(request), request.method);
  return Object.assign(handle, {
    answer,
    reloadKeys: () => handler.reloadKeys(),
    interrupt: () => handler.interrupt(),
    close: () => handler.close(),
  });
}

function refusal(): Answer {
  const headers = { "cache-control": "no-store", "x-request-id": randomUUID() };
  return jsonAnswer(JSON.stringify({ reason: REASON }), headers, 403);
}

/** The hosts, with port, that requests to the service may name: its address and `localhost`. */
export function ownHosts({ url, port }: Pick<RunningService, "url" | "port">): ReadonlySet<string> {
  const { host, hostname } = new URL(url);
  const anyAddress = hostname === "0.0.0.0" || hostname === "[::]";
  const names = ["localhost", ...(anyAddress ? addressesHere() : [])];
  // A URL leaves out the port that its scheme has anyway, as browsers do.
  return new Set([host, ...names.map((name) => new URL(`http://${name}:${port}`).host)]);
}

/** The addresses of this machine, which a service on all of them has. */
function addressesHere(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ address }) => !address.includes("%"))
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
}
