import { isJsonObject, parseJson, writeJson } from "../../model/json.ts";

/** A service that answers questions about projects. */
export type Service = ReturnType<typeof serviceAt>;

/**
 * What a service refused, in its own words. `path` is where in the request the fault lies, as far as the words tell.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly path: readonly string[];

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
    const [, member] = /^([A-Za-z_]\w*)[.[:]/.exec(reason) ?? [];
    this.path = member === undefined ? [] : [member];
  }
}

/** The path of a project's endpoint below the service. */
export function projectPath(project: string, endpoint: string): string {
  return `v2/${project.split("/").map(encodeURIComponent).join("/")}/${endpoint}`;
}

/** A service below `base`, asked with a key. `refused` is called where it does not accept the key. */
export function serviceAt(base: string, key: string, refused: () => void) {
  const authorization = `Basic ${base64(`api:${key}`)}`;
  const ask = async (path: string, body: unknown, signal: AbortSignal): Promise<Response> => {
    const response = await send(new URL(path, base).href, {
      ...(body === undefined ? {} : { method: "POST", body: writeJson(body) }),
      headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      // Otherwise a browser asks for a user and a password of its own when a key is refused.
      credentials: "omit",
      signal,
    });
    if (response.ok) return response;
    if (response.status === 401) refused();
    throw new Refusal(response.status, await reasonOf(response));
  };
  return {
    get: async (path: string, signal: AbortSignal): Promise<unknown> =>
      parseJson(await (await ask(path, undefined, signal)).text()),
    post: async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> =>
      parseJson(await (await ask(path, body, signal)).text()),
    /** The lines of an answer, each parsed as soon as it is there. */
    async *lines(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
      for await (const line of linesOf(await ask(path, body, signal), signal)) yield parseJson(line);
    },
    /** The answer as a file. */
    download: async (path: string, body: unknown, signal: AbortSignal) =>
      (await ask(path, body, signal)).blob(),
  };
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Refusal(0, "The service does not answer.");
  }
}

async function* linesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const begun: string[] = [];
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const pieces = next.value.split("\n");
      const rest = pieces.pop() ?? "";
      for (const piece of pieces) yield [...begun.splice(0), piece].join("");
      begun.push(rest);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw brokenOff();
  }
}

/** Error of a truncated answer. */
export function brokenOff(): Refusal {
  return new Refusal(0, "The service broke off its answer.");
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const body = parseJson(await response.text());
    if (isJsonObject(body) && typeof body["reason"] === "string") return body["reason"];
  } catch {
    // What is not JSON is no word of the service.
  }
  return `The service answered with status ${response.status}.`;
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCodePoint(byte)).join(""));
}
