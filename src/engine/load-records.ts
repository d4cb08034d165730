import { EvalcubeError } from "../errors.ts";
import { recognizeKind, type RecordKind } from "../ingest/formats/record-kind.ts";
import { objectSource, type RecordSource } from "../ingest/formats/record-source.ts";
import type { IngestOptions, IngestResult } from "../ingest/load.ts";
import { createLoader } from "../ingest/loader.ts";
import type { Engine } from "./api.ts";
import type { QueryContext } from "./context.ts";
import { checkDeletion, checkFileIngest, checkIngest } from "./ingest-checks.ts";
import { openSources, type IngestSource } from "./sources/open-sources.ts";

/** Stores call records that the process made itself; resolves when they are durable. Throws as `ingestCalls` does. */
export type StoreCalls = (records: readonly object[], signal?: AbortSignal) => Promise<IngestResult>;

interface Loading extends Pick<Engine, "ingestCalls" | "ingestRows" | "ingestFile" | "deleteCalls"> {
  readonly storeCalls: StoreCalls;
}

/** Creates the members of an engine that load records. */
export function createLoading(context: QueryContext): Loading {
  const loader = createLoader(context.store, context.conventions);
  const load: Load = (kind, source, options) => loader(kind, { source, options, alone: false });
  return {
    storeCalls: (records, signal) =>
      load("calls", objectSource(records, "records"), signal === undefined ? {} : { signal }),
    ingestCalls: async (source, options = {}) => {
      checkIngest(options);
      return await loadEach(context, source, (one) => load("calls", one, options));
    },
    ingestRows: async (source, options = {}) => {
      checkIngest(options);
      return await loadEach(context, source, (one) => load("rows", one, options));
    },
    ingestFile: async (source, options = {}) => {
      checkFileIngest(options);
      const one = await openOne(context, source);
      const { kind } = options;
      return kind === undefined
        ? await loadRecognized(one, options, load)
        : { kind, ...(await load(kind, one, options)) };
    },
    deleteCalls: async (projectId, ids, options = {}) => {
      checkDeletion(projectId, ids, options);
      const deleted_at = new Date();
      const records = ids.map((id) => ({ project_id: projectId, id, deleted_at }));
      return await loader("calls", { source: objectSource(records, "deletions"), options, alone: true });
    },
  };
}

type Load = (kind: RecordKind, source: RecordSource, options: IngestOptions) => Promise<IngestResult>;

async function openOne({ store }: QueryContext, source: IngestSource): Promise<RecordSource> {
  const [first, ...others] = await openSources(store, source);
  if (first === undefined || others.length > 0)
    throw new EvalcubeError("invalid_source", "ingestFile takes one source");
  return first;
}

async function loadRecognized(source: RecordSource, options: IngestOptions, load: Load) {
  const { kind, source: recognized, close } = await recognizeKind(source);
  try {
    return { kind, ...(await load(kind, recognized, options)) };
  } finally {
    await close();
  }
}

async function loadEach(
  { store }: QueryContext,
  source: IngestSource,
  load: (one: RecordSource) => Promise<IngestResult>,
): Promise<IngestResult> {
  let total: IngestResult = { received: 0, stored: 0, unchanged: 0, rejected: [], unknown_members: {} };
  for (const one of await openSources(store, source)) total = addResults(total, await load(one));
  return total;
}

function addResults(a: IngestResult, b: IngestResult): IngestResult {
  const members = new Map(Object.entries(a.unknown_members));
  for (const [name, count] of Object.entries(b.unknown_members))
    members.set(name, (members.get(name) ?? 0) + count);
  return {
    received: a.received + b.received,
    stored: a.stored + b.stored,
    unchanged: a.unchanged + b.unchanged,
    rejected: [...a.rejected, ...b.rejected],
    unknown_members: Object.fromEntries(members),
  };
}
