import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";
import { createHttpHandler, type HandlerOptions } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { basic } from "../http/running-service.ts";
import { recordDatabase } from "../support/record-database.ts";

/** A service over an engine of its own, and keys for it. */
export interface WeaveService {
  readonly engine: Engine;
  readonly url: string;
  /** Authorization of user `ann`, for `acme/*`, and of `eve`, for `other/project`. */
  readonly ann: string;
  readonly annBearer: string;
  readonly eve: string;
  /** Posts a JSON text or a value. */
  readonly post: (path: string, body: unknown, init?: { readonly as?: string }) => Promise<Response>;
  readonly stop: () => Promise<void>;
}

export async function startWeave(
  options: Partial<HandlerOptions> = {},
  engineOptions: EngineOptions = {},
): Promise<WeaveService> {
  const engine = await openEngine({ ...(await recordDatabase()), ...engineOptions });
  const ann = generateKey("ann", ["acme/*"], new Date());
  const eve = generateKey("eve", ["other/project"], new Date());
  const keys = { version: 1 as const, keys: [ann.entry, eve.entry] };
  const handler = createHttpHandler(engine, { keys, ...options });
  const running = await serveHttp(handler, { port: 0, graceMs: 200 });
  const authorization = { ann: basic(ann.key), annBearer: `Bearer ${ann.key}`, eve: basic(eve.key) };
  return {
    engine,
    url: running.url,
    ...authorization,
    post: (path, body, { as = authorization.ann } = {}) =>
      fetch(running.url + path, {
        method: "POST",
        headers: { authorization: as, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    stop: async () => {
      await running.stop();
      await engine.close();
    },
  };
}
