import type { Json } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";

/** Filters of a task that can be told apart. */
const MOST_FILTERS = 40;
const FIRST_BASE = 64;

/** A line of a samples file among the lines of its document. */
interface Met {
  readonly filter: string;
  /** Whether it makes the trial: its filter is the one under which the document came first. */
  readonly isTrial: boolean;
  /** Whether the document came under this filter before. */
  readonly isAgain: boolean;
}

/** Which documents of a task came under which filters. A document takes one number, as there may be millions of them. */
export class Documents {
  readonly #states = new Map<Json, number>();
  readonly #filters: string[] = [];
  readonly #listed: readonly string[];
  repeated = 0;

  /** `listed`: the filters of the task, for lines that do not say theirs. */
  constructor(listed: readonly string[]) {
    this.#listed = listed.length === 0 ? ["none"] : listed;
  }

  get count(): number {
    return this.#states.size;
  }

  /** Counts a line. Throws where there are too many filters. */
  meet(id: Json, filter: string | null, place: string): Met {
    const met = filter === null ? this.#byOrder(id) : this.#byName(id, filter, place);
    if (met.isAgain) this.repeated++;
    return met;
  }

  /** The lines of a document come in the order of the filters. */
  #byOrder(id: Json): Met {
    const before = this.#states.get(id) ?? 0;
    this.#states.set(id, before + 1);
    const at = before % this.#listed.length;
    return { filter: this.#listed[at] ?? "none", isTrial: at === 0, isAgain: before >= this.#listed.length };
  }

  #byName(id: Json, filter: string, place: string): Met {
    let at = this.#filters.indexOf(filter);
    if (at < 0) at = this.#filters.push(filter) - 1;
    if (at >= MOST_FILTERS)
      throw new SourceFault("invalid", place, `has a filter beyond the first ${MOST_FILTERS}`);
    const state = this.#states.get(id) ?? at;
    const first = state % FIRST_BASE;
    const bit = FIRST_BASE * 2 ** at;
    const isAgain = Math.floor(state / bit) % 2 === 1;
    if (!isAgain) this.#states.set(id, state + bit);
    return { filter, isTrial: first === at, isAgain };
  }
}
