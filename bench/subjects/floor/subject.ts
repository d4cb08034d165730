import { rm } from "node:fs/promises";
import type { PartialAnswer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { openDatabase, type Database } from "../duckdb-json/database.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";
import { loadNarrow } from "./load.ts";
import { orderedRows, scoreSums } from "./questions.ts";

/** A bare aggregate over narrow columns: the least that any engine must read. It answers without trials or inputs. */
export function floor(): Subject {
  const database = holder<Database>("floor", (opened) => opened.close());
  return {
    name: "floor",
    load: async (files, store) => {
      await rm(store, { force: true });
      await database.replace(openDatabase(store));
      await loadNarrow(database.get(), files);
    },
    open: async (_files, store) => database.replace(openDatabase(store)),
    answer: async (question) => answer(database.get(), question),
    add: null,
    close: async () => database.close(),
  };
}

async function answer(database: Database, question: Question): Promise<PartialAnswer | null> {
  const { page, filter, summary } = question;
  if (filter !== null && filter.kind !== "score above") return null;
  if (page === null) return filter === null && !question.intersection ? scoreSums(database, question) : null;
  return summary || page.rawDataRows ? null : orderedRows(database, question, page);
}
