import { seededRandom, type Random } from "../../../src/stats/random.ts";
import { operationWriter, type Operation, type Weights } from "./operations.ts";
import type { Session } from "./sessions.ts";

/** What the next session finds: the disk at the end of this one, or after a kill, a torn write or a power cut in it. */
export type Next = "end" | "kill" | "torn" | "cut";

export interface Scenario {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly sessions: readonly (Session & { readonly next: Next })[];
}

type Make = (random: Random) => Omit<Scenario, "name">;

const EVERYTHING: Weights = {
  evaluation: 3,
  update: 4,
  late: 3,
  delete: 2,
  rows: 2,
  feedback: 2,
  job: 1,
  event: 2,
  checkpoint: 1,
  model: 1,
};

const library = (count: number, end: Session["end"], next: Next = "end") =>
  ({ by: "library", count, end, next }) as const;

const MAKES: Readonly<Record<string, Make>> = {
  "a new file": (random) => ({
    operations: operationWriter(random)(8, EVERYTHING),
    sessions: [library(8, "kill")],
  }),
  "a new file that is closed": (random) => ({
    operations: operationWriter(random)(8, EVERYTHING),
    sessions: [library(8, "close")],
  }),
  "a grown file": (random) => ({
    operations: operationWriter(random, 200)(22, EVERYTHING),
    sessions: [library(12, "close"), library(10, "close")],
  }),
  "updates after a log was replayed": (random) => {
    const write = operationWriter(random);
    return {
      operations: [...write(3, { evaluation: 1 }), ...write(10, { update: 1 })],
      sessions: [
        library(3, "kill"),
        library(0, "close"),
        library(5, "kill"),
        library(0, "close"),
        library(5, "kill"),
      ],
    };
  },
};

/** The scenarios, or those whose name has `only` in it. */
export function scenarios(seed: number, only: string): Scenario[] {
  return Object.entries(MAKES)
    .map(([name, make], i) => ({ name, ...make(seededRandom(seed * 1000 + i)) }))
    .filter(({ name }) => name.includes(only));
}
