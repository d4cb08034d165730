import { SourceFault } from "../read/fault.ts";
import { recordText } from "../translate/clean.ts";
import { hashOf, stepId, trialOfCall } from "../translate/ids.ts";
import type { LogRecord } from "../translate/log-parts.ts";
import { canonicalJson } from "../../model/digest.ts";
import { parseJson, type JsonObject } from "../../model/json.ts";
import { onDay, type FoundCalls, type NamedParts, type PlacedRun, type StoredRuns } from "./place-runs.ts";

/** Records that are compared with stored ones at once. */
const AT_ONCE = 1000;
const STEPS_AT_ONCE = 16;
const PREDICT = "/predict";

interface MergedSource {
  readonly stored: StoredRuns;
  readonly runs: ReadonlyMap<string, PlacedRun>;
  readonly parts: NamedParts;
  readonly source: string;
}

/**
 * Merges a source into runs that are stored: counts the trials that change, and deletes calls that a replaced run no
 * longer has.
 */
export class RunMerge {
  readonly #from: MergedSource;
  /** New ids of calls whose own are hidden. */
  readonly #renamed = new Map<string, string>();
  /** The calls that are given, of runs that are replaced. */
  readonly #given = new Set<string>();
  /** Stored trials in error that were tried again, with their records, which are to be deleted. */
  readonly #followed: (readonly [string, string])[] = [];
  /** By run, the trials that change. */
  readonly #changed = new Map<string, Set<string>>();

  constructor(from: MergedSource) {
    this.#from = from;
  }

  /** The records as they are to be stored; `note` hears what they replace. */
  async *merged(
    records: AsyncIterable<readonly LogRecord[]>,
    note: (text: string) => void,
  ): AsyncGenerator<readonly LogRecord[]> {
    let waiting: LogRecord[] = [];
    for await (const some of records) {
      waiting.push(...some);
      const isKnown = [...this.#from.runs.values()].some(({ stored, isNamed }) => stored !== null || isNamed);
      if (isKnown && waiting.length < AT_ONCE) continue;
      yield isKnown ? await this.#merge(waiting) : waiting;
      waiting = [];
    }
    yield await this.#merge(waiting);
    for (const [root, { stored, replaces }] of this.#from.runs) {
      if (stored === null) continue;
      const before = await this.#from.stored.trialCount(root);
      if (replaces) yield* this.#deletions(root);
      const changed = this.#changed.get(root)?.size ?? 0;
      const origin = `${stored.name} (${root}) that were imported from ${stored.source}${onDay(stored)}`;
      if (changed > 0) note(`replaces ${changed} of ${before} trials of ${origin}`);
    }
  }

  /** Deletes the calls of a run that are no longer given. */
  async *#deletions(root: string): AsyncGenerator<readonly LogRecord[]> {
    const now = new Date();
    for await (const ids of this.#from.stored.callIds(root)) {
      const gone = ids.filter((id) => !this.#given.has(id));
      const { records } = await this.#from.stored.calls(gone);
      const predicts = ids.filter((id) => id.endsWith(PREDICT));
      const trials = predicts.map((id) => id.slice(0, -PREDICT.length));
      yield [...records, ...(await this.#stepsGone(trials, this.#given))].map(([id, text]) => {
        const call = parseJson(text) as JsonObject;
        this.#change(root, call);
        return deletion(id, call, now);
      });
    }
  }

  /** Stored steps of these trials that are not given; steps are numbered without gaps. */
  async #stepsGone(
    of: readonly string[],
    given: ReadonlySet<string>,
  ): Promise<(readonly [string, string])[]> {
    const gone: (readonly [string, string])[] = [];
    let trials = of;
    for (let from = 0; trials.length > 0; from += STEPS_AT_ONCE) {
      const idsOf = (trial: string) =>
        Array.from({ length: STEPS_AT_ONCE }, (_, at) => stepId(trial, from + at));
      const { records, hidden } = await this.#from.stored.calls(trials.flatMap(idsOf));
      gone.push(...[...records].filter(([id]) => !given.has(id)));
      trials = trials.filter((trial) => idsOf(trial).every((id) => records.has(id) || hidden.has(id)));
    }
    return gone;
  }

