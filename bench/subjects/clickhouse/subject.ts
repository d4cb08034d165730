import { rm } from "node:fs/promises";
import type { Answer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { answerPage } from "../answer-page.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";
import { openDatabase, type Database } from "./database.ts";
import { addCalls, loadTables } from "./load.ts";
import { readPage } from "./page.ts";
import { summarise } from "./summarise.ts";

/** The reference system's query shape on ClickHouse: row digest and scores come out of JSON text at query time. */
export function clickhouse(): Subject {
  const database = holder<Database>("clickhouse", async (opened) => opened.close());
  return {
    name: "clickhouse",
    load: async (files, store) => {
      await rm(store, { recursive: true, force: true });
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
  const calls = page === null ? null : await readPage(database, question, page);
  return {
    rows: calls === null ? [] : answerPage(calls, question),
    total_rows: calls?.totalRows ?? 0,
    summary: question.summary ? await summarise(database, question) : null,
    warnings: [],
  };
}
