import { canonicalJson } from "../../../model/digest.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { formatTimestamp } from "../../../model/timestamp.ts";
import type { LogItem, LogTrial } from "../../translate/log-parts.ts";
import type { BegunTrials } from "./begun-trials.ts";
import type { TableRoles } from "./find-roles.ts";

/** What one rater said of a trial. */
interface Rating {
  /** The trial as the record of the rater has it. */
  readonly trial: LogTrial;
  readonly rater: string;
  /** By score, what gives no value. */
  readonly texts: { readonly [key: string]: Json };
}

/** With more raters, their names are no members of scores. */
const MOST_NAMED = 20;

const NAMELESS = "unnamed";

/** Joins the records of the raters of one trial; all of a table are held, since those of a trial may lie anywhere. */
export class Ratings {
  readonly #trials = new Map<string, Rating[]>();
  readonly #raters = new Set<string>();
  readonly #metadata: readonly string[];

  constructor({ metadata }: TableRoles) {
    this.#metadata = metadata;
  }

  add(trial: string, { rater, ...rating }: Rating): void {
    const named = { ...rating, rater: rater === "" ? NAMELESS : rater };
    this.#raters.add(named.rater);
    const found = this.#trials.get(trial);
    if (found === undefined) this.#trials.set(trial, [named]);
    else found.push(named);
  }

  /** The trials, each with a member of its scores for each rater. */
  *items(begun: BegunTrials): Generator<LogItem> {
    begun.trials = this.#trials.size;
    const apart = this.#metadata.filter((column) =>
      this.#differs(({ trial }) => trial.details[column] ?? null),
    );
    const hasTimes = this.#differs(({ trial }) => String(trial.startedAt));
    for (const ratings of this.#trials.values()) {
      const trial = this.#joined(ratings, apart, hasTimes);
      begun.count(trial);
      yield { kind: "trial", trial };
    }
  }

  #differs(of: (rating: Rating) => Json): boolean {
    return [...this.#trials.values()].some(
      (ratings) => new Set(ratings.map((one) => canonicalJson(of(one)))).size > 1,
    );
  }

  #joined(ratings: readonly Rating[], apart: readonly string[], hasTimes: boolean): LogTrial {
    const sorted = ratings.toSorted((a, b) => (a.rater < b.rater ? -1 : 1));
    const [first] = ratings;
    if (first === undefined) throw new RangeError("a trial without ratings");
    const isNumbered = this.#raters.size > MOST_NAMED;
    const names = [...new Set(sorted.map(({ rater }) => rater))];
    const nameOf = (rater: string) => (isNumbered ? String(names.indexOf(rater) + 1) : rater);
    const scores: { [key: string]: { [rater: string]: Json } } = {};
    const details: { [key: string]: { [rater: string]: Json } } = {};
    for (const { rater, trial, texts } of sorted)
      for (const [key, value] of Object.entries(trial.scores)) {
        const name = nameOf(rater);
        (scores[key] ??= {})[name] = value;
        const said: JsonObject = {
          ...(isNumbered ? { rater } : {}),
          ...pick(trial.details, apart),
          ...(hasTimes && trial.startedAt != null ? { started_at: formatTimestamp(trial.startedAt) } : {}),
          ...(texts[key] as JsonObject | undefined),
        };
        if (Object.keys(said).length > 0) (details[key] ??= {})[name] = said;
      }
    const shared = Object.entries(first.trial.details).filter(([column]) => !apart.includes(column));
    const failed = ratings.find(({ trial }) => trial.error != null);
    return {
      ...first.trial,
      error: failed?.trial.error ?? null,
      scores,
      details: { ...Object.fromEntries(shared), ...details },
    };
  }
}

function pick(details: { readonly [name: string]: Json }, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (name in details ? [[name, details[name] ?? null]] : [])),
  );
}
