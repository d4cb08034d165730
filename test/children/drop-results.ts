import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openStore } from "../../src/duckdb/store.ts";
import { join, sql } from "../../src/store/sql.ts";
import { settle, until } from "../support/until.ts";

// Reads results of one row and twenty columns, for which DuckDB takes some 100 KiB each, lets them go, and then asks the database for
// nothing. Ends with status 0 once half of what they took is given back.
const ROUNDS = 30;
const AT_ONCE = 20;
const COLUMNS = Array.from({ length: 20 }, () => sql`random()`);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const residentBytes = () => process.memoryUsage().rss;

const store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
const ask = () => store.read((session) => session.rows(sql`SELECT ${join(COLUMNS)}`), undefined);
await ask();
const before = residentBytes();
for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: AT_ONCE }, ask));
const most = residentBytes();
collectGarbage();
await settle();
await until("half of the memory is given back", () => residentBytes() < (before + most) / 2);
await store.close();
