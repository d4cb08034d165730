import type { InputPath } from "../errors.ts";

/** The text by which a request names an evaluation, and where it stands there. */
export interface EvaluationName {
  readonly text: string;
  readonly place: InputPath;
}

/** Gives the id of the evaluation that a name stands for. */
export type IdOf = (name: EvaluationName) => string;

/** The names in a member that lists them. */
export function namesIn(texts: readonly string[] | null | undefined, member: string): EvaluationName[] {
  return (texts ?? []).map((text, i) => ({ text, place: [member, i] }));
}

/** The name in a member that may hold one. */
export function nameAt(text: string | null | undefined, place: InputPath): EvaluationName | null {
  return text == null ? null : { text, place };
}