  async #merge(records: readonly LogRecord[]): Promise<LogRecord[]> {
    const ids = records.flatMap((one) => (this.#runOf(one) === null ? [] : [textOf(one.record, "id")]));
    const found = await this.#from.stored.calls(ids);
    const merged: LogRecord[] = [];
    for (const one of records) {
      const run = this.#runOf(one);
      if (run === null) merged.push(one);
      else merged.push({ ...one, record: await this.#mergeCall(one, run, found) });
    }
    return [...merged, ...(await this.#outdated(merged))];
  }

  /** Deletes trials in error that others follow, and of trials that have changed the steps that are not given. */
  async #outdated(records: readonly LogRecord[]): Promise<LogRecord[]> {
    const now = new Date();
    const given = new Set(records.map(({ record }) => textOf(record, "id")));
    const trials = records.flatMap(({ record }) => {
      const [id, root] = [textOf(record, "id"), textOf(record, "trace_id")];
      const isChanged = this.#changed.get(root)?.has(id) === true;
      return isChanged && given.has(stepId(id, 0)) ? [id] : [];
    });
    const gone = [...this.#followed, ...(await this.#stepsGone(trials, given))];
    this.#followed.length = 0;
    return gone.map(([id, text]) => deletion(id, parseJson(text) as JsonObject, now));
  }

  /** The run of a call below its root; null for anything else. */
  #runOf({ kind, record }: LogRecord): PlacedRun | null {
    if (kind === "rows" || record["parent_id"] === undefined) return null;
    return this.#from.runs.get(textOf(record, "trace_id")) ?? null;
  }

  /**
   * The call under its id. Where that is hidden, where the stored call of a replaced run has what this one has no
   * longer, or where it is a trial in error and this one is not, under the next id: what is stored would stay.
   */
  async #mergeCall({ record, place }: LogRecord, run: PlacedRun, found: FoundCalls): Promise<JsonObject> {
    const below = this.#belowParent(record);
    const first = textOf(below, "id");
    let own = below;
    for (let again = 2; ; again++) {
      const id = textOf(own, "id");
      const { records, hidden } = id === record["id"] ? found : await this.#from.stored.calls([id]);
      const text = records.get(id);
      if (text !== undefined && differs(own, text)) this.#change(textOf(own, "trace_id"), own);
      const isLeft = text !== undefined && (run.replaces ? lacks(own, text) : isOver(own, text));
      if (!hidden.has(id) && !isLeft) break;
      if (isLeft && !run.replaces) this.#followed.push([id, text]);
      own = { ...below, id: `${first}~${again}` };
    }
    if (own["id"] !== record["id"]) this.#renamed.set(textOf(record, "id"), textOf(own, "id"));
    if (run.replaces) this.#given.add(textOf(own, "id"));
    if (run.isNamed) this.#checkPart(own, place);
    return own;
  }

  /** The call below its parent, where that or its trial has another id now. */
  #belowParent(record: JsonObject): JsonObject {
    const [id, parent] = [textOf(record, "id"), textOf(record, "parent_id")];
    const trial = trialOfCall(id, parent, textOf(record, "trace_id"));
    const [renamed, around] = [this.#renamed.get(trial), this.#renamed.get(parent)];
    if (renamed === undefined && around === undefined) return record;
    const own = renamed === undefined ? id : `${renamed}${id.slice(trial.length)}`;
    return { ...record, id: own, parent_id: around ?? parent };
  }

  /** Counts the trial of a call. */
  #change(root: string, call: JsonObject): void {
    const changed = this.#changed.get(root) ?? new Set();
    const trial = trialOfCall(textOf(call, "id"), textOf(call, "parent_id"), root);
    this.#changed.set(root, changed.add(trial));
  }

  #checkPart(record: JsonObject, place: string): void {
    const id = textOf(record, "id");
    const hash = hashOf(record);
    const before = this.#from.parts.get(id);
    if (before !== undefined && before.source !== this.#from.source && before.hash !== hash)
      throw new SourceFault(
        "invalid",
        place,
        `gives the trial ${id} in another way than ${before.source}: name what tells them apart with --trial-column, or give each file another --evaluation`,
      );
    this.#from.parts.set(id, before ?? { hash, source: this.#from.source });
  }
}

function textOf(record: JsonObject, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}

function deletion(id: string, call: JsonObject, now: Date): LogRecord {
  const record = { id, project_id: textOf(call, "project_id"), deleted_at: now.toISOString() };
  return { kind: "calls", record, place: id };
}

/** Whether a stored trial is in error, and this one is not. */
function isOver(record: JsonObject, stored: string): boolean {
  if (record["parent_id"] !== record["trace_id"] || (record["exception"] ?? null) !== null) return false;
  return ((parseJson(stored) as JsonObject)["exception"] ?? null) !== null;
}

/** Whether a call changes what is stored of it. */
function differs(record: JsonObject, stored: string): boolean {
  const own = recordText(record).text;
  if (own === stored) return false;
  const before = parseJson(stored) as JsonObject;
  const now = parseJson(own) as JsonObject;
  return Object.entries(now).some(
    ([name, value]) => value !== null && canonicalJson(value) !== canonicalJson(before[name] ?? null),
  );
}

/** Whether what is stored of a call has a member that the call no longer has. */
function lacks(record: JsonObject, stored: string): boolean {
  const before = parseJson(stored) as JsonObject;
  return Object.keys(before).some((name) => before[name] !== null && (record[name] ?? null) === null);
}
