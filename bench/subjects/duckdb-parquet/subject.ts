import type { Answer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import type { Database } from "../duckdb-json/database.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";
import { openFiles, writeFiles } from "./load.ts";
import { readPage } from "./page.ts";
import { summarise } from "./summarise.ts";

/** SQL written by hand over Parquet files with a typed column for all that is asked. */
export function duckdbParquet(): Subject {
  const database = holder<Database>("duckdb-parquet", (opened) => opened.close());
  return {
    name: "duckdb-parquet",
    load: async (files, store) => {
      await writeFiles(files, store);
      await database.replace(openFiles(store));
    },
    open: async (_files, store) => database.replace(openFiles(store)),
    answer: async (question) => answer(database.get(), question),
    add: null,
    close: async () => database.close(),
  };
}

async function answer(database: Database, question: Question): Promise<Answer> {
  const { page } = question;
  const found = page === null ? null : await readPage(database, question, page);
  return {
    rows: found?.rows ?? [],
    total_rows: found?.total ?? 0,
    summary: question.summary ? await summarise(database, question) : null,
    warnings: [],
  };
}
