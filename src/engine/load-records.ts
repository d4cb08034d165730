import { EvalcubeError, IngestError, StoreError } from "../errors.ts";
import { recognizeKind, type RecordKind } from "../ingest/formats/record-kind.ts";
import { objectSource, textSource, type RecordSource } from "../ingest/formats/record-source.ts";
import type { IngestOptions, IngestResult } from "../ingest/load.ts";
import type { Loader } from "../ingest/loader.ts";
import { noCounts } from "../ingest/counts.ts";
import type { LoadResult } from "../ingest/write-loads.ts";
import type { LoadContext } from "./base/load-context.ts";
import type { Deletion, Loading } from "./loading.ts";
import { createIntake, createInterrupts, type Interrupts } from "../flow/tasks.ts";
import { addResults, loadInBatches } from "./load-batches.ts";
import { PROJECT_ID } from "../model/project-id.ts";
import { openSources, type IngestSource } from "../ingest/sources/open-sources.ts";
import type { ParquetFiles } from "../ingest/formats/parquet-files.ts";
import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import { checkOptions, checkProjectId, oneOf, RULE, type OptionRules } from "../flow/check-options.ts";

/**
 * Stores call records that the process made itself and does not change; resolves when they are durable. Throws as
 * `ingestCalls` does.
 */
export type StoreCalls = (records: readonly object[], signal?: AbortSignal) => Promise<IngestResult>;

/**
 * Stores records from their JSON texts in one transaction; resolves when they are durable. Throws as `ingestCalls`
 * does.
 */
export type StoreTexts = (texts: readonly string[], signal?: AbortSignal) => Promise<IngestResult>;

interface LoadingAndStoring extends Loading {
  /** Refuses loads from now on; resolves when those that were asked for before have ended. */
  readonly endLoads: () => Promise<void>;
  /** Ends the loads that are under way or wait, which reject with `reason`. */
  readonly interruptLoads: (reason: unknown) => void;
  readonly storeCalls: StoreCalls;
  readonly storeParts: StoreTexts;
  readonly storeRows: StoreTexts;
}

/** Creates the members of an engine that load records. */
export function createLoading(context: LoadContext): LoadingAndStoring {
  const { parquet } = context;
  const { around, interrupt } = createInterrupts();
  const loadRecords = loadingWithin(around, context);
  const loader: Loader = (kind, one) =>
    withImportHint(one.source.name, parquet, () => loadRecords(kind, one));
  const load: Load = async (kind, source, options) =>
    (await loader(kind, { source, options, alone: false, counts: noCounts() })).result;
  const { take, close } = createIntake();
  return {
    ...createStoring((...given) => take(() => load(...given))),
    endLoads: close,
    interruptLoads: interrupt,
    ingestCalls: (source, options = {}) =>
      take(() => {
        checkOptions(options, CALL_RULES);
        return loadEach(context, loader, "calls", source, options);
      }),
    ingestRows: (source, options = {}) =>
      take(() => {
        checkOptions(options, INGEST_RULES);
        return loadEach(context, loader, "rows", source, options);
      }),
    ingestFile: (source, options = {}) =>
      take(async () => {
        checkOptions(options, FILE_RULES);
        const one = await openOne(context, source);
        const { kind, batchBytes, ...own } = options;
        const loadOne = batchBytes === undefined ? load : inBatches(loader, batchBytes);
        if (kind === undefined) return await loadRecognized(one, own, loadOne);
        return { kind, ...(await loadOne(kind, one, own)) };
      }),
    importEvaluations: (source, options) =>
      take(async () => {
        // The formats of other tools are a fifth of the package.
        const { importEvaluations } = await import("./import/import-evaluations.ts");
        return await importEvaluations(context, loadRecords, source, options);
      }),
    deleteCalls: (...given) => take(() => deleteCalls(loader, ...given)),
  };
}

function loadingWithin(
  around: Interrupts["around"],
  { loader, user }: Pick<LoadContext, "loader" | "user">,
): Loader {
  return (kind, one) =>
    around(
      (signal) =>
        loader(kind, { ...one, options: { ...one.options, signal, user: one.options.user ?? user } }),
      one.options.signal,
    );
}

async function deleteCalls(
  loader: Loader,
  projectId: string,
  ids: readonly string[],
  options: IngestOptions = {},
): Promise<Deletion> {
  checkDeletion(projectId, ids, options);
  const deleted_at = new Date();
  const records = ids.map((id) => ({ project_id: projectId, id, deleted_at }));
  const source = objectSource(records, "deletions");
  const { counts } = await loader("calls", { source, options, alone: true, counts: noCounts() });
  return { hidden: counts.hidden };
}

