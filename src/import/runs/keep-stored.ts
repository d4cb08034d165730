import type { LogRecord } from "../translate/log-parts.ts";
import { canonicalJson } from "../../model/digest.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { objectAt, textAt } from "../read/members.ts";
import type { StoredRuns } from "./place-runs.ts";

/** Records that are compared with stored ones at once. */
const AT_ONCE = 1000;

/** Leaves out calls that are stored already. */
export class StoredStays {
  /** Records that were left out. */
  left = 0;
  #trials = 0;
  #stored = 0;
  #deleted = 0;
  #other = 0;
  /** The last call of a trial, and whether it was left out: calls below it come next. */
  #last: { readonly id: string; readonly isLeft: boolean } | null = null;
  readonly #runs: StoredRuns;

  constructor(runs: StoredRuns) {
    this.#runs = runs;
  }

  /** The records that are not stored. */
  async *kept(records: AsyncIterable<readonly LogRecord[]>): AsyncGenerator<readonly LogRecord[]> {
    let waiting: LogRecord[] = [];
    for await (const some of records) {
      waiting.push(...some);
      if (waiting.length < AT_ONCE) continue;
      yield await this.#new(waiting);
      waiting = [];
    }
    yield await this.#new(waiting);
  }

  /** What is to be said when all was read. */
  notes(): string[] {
    const [stored, trials] = [this.#stored, this.#trials];
    return [
      ...(stored > 0 && stored === trials ? [`0 stored: all ${trials} trials are stored already`] : []),
      ...(stored > 0 && stored < trials
        ? [`${stored} of ${trials} trials are stored already; they stay`]
        : []),
      ...(this.#other > 0 ? [otherNote(this.#other)] : []),
      ...(this.#deleted > 0 ? [`${this.#deleted} of ${trials} trials were deleted here, and stay so`] : []),
    ];
  }

  async #new(records: readonly LogRecord[]): Promise<LogRecord[]> {
    const ids = records.flatMap(({ kind, record }) => (kind === "calls" ? [textAt(record, "id") ?? ""] : []));
    const calls = await this.#runs.calls(ids);
    const kept = records.filter(({ kind, record }) => {
      if (kind === "rows") return true;
      const id = textAt(record, "id") ?? "";
      const stored = calls.records.get(id);
      return !this.#isLeft(record, id, stored, calls.hidden.has(id));
    });
    this.left += records.length - kept.length;
    return kept;
  }

  /** Whether a call is left out; below a trial, whether that is. */
  #isLeft(record: JsonObject, id: string, stored: string | undefined, isHidden: boolean): boolean {
    const parent = textAt(record, "parent_id");
    if (parent !== null && parent === this.#last?.id) return this.#last.isLeft;
    const isLeft = stored !== undefined || isHidden;
    if (parent === null) return isLeft;
    this.#last = { id, isLeft };
    this.#trials++;
    if (isHidden) this.#deleted++;
    else if (stored !== undefined) this.#stored++;
    if (stored !== undefined && differs(record, parseJson(stored))) this.#other++;
    return isLeft;
  }
}

function otherNote(count: number): string {
  const have = count === 1 ? "trial has" : "trials have";
  return `${count} stored ${have} another output or other scores than here; what is stored stays`;
}

/**
 * Whether a trial has an output or scores that the stored one has otherwise; what one of them does not have is no
 * difference.
 */
function differs(record: JsonObject, stored: Json): boolean {
  const [own, before] = [objectAt(record, "output"), objectAt(stored, "output")];
  return (
    isOther(own["output"] ?? null, before["output"] ?? before["model_output"] ?? null) ||
    isOther(own["scores"] ?? null, before["scores"] ?? null)
  );
}

function isOther(own: Json, before: Json): boolean {
  if (own === null || before === null) return false;
  if (isJsonObject(own) && isJsonObject(before))
    return Object.entries(own).some(([name, one]) => isOther(one, before[name] ?? null));
  return canonicalJson(own) !== canonicalJson(before);
}
