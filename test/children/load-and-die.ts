import { RunReader } from "../../src/engine/import/stored-runs.ts";
import { setTimeout as pause } from "node:timers/promises";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { createWriters } from "../../src/clickhouse/load/writers.ts";
import { createStore } from "../../src/clickhouse/store.ts";
import { parquetFiles } from "../../src/duckdb/parquet/parquet.ts";
import { createLoading } from "../../src/engine/load-records.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { mortal } from "../support/clickhouse-mortal.ts";

/**
 * Opens a database on ClickHouse and says `open`. Then it loads the source that it gets as JSON on a line of its standard input, with the
 * number of a request and a time in milliseconds: so long after it begins that request, it kills itself; at once, before the server
 * gets it, where the time is negative; after the answer where it is null. It says `survived` where the load ends before.
 */
const [url = "", database = ""] = process.argv.slice(2);

interface Order {
  readonly source: readonly object[];
  readonly step: number;
  readonly after: number | null;
}

function kill(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

async function load({ source, step, after }: Order): Promise<void> {
  const { through } = mortal(step, async (request) => {
    if (after !== null && after < 0) return kill();
    const answered = request();
    if (after === null) await answered;
    else await pause(after);
    return kill();
  });
  const writers = createWriters(through(opened), new AbortController().signal);
  const { conventions } = opened;
  const parquet = parquetFiles({ read: () => Promise.reject(new Error("no Parquet here")) });
  const loading = createLoading({
    parquet,
    conventions,
    loader: createLoader(writers, conventions),
    stored: (project) => new RunReader(createStore(opened), project),
  });
  await loading.ingestCalls(source);
}

const opened = await openDatabase({ url, database }, {}, false);
process.stdout.write("open\n");
let line = "";
for await (const text of process.stdin.setEncoding("utf8")) {
  line += String(text);
  if (line.endsWith("\n")) break;
}
await load(JSON.parse(line) as Order);
process.stdout.write("survived\n");
process.exit();