function optionsWith(signal: AbortSignal | undefined): IngestOptions {
  return signal === undefined ? {} : { signal };
}

/** The members that store what the process has in memory. */
function createStoring(load: Load): Pick<LoadingAndStoring, "storeCalls" | "storeParts" | "storeRows"> {
  return {
    storeCalls: (records, signal) =>
      load("calls", objectSource(records, "records", true), optionsWith(signal)),
    storeParts: (texts, signal) =>
      load("calls", textSource(texts, "records"), { ...optionsWith(signal), partial: true }),
    storeRows: (texts, signal) => load("rows", textSource(texts, "rows"), optionsWith(signal)),
  };
}

type Load = (kind: RecordKind, source: RecordSource, options: IngestOptions) => Promise<IngestResult>;

function inBatches(loader: Loader, batchBytes: number): Load {
  return (kind, source, { onProgress, ...options }) =>
    loadInBatches(source, { mostBytes: batchBytes, onProgress }, (batch, counts) =>
      loader(kind, { source: batch, options, alone: false, counts }),
    );
}

async function openOne({ parquet }: LoadContext, source: IngestSource): Promise<RecordSource> {
  const [first, ...others] = await openSources(parquet.groups, source);
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
  { parquet }: LoadContext,
  loader: Loader,
  kind: RecordKind,
  source: IngestSource,
  options: IngestOptions,
): Promise<IngestResult> {
  let total: LoadResult | null = null;
  for (const one of await openSources(parquet.groups, source)) {
    const counts = total?.counts ?? noCounts();
    const loaded = await loader(kind, { source: one, options, alone: false, counts });
    total = total === null ? loaded : { ...loaded, result: addResults(total.result, loaded.result) };
  }
  if (total === null) throw new EvalcubeError("no_source", "there is nothing to load");
  return total.result;
}

/** Codes of errors at the begin of a source that is no source of records. */
const AT_BEGIN = new Set(["invalid_schema", "no_source", "invalid_source"]);

/** Adds to the error of a load that the file is a log or a table, which `import` reads. */
async function withImportHint<T>(name: string, parquet: ParquetFiles, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof StoreError && error.code === "out_of_memory" && !error.message.startsWith(name))
      error.message = `${name}: ${error.message}`;
    const isAtBegin =
      error instanceof IngestError
        ? error.position <= 1
        : error instanceof EvalcubeError && AT_BEGIN.has(error.code);
    const format = isAtBegin ? await formatOf(name, parquet).catch(() => null) : null;
    if (format !== null && error instanceof Error)
      error.message += `; this is ${format === "table" ? "a table" : `a log of the format ${format}`}, which evalcube import (importEvaluations) reads`;
    throw error;
  }
}

async function formatOf(name: string, parquet: ParquetFiles): Promise<string | null> {
  const { formatOfFile } = await import("../import/sources/recognised-sources.ts");
  const { parquetFileColumns } = await import("./import/parquet-file.ts");
  return formatOfFile(name, (file) => parquetFileColumns(parquet, file));
}

const senderSchema = z.strictObject({
  projectId: z.string().regex(PROJECT_ID),
  user: z.string().min(1),
  mayDelete: z.boolean(),
});

const INGEST_RULES: OptionRules = {
  onInvalid: oneOf("fail", "skip"),
  signal: RULE.signal,
  onProgress: RULE.callback,
  user: { allowed: "a name", fits: (value) => typeof value === "string" },
  sender: {
    allowed: "projectId, user and mayDelete",
    fits: (value) => senderSchema.safeParse(value).success,
  },
};

const CALL_RULES: OptionRules = { ...INGEST_RULES, partial: RULE.flag };
const FILE_RULES: OptionRules = {
  ...INGEST_RULES,
  kind: oneOf("calls", "rows"),
  batchBytes: {
    allowed: "a number of bytes above 0",
    fits: (value) => typeof value === "number" && value > 0,
  },
};

/** Throws where the arguments of `deleteCalls` are not those that it takes. */
export function checkDeletion(projectId: unknown, ids: unknown, options: unknown): void {
  checkProjectId(projectId);
  checkArgument(ids, z.array(z.string().min(1)), ["ids"]);
  checkOptions(options, INGEST_RULES);
}
