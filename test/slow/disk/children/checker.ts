import { readFileSync } from "node:fs";
import { checkState, type Verdict } from "../check-state.ts";
import type { Expected } from "../expected.ts";

/** Checks one database after another, each in answer to a message. */
export interface Question {
  readonly database: string;
  /** A file of what is expected after each operation. */
  readonly expected: string;
  readonly from: number;
  readonly to: number;
}

let read: { readonly file: string; readonly expected: readonly Expected[] } | null = null;

function expectedIn(file: string): readonly Expected[] {
  if (read?.file !== file) read = { file, expected: JSON.parse(readFileSync(file, "utf8")) as Expected[] };
  return read.expected;
}

async function answer({ database, expected, from, to }: Question): Promise<Verdict> {
  try {
    return await checkState(database, expectedIn(expected), from, to);
  } catch (error) {
    const { code } = error as { code?: string };
    const message = error instanceof Error ? error.message : String(error);
    return {
      problems: [`${code ?? "error"}: ${message.replaceAll(database, "DATABASE").slice(0, 400)}`],
      prefix: null,
    };
  }
}

process.on("message", (question: Question) => {
  void answer(question).then((verdict) => process.send?.(verdict));
});
process.on("disconnect", () => process.exit(0));
