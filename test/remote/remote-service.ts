import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import type { Right } from "../../src/model/rights.ts";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";

/** A service over an engine in this process, and keys for it. */
export interface RemoteService {
  readonly url: string;
  readonly key: (can: Right, project?: string) => string;
  /** An engine over HTTP. */
  readonly open: (options?: EngineOptions) => Promise<Engine>;
  readonly stop: () => Promise<void>;
  /** Serves the same with the same keys once more. */
  readonly restart: (port: number) => Promise<RemoteService>;
}

type Key = ReturnType<typeof makeKey>;

function makeKey(can: Right, project: string) {
  return { can, project, ...generateKey("ann", [project], new Date(0), can) };
}

/** Keys that can read, write or do all, and one for other projects. */
function makeKeys(): readonly Key[] {
  return [makeKey("admin", "*"), makeKey("read", "*"), makeKey("write", "*"), makeKey("admin", "other/*")];
}

export async function startRemote(engine: Engine, port = 0, keys = makeKeys()): Promise<RemoteService> {
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: keys.map(({ entry }) => entry) } });
  const running = await serveHttp(handler, { port, graceMs: 200 });
  const keyOf: RemoteService["key"] = (can, project = "*") =>
    keys.find((one) => one.can === can && one.project === project)?.key ?? "";
  return {
    url: running.url,
    key: keyOf,
    open: (options = {}) => openEngine({ url: running.url, key: keyOf("admin"), ...options }),
    stop: async () => {
      await running.stop();
      await handler.close();
    },
    restart: (again) => startRemote(engine, again, keys),
  };
}
