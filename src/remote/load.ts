import { UnsupportedError } from "../errors.ts";
import { addCounts, addResults } from "../engine/load-batches.ts";
import { noCounts, type CallCounts, type LoadCounts } from "../ingest/counts.ts";
import type { RecordKind } from "../ingest/formats/record-kind.ts";
import type { IngestResult } from "../ingest/load.ts";
import { kindOf, type Loader } from "../ingest/loader.ts";
import { noTally, readBatches, type Load, type RecordReader } from "../ingest/read-load.ts";
import { isCall } from "../ingest/writer.ts";
import { DEFAULT_CONVENTIONS } from "../model/conventions.ts";
import { createTurnTaker } from "../model/turns.ts";
import { Lane } from "./lane.ts";
import type { RemoteSession } from "./session.ts";

/** A record that is to be sent as it came. */
interface Sendable {
  readonly text: string;
  readonly projectId: string;
  readonly kind: RecordKind;
  readonly unknownMembers: readonly string[];
}

/** Reads a record, so that a faulty one is refused in the words and at the place of a load into a file. */
function readerOf(kind: RecordKind | "mixed", { options }: Load): RecordReader<Sendable> {
  const { name, parse } = kindOf(kind, DEFAULT_CONVENTIONS).reader(options);
  return {
    name,
    parse: (text, forms) => {
      const record = parse(text, forms);
      const own = isCall(record) ? "calls" : "rows";
      return { text, projectId: record.projectId, kind: own, unknownMembers: [] };
    },
  };
}

/** Sends the records of a source, those of each project to its own route; others refuse none of them. */
export function remoteLoader(session: RemoteSession): Loader {
  /** What the sources before one counted, where one caller loads several. */
  const before = new WeakMap<LoadCounts, CallCounts>();
  return async (kind, load) =>
    await session.change(async (signal) => {
      refuseOptions(load.options);
      const own = await send(session, kind, { ...load, options: { ...load.options, signal } }, signal);
      const result = { ...own, ...sumOf(before.get(load.counts) ?? NOTHING, own) };
      const counts = noCounts();
      before.set(counts, result);
      return { result, counts };
    }, load.options.signal);
}

function refuseOptions({ partial, sender }: Load["options"]): void {
  if (partial === true)
    throw new UnsupportedError("partial", "partial is not offered over HTTP; load whole calls");
  if (sender !== undefined)
    throw new UnsupportedError("sender", "sender is not offered over HTTP: the key says who sends");
}

async function send(
  { connection }: RemoteSession,
  kind: RecordKind | "mixed",
  load: Load,
  signal: AbortSignal,
): Promise<IngestResult> {
  const { name: source } = load.source;
  const skipsInvalid = load.options.onInvalid === "skip";
  const tally = noTally();
  const lanes = new Map<string, Lane>();
  const laneOf = ({ kind: own, projectId }: Sendable): Lane => {
    const name = `${own} ${projectId}`;
    const ofLane = { source, projectId, kind: own, skipsInvalid, signal };
    const lane = lanes.get(name) ?? new Lane(connection, ofLane);
    lanes.set(name, lane);
    return lane;
  };
  try {
    for await (const { records } of readBatches(load, readerOf(kind, load), tally, createTurnTaker()))
      for (const { record, position } of records) await laneOf(record).add(record.text, position);
    const results: IngestResult[] = [];
    for (const lane of lanes.values()) results.push(await lane.end());
    const rejected = tally.rejected.map(({ position, path, cause }) => ({
      source,
      position,
      path,
      reason: cause instanceof Error ? cause.message : "",
    }));
    const sum = results.reduce(bothOf, NOTHING);
    return { ...sum, received: tally.received, rejected: [...rejected, ...sum.rejected] };
  } catch (error) {
    for (const lane of lanes.values()) lane.leave(error);
    throw error;
  }
}

const NOTHING: IngestResult = {
  received: 0,
  stored: 0,
  unchanged: 0,
  rejected: [],
  unknown_members: {},
  epoch_times: {},
  evaluations: 0,
  trials: 0,
  unattached: 0,
  unused_ops: {},
};

/** The sum of loads into different projects, or of different kinds. */
function bothOf(a: IngestResult, b: IngestResult): IngestResult {
  return { ...addResults(a, b), ...sumOf(a, b) };
}

function sumOf(a: CallCounts, b: CallCounts): CallCounts {
  return {
    evaluations: a.evaluations + b.evaluations,
    trials: a.trials + b.trials,
    unattached: a.unattached + b.unattached,
    unused_ops: addCounts(a.unused_ops, b.unused_ops),
  };
}
