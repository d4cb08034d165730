import { setTimeout as sleep } from "node:timers/promises";
import { PROJECT } from "../weave-requests.ts";
import type { Sent, Traffic } from "./traffic.ts";

/** The SDK waits half a second at first; here a second is a hundredth of one. */
const SECOND_MS = 10;
const TRIES = 3;
const ATTEMPTS = 3;
/** As many as an SDK has on the way at the same time. */
const LANES = 8;

interface Options {
  readonly url: () => string;
  readonly authorization: string;
  /** Called with each request that was answered with 200. */
  readonly answered?: (sent: Sent) => void;
  /** Ends sending: what was not sent then is lost to the program. */
  readonly signal?: AbortSignal;
}

/** Sends one request, once. Rejects where there is no answer. */
export async function sendOnce(
  { path, body }: Pick<Sent, "path" | "body">,
  { url, authorization }: Options,
): Promise<Response> {
  const headers = new Headers({ authorization });
  if (typeof body === "string") headers.set("content-type", "application/json");
  return fetch(url() + path, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : formOf(body),
  });
}

function formOf({ file }: { readonly file: string }): FormData {
  const form = new FormData();
  form.set("project_id", PROJECT);
  form.set("file", new Blob([file]), "obj.py");
  return form;
}

/** Tries one request three times; throws where it is refused for good, and answers whether it was carried out. */
async function tryThrice(sent: Sent, options: Options): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    options.signal?.throwIfAborted();
    const response = await sendOnce(sent, options).catch(() => null);
    // The answer may break off, too.
    const text = (await response?.text().catch(() => null)) ?? null;
    if (response?.ok === true && text !== null) {
      options.answered?.(sent);
      return true;
    }
    const isPassing = response === null || response.ok || [408, 409, 429].includes(response.status);
    if (!isPassing && response.status < 500)
      throw new Error(`${sent.path} was refused with ${response.status}: ${text ?? ""}`);
    const seconds = Number(response?.headers.get("retry-after") ?? 0.5 * 2 ** tries);
    await sleep(seconds * SECOND_MS);
  }
  return false;
}

/**
 * Everything is sent again and again, from the end of the queue. An SDK gives objects, tables and files up after three tries; among
 * many programs one is hit three times in a row now and then, and what an SDK gives up is not lost by the service.
 */
async function sendStep(step: readonly Sent[], options: Options): Promise<void> {
  const queue = [...step];
  const lane = async () => {
    for (let sent = queue.shift(); sent !== undefined; sent = queue.shift()) {
      const isQueued = /^\/(v2|calls?|feedback)\//.test(sent.path);
      let isDone = false;
      for (let i = 0; i < (isQueued ? ATTEMPTS : 1) && !isDone; i++) isDone = await tryThrice(sent, options);
      if (!isDone) queue.push(sent);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Sends what a program sends, as an SDK of Weave does: it comes again where it is not answered. */
export async function sendTraffic({ steps }: Traffic, options: Options): Promise<void> {
  for (const step of steps) await sendStep(step, options);
}
