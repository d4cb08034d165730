/** Opens a database, loads the sources given as JSON, each by itself, and ends: by SIGKILL, or after closing it. */
import { openEngine } from "../../src/index.ts";

const [path = "", end = "", sources = "[]"] = process.argv.slice(2);
const engine = await openEngine({ path, threads: 1 });
for (const source of JSON.parse(sources) as object[][]) await engine.ingestCalls(source);
if (end === "close") await engine.close();
else process.kill(process.pid, "SIGKILL");
