import { rm } from "node:fs/promises";
import type { Answer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { answerPage } from "../answer-page.ts";
import type { Subject } from "../subject.ts";
import { openDatabase, type Database } from "./database.ts";
import { addCalls, loadTables } from "./load.ts";
import { readPage } from "./page.ts";
import { summarise } from "./summarise.ts";

/** The reference system's query shape on ClickHouse: row digest and scores come out of JSON text at query time. */
export function clickhouse(): Subject {
  let database: Database | null = null;
  const opened = (): Database => {
    if (database === null) throw new Error("clickhouse: nothing is open");
    return database;
  };
  return {
    name: "clickhouse",
    load: async (files, store) => {
      await rm(store, { recursive: true, force: true });
      database = await openDatabase(store);
      await loadTables(database, files);
    },
    open: async (_files, store) => {
      database = await openDatabase(store);
    },
    answer: async (question) => answer(opened(), question),
    add: async (batch) => addCalls(opened(), batch.file),
    close: async () => {
      await database?.close();
      database = null;
    },
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
