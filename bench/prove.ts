import { rm } from "node:fs/promises";
import path from "node:path";
import type { DataFiles } from "./generate/files.ts";
import { firstDifference } from "./canonical.ts";
import { plainJavaScript } from "./subjects/javascript/subject.ts";
import type { Subject } from "./subjects/subject.ts";
import type { QueryWorkload } from "./workloads.ts";

/** A subject gave another answer than plain JavaScript: its times would mean nothing. */
export class WrongAnswer extends Error {
  constructor(subject: string, workload: QueryWorkload, found: string) {
    super(`${subject} answers (${workload.letter}) ${workload.title} wrongly at ${found}`);
    this.name = "WrongAnswer";
  }
}

/**
 * Loads the files into the subject and compares its answers with those of plain JavaScript.
 * Throws WrongAnswer at the first difference; gives the letters of the workloads that the subject answers.
 */
export async function proveSubject(
  subject: Subject,
  files: DataFiles,
  workloads: readonly QueryWorkload[],
): Promise<string[]> {
  const right = plainJavaScript();
  const store = path.join(files.folder, `proof-${process.pid}-${subject.name}`);
  const proven: string[] = [];
  try {
    await right.load(files, "");
    await subject.load(files, store);
    for (const workload of workloads) {
      const answer = await subject.answer(workload.question);
      if (answer === null) continue;
      const expected = await right.answer(workload.question);
      const found = firstDifference(answer, expected);
      if (found !== null) throw new WrongAnswer(subject.name, workload, found);
      proven.push(workload.letter);
    }
  } finally {
    await subject.close();
    await rm(store, { recursive: true, force: true });
    await rm(`${store}.wal`, { force: true });
  }
  return proven;
}
