import type { Answer } from "../../answer.ts";
import type { DataFiles } from "../../generate/files.ts";
import type { Question } from "../../question.ts";
import { answerRows } from "../answer-rows.ts";
import type { Subject } from "../subject.ts";
import { parseLines, readCalls, readRows, type Objects } from "./objects.ts";
import { orderRows, selectRows } from "./select-rows.ts";
import { summarise } from "./summarise.ts";

export interface CompleteSubject extends Subject {
  answer(question: Question): Promise<Answer>;
}

/** Objects in memory, grouped with Maps for every question. The other subjects must answer as it does. */
export function plainJavaScript(): CompleteSubject {
  const objects: Objects = { trials: new Map(), roots: new Map(), rows: new Map() };
  const load = async (files: DataFiles): Promise<void> => {
    await readRows(files.rows, objects);
    await readCalls(parseLines(files.calls), objects);
  };
  return {
    name: "javascript",
    load,
    open: load,
    answer: async (question) => answer(objects, question),
    add: async (batch) => readCalls(batch.calls, objects),
    close: async () => {
      for (const part of Object.values(objects)) part.clear();
    },
  };
}

function answer(objects: Objects, question: Question): Answer {
  const groups = selectRows(objects, question);
  const { page } = question;
  const digests =
    page === null ? [] : orderRows(groups, question).slice(page.offset, page.offset + page.limit);
  return {
    rows: answerRows(digests, groups, question.evaluationIds, (first) =>
      page?.rawDataRows === true ? (objects.rows.get(first.digest) ?? first.example) : null,
    ),
    total_rows: page === null ? 0 : groups.size,
    summary: question.summary ? summarise(objects, groups, question) : null,
    warnings: [],
  };
}
