import type { DataFiles } from "../generate/files.ts";
import type { Question } from "../question.ts";
import type { SubjectName } from "../subjects/registry.ts";

/** What a process that holds one subject is started with. */
export interface Assignment {
  readonly subject: SubjectName;
  readonly files: DataFiles;
  readonly store: string;
}

export type Command =
  | { readonly kind: "load" }
  | { readonly kind: "open" }
  /** Untimed: warms up, and gives a hash of the whole answer. */
  | { readonly kind: "check"; readonly question: Question }
  | { readonly kind: "answer"; readonly question: Question }
  | { readonly kind: "add" }
  | { readonly kind: "concurrent"; readonly questions: readonly Question[] };

/** `milliseconds` is null when the subject does not do such a thing. */
export interface Reply {
  readonly milliseconds: number | null;
  /** Most memory that the process has held so far. */
  readonly peakBytes: number;
  readonly hash?: string;
  /** Of the answer as text, from subjects that promise the same bytes. */
  readonly textHash?: string;
  /** Of the same questions one after the other. */
  readonly sequentialMilliseconds?: number;
  /** The longest time that the event loop stood still. */
  readonly blockedMilliseconds?: number;
  /** How late a timer of one millisecond was at most in 99 of 100 turns. */
  readonly delayMilliseconds?: number;
  readonly error?: string;
}
