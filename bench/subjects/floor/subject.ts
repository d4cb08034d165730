import { rm } from "node:fs/promises";
import type { Answer } from "../../answer.ts";
import type { Question } from "../../question.ts";
import { evalcube } from "../evalcube/subject.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";
import { openFile, type OpenFile } from "./open-file.ts";
import { writePage } from "./write-page.ts";
import { writeSummary } from "./write-summary.ts";

/** SQL written by hand over evalcube's own tables, and the least JavaScript that writes the same bytes. */
export function floor(): Subject {
  const file = holder<OpenFile>("floor", (opened) => opened.close());
  const text = async (question: Question): Promise<string | null> => write(file.get(), question);
  return {
    name: "floor",
    load: async (files, store) => {
      await rm(store, { force: true });
      const writer = evalcube();
      await writer.load(files, store);
      await writer.close();
      await file.replace(openFile(files, store));
    },
    open: async (files, store) => file.replace(openFile(files, store)),
    answer: async (question) => {
      const written = await text(question);
      if (written === null) return null;
      const answer: Answer = JSON.parse(written);
      return answer;
    },
    text,
    add: null,
    close: async () => file.close(),
  };
}

async function write(file: OpenFile, question: Question): Promise<string | null> {
  const { page, filter, summary } = question;
  if (filter !== null && filter.kind !== "score above") return null;
  if (page === null) return filter === null && !question.intersection ? writeSummary(file, question) : null;
  return summary ? null : writePage(file, question, page);
}
