import { identity, type ScorePathEntry } from "../../ingest/keys/catalog.ts";
import type { CallIdentity, KnownCall } from "../../ingest/lookup/known-call.ts";
import type { ParsedCall } from "../../ingest/record/call-record.ts";
import { collectScores } from "../../ingest/write/collect-scores.ts";
import { nullColumns, pathColumns, columnsOfScores } from "../../ingest/write/score-columns.ts";
import { noScoreValues } from "../../ingest/write/score-values.ts";
import { NO_STEP, stepColumns } from "../../ingest/write/step-columns.ts";
import { errorColumns, trialColumns, type WritableTrial } from "../../ingest/write/trial-columns.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { Column } from "../../store/session.ts";
import { PARTS } from "../lookup/call-histories.ts";
import { clickHouseDocument } from "../insert/clickhouse-document.ts";
import type { Known, StoredPlace } from "../lookup/dictionaries.ts";
import { grouped } from "../../model/grouped.ts";
import { identifyCall, keyOf } from "../lookup/identify.ts";
import type { Outbox, Records } from "../insert/outbox.ts";
import type { Projects } from "../lookup/projects.ts";
import type { BinaryValue } from "../insert/row-binary.ts";
import type { RowChanges } from "../../ingest/write/row-entries.ts";

/** A record of a call as it was sent, and its place in the load. */
interface Fragment {
  readonly call: KnownCall;
  readonly record: ParsedCall;
  readonly position: number;
  /** Whether the call has records before it: what all of them make is then stored, too. */
  readonly isLater: boolean;
}

/** Adds records of calls, and what calls are of which some are not the first. */
export function addFragments(outbox: Outbox, { known }: Known, calls: readonly Fragment[]): void {
  const keys = calls.map(({ call, record }) => {
    const parent = namedParent(known, call, record);
    return {
      project: known.key(call.projectKey),
      call: keyOf(call),
      parent: parent === null ? 0n : keyOf(parent),
      group: keyOf(groupOf(call, record, parent)),
    };
  });
  outbox.add("fragments", calls.length, {
    project_key: keys.map(({ project }) => project),
    group_key: keys.map(({ group }) => group),
    call_key: keys.map(({ call }) => call),
    position: calls.map(({ position }) => position),
    parent_key: keys.map(({ parent }) => parent),
    part: calls.map(({ record }) => PARTS.indexOf(record.part)),
    name_rank: calls.map(({ record }) => record.nameRank),
    record: calls.map(({ record }) => record.text),
    record_doc: documentsOf(calls.map(({ record }) => record.text)),
  });
  const groups = [...new Map(keys.map((one) => [`${one.call} ${one.group}`, one])).values()];
  outbox.add("call_groups", groups.length, {
    project_key: groups.map(({ project }) => project),
    call_key: groups.map(({ call }) => call),
    group_key: groups.map(({ group }) => group),
  });
  const merged = new Map<string, MergedCall>();
  for (const [i, { call, position, isLater }] of calls.entries())
    if (isLater) merged.set(call.identity, { call, group: keys[i]?.group ?? 0n, position });
  addMergedCalls(outbox, known, [...merged.values()]);
}

/** The parent that a record names. Mostly its call has that one by now: equal ids within a project are one call. */
function namedParent(known: Projects, call: KnownCall, { parentId }: ParsedCall): CallIdentity | null {
  if (parentId === null) return null;
  return call.parent?.id === parentId ? call.parent : identifyCall(known, call.projectKey, parentId);
}

/**
 * The trial that a record belongs to: its call, or the parent that it names. Where it names none, as ends do, its call
 * says what it is by now.
 */
function groupOf(call: KnownCall, { call: read }: ParsedCall, named: CallIdentity | null): CallIdentity {
  const parent = named ?? call.parent;
  const trial = (named === null ? call.call : read)?.trial ?? null;
  return parent === null || trial !== null ? call : parent;
}

/** Adds what calls tell of their place and of steps; trials and roots are not asked. */
export function addCallSteps(outbox: Outbox, projects: Projects, calls: readonly Told[]): void {
  const told = calls.filter(({ call }) => call.isStored || isBelow(call));
  const values = stepColumns(
    told.map(({ call }) => ({ key: keyOf(call), step: (isBelow(call) ? call.call?.step : null) ?? NO_STEP })),
  );
  outbox.add("call_steps", told.length, {
    ...byName(values),
    project_key: told.map(({ call }) => projects.key(call.projectKey)),
    parent_key: told.map(({ call }) => (call.parent === null ? 0n : keyOf(call.parent))),
    position: told.map(({ position }) => position),
    began: told.map(({ call }) => isBelow(call)),
    hidden: told.map(({ call }) => call.hidden),
    id: told.map(({ call }) => call.id),
    parent_id: told.map(({ call }) => call.parent?.id ?? ""),
    started_at: told.map(({ call }) => call.columns.startedAt ?? 0n),
    ended_at: told.map(({ call }) => call.columns.endedAt),
  });
}

/** A call as it stands, and the place of what made it so. */
interface Told {
  readonly call: KnownCall;
  readonly position: number;
}

