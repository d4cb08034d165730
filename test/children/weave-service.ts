import { createHttpHandler } from "../../src/http/handler.ts";
import type { KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { openEngine } from "../../src/index.ts";

/** Run by tests in a process that they kill: the database and the keys that it takes. */
const [, , path = "", keys = ""] = process.argv;
const engine = await openEngine({ path, threads: 1 });
const handler = createHttpHandler(engine, { keys: JSON.parse(keys) as KeysFile });
const { url } = await serveHttp(handler, { port: 0 });
process.stdout.write(`${url}\n`);
