import { sortedScore, type Question } from "../../question.ts";
import type { OpenFile } from "./open-file.ts";

/** What statements name instead of ids and paths. */
export interface Keys {
  /** In the order of the question. */
  readonly evaluations: readonly number[];
  /** The score that questions sort and filter by. */
  readonly sortedPath: number;
  readonly trialsPerRow: number;
}

export function keysOf({ evaluations, paths, trialsPerRow }: OpenFile, question: Question): Keys {
  return {
    evaluations: question.evaluationIds.map((id) => known(evaluations.find((one) => one.id === id)?.key, id)),
    sortedPath: known(paths.get(JSON.stringify(sortedScore)), "the score"),
    trialsPerRow,
  };
}

function known(key: number | undefined, name: string): number {
  if (key === undefined) throw new Error(`floor: ${name} is not in the file`);
  return key;
}