/** Whether steps may be below a call, or it is one. */
function isBelow({ parent, call }: KnownCall): boolean {
  return parent !== null && call !== null && call.trial === null;
}

/** What all records of a call make; `group` is one in which it has records. */
interface MergedCall {
  readonly call: KnownCall;
  readonly group: bigint;
  readonly position: number;
}

/** Adds calls that have several records. */
export function addMergedCalls(outbox: Outbox, projects: Projects, merged: readonly MergedCall[]): void {
  const texts = merged.map(({ call }) => call.text);
  outbox.add("merged_calls", merged.length, {
    project_key: merged.map(({ call }) => projects.key(call.projectKey)),
    group_key: merged.map(({ group }) => group),
    call_key: merged.map(({ call }) => keyOf(call)),
    position: merged.map(({ position }) => position),
    record: texts,
    record_doc: documentsOf(texts),
  });
}

/** Adds versions of trials and their scores; `first`: where the calls of the trials were first stored, by identity. */
export async function addTrials(
  outbox: Outbox,
  known: Known,
  all: readonly WritableTrial[],
  first: ReadonlyMap<string, StoredPlace>,
  turns: TurnTaker,
): Promise<void> {
  for (const [project, trials] of grouped(all, ({ projectKey }) => projectKey)) {
    const projectKey = known.known.key(project);
    const add = (table: Parameters<Outbox["add"]>[0], columns: Records) => {
      const length = columns["trial_key"]?.length ?? 0;
      outbox.add(table, length, { ...columns, project_key: Array.from({ length }, () => projectKey) });
    };
    const places = trials.map(({ call }) => first.get(identity(project, call.id)) ?? NOWHERE);
    const columns: Records = {
      ...byName(trialColumns(trials)),
      first_load: places.map(({ load }) => load),
      first_position: places.map(({ position }) => position),
    };
    add("trials", columns);
    add("trial_texts", {
      ...columns,
      output_doc: documentsOf(columns["output"]),
      late_scores_doc: documentsOf(columns["late_scores"]),
      example_doc: documentsOf(columns["example"]),
    });
    const values = noScoreValues();
    const { nulls, touchedPaths } = await collectScores(known, trials, values, turns);
    add("scores", scoreRecords(byName(await columnsOfScores(values, turns))));
    add("null_scores", byName(nullColumns(nulls)));
    add("errored_trials", byName(errorColumns(trials)));
    addPaths(outbox, projectKey, known, touchedPaths);
  }
}

const NOWHERE: StoredPlace = { load: 0n, position: 0 };

function byName(columns: readonly Column[]): Record<string, ArrayLike<BinaryValue>> {
  return Object.fromEntries(columns.map(({ name, values }) => [name, values]));
}

function documentsOf(texts: ArrayLike<BinaryValue> = []): (string | null)[] {
  return Array.from(texts, (text) =>
    typeof text === "string" || text instanceof Uint8Array ? clickHouseDocument(text) : null,
  );
}

/** Added to the kind of a score value whose number means nothing. */
const NO_NUMBER = 4;

function scoreRecords(columns: Records): Records {
  const { kind = [], number = [], text = [] } = columns;
  return {
    ...columns,
    kind: Array.from(kind, (one, i) => Number(one) + ((number[i] ?? null) === null ? NO_NUMBER : 0)),
    number: Array.from(number, (one) => one ?? 0),
    text: Array.from(text, (one) => one ?? ""),
  };
}

function addPaths(outbox: Outbox, projectKey: bigint, known: Known, touched: Iterable<ScorePathEntry>): void {
  const paths = [...touched];
  // Paths are known in the order in which they were met.
  const positions = new Map([...known.scorePaths.values()].map((path, i) => [path, i]));
  outbox.add("score_paths", paths.length, {
    ...byName(pathColumns(paths)),
    project_key: paths.map(() => projectKey),
    position: paths.map((path) => positions.get(path) ?? 0),
  });
}

/** Adds what a batch changes in rows. `position` is that of the batch in its load. */
export function addRows(
  outbox: Outbox,
  projects: Projects,
  { created, changed, values }: RowChanges,
  position: number,
): void {
  const rows = [...new Set([...created, ...changed, ...values.keys()])];
  const projectKeys = rows.map((row) => projects.key(row.projectKey));
  const texts = rows.map((row) => values.get(row) ?? null);
  const examples = rows.map((row) => row.inlineExample);
  outbox.add("rows", rows.length, {
    project_key: projectKeys,
    row_key: rows.map((row) => row.key),
    position: rows.map(() => position),
    digest: rows.map((row) => row.digest),
    value: texts,
    value_doc: documents(texts),
    inline_example: examples,
    inline_doc: documents(examples),
    referenced: rows.map((row) => row.referenced),
    respelled: rows.map((row) => row.respelled),
  });
  const made = [...created];
  outbox.add("row_digests", made.length, {
    project_key: made.map((row) => projects.key(row.projectKey)),
    digest: made.map((row) => row.digest),
    row_key: made.map((row) => row.key),
  });
}

function documents(texts: readonly (string | null)[]): (string | null)[] {
  return texts.map((one) => (one === null ? null : clickHouseDocument(one)));
}
