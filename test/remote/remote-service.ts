import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import type { Right } from "../../src/model/rights.ts";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";

/** A service over an engine in this process, and keys for it. */
export interface RemoteService {
  readonly url: string;
  readonly key: (can: Right, projects?: readonly string[]) => string;
  /** An engine over HTTP. */
  readonly open: (options?: EngineOptions) => Promise<Engine>;
  readonly stop: () => Promise<void>;
}

const KEYS = [
  ["admin", ["*"]],
  ["read", ["*"]],
  ["write", ["*"]],
  ["admin", ["other/*"]],
] as const;

export async function startRemote(engine: Engine): Promise<RemoteService> {
  const keys = KEYS.map(([can, projects]) => ({
    can,
    projects,
    ...generateKey("ann", projects, new Date(0), can),
  }));
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: keys.map(({ entry }) => entry) } });
  const running = await serveHttp(handler, { port: 0, graceMs: 200 });
  const keyOf: RemoteService["key"] = (can, projects = ["*"]) =>
    keys.find((one) => one.can === can && one.projects[0] === projects[0])?.key ?? "";
  return {
    url: running.url,
    key: keyOf,
    open: (options = {}) => openEngine({ url: running.url, key: keyOf("admin"), ...options }),
    stop: async () => {
      await running.stop();
      await handler.close();
    },
  };
}
