import { rm } from "node:fs/promises";
import type { Answer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { answerPage } from "../answer-page.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";
import { openDatabase, type Database } from "./database.ts";
import { hydrate } from "./hydrate.ts";
import { addCalls, loadTables } from "./load.ts";
import { selectPage } from "./select-page.ts";
import { summarise } from "./summarise.ts";

/** SQL written by hand over a table of calls with JSON columns. */
export function duckdbJson(): Subject {
  const database = holder<Database>("duckdb-json", (opened) => opened.close());
  return {
    name: "duckdb-json",
    load: async (files, store) => {
      await rm(store, { force: true });
      await database.replace(openDatabase(store));
      await loadTables(database.get(), files);
    },
    open: async (_files, store) => database.replace(openDatabase(store)),
    answer: async (question) => answer(database.get(), question),
    add: async (batch) => addCalls(database.get(), batch.file),
    close: async () => database.close(),
  };
}

async function answer(database: Database, question: Question): Promise<Answer> {
  const { page } = question;
  const selected = page === null ? null : await selectPage(database, question, page);
  const calls = selected === null || page === null ? null : await hydrate(database, selected, page);
  return {
    rows: calls === null ? [] : answerPage(calls, question),
    total_rows: selected?.totalRows ?? 0,
    summary: question.summary ? await summarise(database, question) : null,
    warnings: [],
  };
}
