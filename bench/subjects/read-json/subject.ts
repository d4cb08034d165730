import { rm } from "node:fs/promises";
import { createCallTable } from "../duckdb-json/load.ts";
import { openDatabase, type Database } from "../duckdb-json/database.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";

/** DuckDB's `read_json` of the calls into a table, and nothing else: what a load would take that makes nothing of them. */
export function readJson(): Subject {
  const database = holder<Database>("read-json", (opened) => opened.close());
  return {
    name: "read-json",
    load: async (files, store) => {
      await rm(store, { force: true });
      await database.replace(openDatabase(store));
      await createCallTable(database.get(), files);
      await database.get().run("checkpoint");
    },
    open: async (_files, store) => database.replace(openDatabase(store)),
    answer: () => Promise.resolve(null),
    add: null,
    close: async () => database.close(),
  };
}
