import { rmSync } from "node:fs";
import path from "node:path";
import type { Verdict } from "./check-state.ts";
import type { Checkers } from "./checkers.ts";
import type { Files } from "./disk.ts";
import { writeFolder } from "./folders.ts";
import { buildStates, type BuiltState, type State } from "./states.ts";
import type { Entry } from "./trace.ts";

export const DATABASE = "evals.duckdb";

/** One recorded session: the disk before it, what it did, how many operations were stored before, and how many it had to do. */
export interface Recorded {
  readonly before: Files;
  readonly entries: readonly Entry[];
  readonly trace: string;
  readonly done: number;
  readonly count: number;
  /** A file of what is expected after each operation of the scenario. */
  readonly expected: string;
}

export interface CheckedState extends Verdict {
  readonly state: State;
}

/** Builds the states of a session and lets every checker have one at a time. */
export async function checkStates(
  checkers: Checkers,
  recorded: Recorded,
  states: readonly State[],
  folder: string,
): Promise<CheckedState[]> {
  const built = buildStates(recorded.before, recorded.entries, states);
  const checked: CheckedState[] = [];
  const work = async (worker: number): Promise<void> => {
    for (const one of built) {
      const verdict = await checkBuilt(checkers, recorded, one, path.join(folder, `state-${worker}`));
      checked.push({ state: one.state, ...verdict });
    }
  };
  await Promise.all(Array.from({ length: checkers.count }, (_, worker) => work(worker)));
  return checked;
}

/** Every acknowledged operation must be there, and at most the one that was under way. */
export async function checkBuilt(
  checkers: Checkers,
  { done, count, expected }: Recorded,
  { files, acknowledged }: BuiltState,
  folder: string,
): Promise<Verdict> {
  writeFolder(folder, files);
  const from = done + acknowledged;
  const to = done + Math.min(count, acknowledged + 1);
  try {
    return await checkers.check({ database: path.join(folder, DATABASE), expected, from, to });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
