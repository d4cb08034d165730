import type { Answer, PartialAnswer } from "../answer.ts";
import type { DataFiles } from "../generate/files.ts";
import type { Question } from "../question.ts";

/** 100 calls that arrive after the load, in both forms that a subject may want. */
export interface LateBatch {
  readonly calls: readonly Record<string, unknown>[];
  readonly file: string;
}

/** One way to answer the questions of the benchmark. */
export interface Subject {
  readonly name: string;
  /** Reads the files into `store` (a path for the subject's own file or folder) and stays open. */
  load(files: DataFiles, store: string): Promise<void>;
  /** Opens what an earlier `load` left in `store`. */
  open(files: DataFiles, store: string): Promise<void>;
  /** Null: this subject does not answer such questions. */
  answer(question: Question): Promise<Answer | PartialAnswer | null>;
  /** The response as text, of subjects that answer with evalcube's bytes: these are compared, too. */
  readonly text?: (question: Question) => Promise<string | null>;
  /** Null: this subject takes no calls after its load. */
  readonly add: ((batch: LateBatch) => Promise<void>) | null;
  close(): Promise<void>;
}
