import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { PROJECT } from "../../support/records.ts";
import { operationWriter, type Operation, type Weights } from "./operations.ts";
import type { Session } from "./sessions.ts";
import type { State } from "./states.ts";

/** Operations of one user after another, and the processes that do them. */
export interface Scenario {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** `next` is what the next session finds: the disk at the end of this one, or one rebuilt of any moment in it. */
  readonly sessions: readonly (Session & { readonly next: "end" | State["kind"] })[];
  /** Share of the states that other scenarios have, where states are large. */
  readonly share?: number;
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
const CALLS: Weights = { evaluation: 2, update: 3, late: 2 };

const library = (count: number, end: Session["end"], next: "end" | State["kind"] = "end", threads = 1) =>
  ({ by: "library", count, end, next, threads }) as const;
const ingest = (count: number) => ({ by: "ingest", count, end: "close", next: "end" }) as const;
const serve = (count: number, end: Session["end"]) => ({ by: "serve", count, end, next: "end" }) as const;

/** Some evaluations, then operations of other kinds, by sessions of so many each that are killed, with a closing in between. */
const replayed =
  (weights: Weights, each: number, first: Session["end"]): Make =>
  (random) => {
    const write = operationWriter(random);
    return {
      operations: [...write(3, { evaluation: 1 }), ...write(3 * each, weights)],
      sessions: [
        library(3, first),
        library(0, "close"),
        library(each, "kill"),
        library(0, "close"),
        library(each, "kill"),
        library(each, "close"),
      ],
    };
  };

/** Sessions of which each finds what a stop at any moment of the one before has left. */
const stops =
  (kinds: readonly State["kind"][]): Make =>
  (random) => ({
    operations: operationWriter(random)(4 * kinds.length + 4, EVERYTHING),
    sessions: [...kinds.map((kind) => library(4, "kill", kind)), library(4, "close")],
  });

const large = (id: string): Operation => ({ kind: "large", id, trials: 2500, bytes: 8000 });
const largeUpdate = (id: string, from: number, count: number): Operation => ({
  kind: "calls",
  records: Array.from({ length: count }, (_, i) => ({
    id: `${id}-t${from + i}`,
    project_id: PROJECT,
    output: { output: `changed ${i}`, scores: { acc: i, other: true } },
  })),
});

const MAKES: Readonly<Record<string, Make>> = {
  "a new file": (random) => ({
    operations: operationWriter(random)(10, EVERYTHING),
    sessions: [library(10, "kill")],
  }),
  "a new file that is closed": (random) => ({
    operations: operationWriter(random)(8, EVERYTHING),
    sessions: [library(8, "close", "end", 2)],
  }),
  "the first moments of a file": () => ({
    operations: [],
    sessions: [library(0, "kill"), library(0, "close")],
  }),
  "a grown file": (random) => ({
    operations: operationWriter(random, 100)(24, EVERYTHING),
    sessions: [library(12, "close"), library(8, "close"), library(4, "close")],
  }),
  "a grown file whose process is killed": (random) => ({
    operations: operationWriter(random, 100)(24, CALLS),
    sessions: [library(14, "close"), library(10, "kill"), library(0, "close")],
  }),
  "updates after a log was replayed": replayed({ update: 1 }, 5, "kill"),
  "updates after a closing": replayed({ update: 1 }, 5, "close"),
  "deletes after a log was replayed": replayed({ delete: 3, evaluation: 1 }, 4, "kill"),
  "late scores after a log was replayed": replayed({ late: 1 }, 5, "kill"),
  "late scores, updates and deletes": replayed({ late: 2, update: 2, delete: 1 }, 6, "close"),
  "dataset rows": replayed({ rows: 3, evaluation: 1 }, 5, "kill"),
  feedback: replayed({ feedback: 1 }, 12, "kill"),
  "training jobs and events": replayed({ job: 2, event: 4, checkpoint: 2, model: 1 }, 10, "kill"),
  "kills one after another": stops(["kill", "kill", "kill", "kill", "kill"]),
  "power cuts one after another": stops(["cut", "cut", "cut", "cut", "cut"]),
  "torn writes one after another": stops(["torn", "torn", "torn", "torn"]),
  "kills, torn writes and power cuts": stops(["cut", "kill", "torn", "kill", "cut", "torn"]),
  "a load larger than the log, in a new file": () => ({
    operations: [large("e1"), largeUpdate("e1", 0, 50), large("e2")],
    sessions: [library(3, "kill"), library(0, "close")],
    share: 0.4,
  }),
  "a load larger than the log, in a grown file": (random) => {
    const write = operationWriter(random);
    return {
      operations: [
        ...write(6, EVERYTHING),
        large("e100"),
        ...write(3, EVERYTHING),
        largeUpdate("e100", 100, 2000),
      ],
      sessions: [library(6, "close"), library(5, "close", "end", 2)],
      share: 0.4,
    };
  },
  "the command that loads, into a new file": (random) => ({
    operations: operationWriter(random)(8, { ...CALLS, rows: 2 }),
    sessions: [ingest(8)],
  }),
  "the command that loads, into a grown file": (random) => ({
    operations: operationWriter(random, 100)(16, { ...CALLS, rows: 2 }),
    sessions: [library(6, "kill"), ingest(6), ingest(4)],
  }),
  "the service, on a new file": (random) => ({
    operations: operationWriter(random)(20, { feedback: 4, job: 2, model: 1 }),
    sessions: [serve(14, "kill"), serve(6, "close")],
  }),
  "the service, on a grown file": (random) => {
    const write = operationWriter(random);
    return {
      operations: [...write(6, EVERYTHING), ...write(20, { feedback: 4, job: 2, model: 1 })],
      sessions: [library(6, "kill"), serve(10, "close"), serve(10, "kill")],
    };
  },
};

/** The scenarios, or those whose name has `only` in it. */
export function scenarios(seed: number, only: string): Scenario[] {
  return Object.entries(MAKES)
    .map(([name, make], i) => ({ name, ...make(seededRandom(seed * 1000 + i)) }))
    .filter(({ name }) => name.includes(only));
}
