/** Compiled by `npm run check`, never run: what a program may say with the types of the package. */
import type { RecordBatch, Table, tableToIPC } from "apache-arrow";
import type { z } from "zod";
import type * as arrow from "../../src/arrow-exports.ts";
import type * as api from "../../src/index.ts";
import type { evalResultsRequestSchema } from "../../src/schemas.ts";

/** Every exported type. */
export type Types = readonly [
  api.AddedCheckpoint,
  api.Adjustment,
  api.AgreementRequest,
  api.AgreementResponse,
  api.AgreementSide,
  api.ArrowStream,
  api.Authenticate,
  api.Authenticated,
  api.BootstrapDescription,
  api.Caller,
  api.CallRecord,
  api.CheckResult,
  api.ClickHouseOptions,
  api.CompareRequest,
  api.Comparison,
  api.ComparisonAnswer,
  api.ComparisonMethod,
  api.Condition,
  api.ConfusionMatrix,
  api.CorrectedMean,
  api.CreateFeedbackOptions,
  api.CreateJobOptions,
  api.Engine,
  api.DatasetOption,
  api.DatasetRowRecord,
  api.EngineOptions,
  api.EpochUnit,
  api.EvalResultsRequest,
  api.EvalResultsResponse,
  api.EvaluateOptions<unknown, unknown>,
  api.EvaluationEntry,
  api.EvaluationLogger,
  api.EvaluationOptions,
  api.EvaluationProgress,
  api.EvaluationRun,
  api.EvaluationSummary,
  api.EvaluationUsage,
  api.ExplainedStatement,
  api.Explanation,
  api.ExportFormat,
  api.ExportOptions,
  api.Feedback,
  api.FeedbackBy,
  api.FeedbackItem,
  api.FeedbackPage,
  api.FeedbackRecord,
  api.FileIngestOptions,
  api.FileIngestResult,
  api.Filter,
  api.FinishOptions,
  api.HandlerOptions,
  api.Histogram,
  api.HttpHandler,
  api.IngestOptions,
  api.IngestProgress,
  api.IngestResult,
  api.IngestSource,
  api.InputPath,
  api.Interval,
  api.IntervalMethod,
  api.JobHook,
  api.JudgeAccuracy,
  api.Json,
  api.JsonObject,
  api.ListFeedbackOptions,
  api.LoggedExample,
  api.Logging,
  api.ModelOption,
  api.Maintenance,
  api.Missing,
  api.Moved,
  api.NdjsonStream,
  api.NewCheckpoint,
  api.NewEvent,
  api.Outcome,
  api.Outcomes,
  api.OutputDetails,
  api.OutputStream,
  api.Page<unknown>,
  api.PageQuery,
  api.PassK,
  api.Prediction,
  api.Problem,
  api.PurgeFeedbackSelection,
  api.RecordBatchLike,
  api.RecordKind,
  api.RegisterModelOptions,
  api.RecordOf<{ n: bigint }>,
  api.RejectedRecord,
  api.RequestIssue,
  api.ResultRow,
  api.RunningService,
  api.ScoreDetails,
  api.ScoredTrial<unknown, unknown>,
  api.Scorer<unknown, unknown>,
  api.ScorerStats,
  api.ScoreValue,
  api.ServeOptions,
  api.SortKey,
  api.SqlExportOptions,
  api.SqlOptions,
  api.StatementParameters,
  api.StatementValue,
  api.StoredCheckpoint,
  api.StoredEvent,
  api.StoreWarning,
  api.Summary,
  api.TableLike,
  api.TableOf<{ n: bigint }>,
  api.TableOptions,
  api.TaskContext,
  api.TokenCounts,
  api.Training,
  api.TrainingJob,
  api.TrainingModel,
  api.Trial,
  api.Uncertainty,
  api.Usage,
  api.UsageLog,
  api.UsageRecord,
  api.UsageSink,
  api.UsageStats,
  api.Verdict,
  api.WireOperand,
  api.WriteOptions,
];

type Same<A, B> = [A, B] extends [B, A] ? true : false;
type True<T extends true> = T;

type Checked = z.input<typeof evalResultsRequestSchema>;
type Mutable<T> = T extends readonly unknown[]
  ? Mutable<T[number]>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
    : T;
type FilterOf<T> = NonNullable<T> extends readonly (infer One)[] ? Omit<One, "query"> : never;

/** Every exported value, and that the request which is written by hand is the one that the schema takes. */
export type Checks = readonly [
  True<
    Same<
      keyof typeof api,
      | "createHttpHandler"
      | "EvalcubeError"
      | "EvaluationFailed"
      | "ImportError"
      | "IngestError"
      | "openEngine"
      | "RequestError"
      | "serveHttp"
      | "StoreError"
      | "UnsupportedError"
    >
  >,
  True<Same<typeof arrow.tableToIPC, typeof tableToIPC>>,
  True<Same<keyof api.EvalResultsRequest, keyof Checked>>,
  True<
    Same<
      Required<Mutable<Omit<api.EvalResultsRequest, "filters">>>,
      Required<Mutable<Omit<Checked, "filters">>>
    >
  >,
  True<Same<Mutable<FilterOf<api.EvalResultsRequest["filters"]>>, FilterOf<Checked["filters"]>>>,
];

/** The optional members that refuse `undefined`. */
type Refusing<T> = {
  [K in keyof T]-?: object extends Pick<T, K>
    ? { [P in K]: undefined } extends Pick<T, K>
      ? never
      : K
    : never;
}[keyof T];

/** The same of several types, as one union. */
type RefusingOf<All extends readonly unknown[]> = { [I in keyof All]: Refusing<All[I]> }[number];

/** Whoever passes options on may leave undefined what they were not given, under `exactOptionalPropertyTypes` too. */
export type Undefined = readonly [
  True<
    Same<
      RefusingOf<
        [
          api.AgreementRequest,
          api.ClickHouseOptions,
          api.CompareRequest,
          api.CreateJobOptions,
          api.EngineOptions,
          api.EvalResultsRequest,
          api.EvaluateOptions<unknown, unknown>,
          api.ExportOptions,
          api.FileIngestOptions,
          api.Filter,
          api.FinishOptions,
          api.HandlerOptions,
          api.ImportOptions,
          api.LeaderboardRequest,
          api.LoggedExample,
          api.Moved,
          api.ScoreDetails,
          api.ServeOptions,
          api.SortKey,
          api.SqlOptions,
          api.TableMapping,
          api.TableOptions,
        ]
      >,
      never
    >
  >,
];

/** One call of each member, with all that it can be given and what it resolves to. */
export async function callEach(engine: api.Engine, stream: api.OutputStream): Promise<void> {
  const { signal } = new AbortController();
  const project = "acme/qa";
  const load: api.IngestOptions = { onInvalid: "skip", signal, onProgress: ({ records }) => void records };
  const loaded: api.IngestResult = await engine.ingestCalls(["a.ndjson", "b.parquet"], load);
  await engine.ingestRows([{ project_id: project, val: { rejected: loaded.rejected.length } }], load);
  const file: api.FileIngestResult = await engine.ingestFile("c.arrow", { ...load, kind: "rows" });
  await engine.deleteCalls(project, [file.kind], load);
  const columns: api.TableMapping = { model: "model", row: ["id"], score: "judge_*" };
  const importing: api.ImportOptions = { project, check: "fail", onInvalid: "skip", table: columns, signal };
  const [imported]: readonly api.ImportResult[] = await engine.importEvaluations(
    ["logs", "t.csv"],
    importing,
  );
  await engine.importEvaluations(
    { bytes: new Uint8Array(), name: imported?.source ?? "" },
    { ...importing, dryRun: true },
  );

  const request: api.EvalResultsRequest = {
    evaluation_call_ids: ["run-1"],
    include_summary: true,
    filters: [{ query: { $expr: { $gt: [{ $getField: "scores.points" }, { $literal: 1 }] } } }],
    sort_by: [{ field: "scores.points", direction: "desc" }],
  };
  const response: api.EvalResultsResponse = await engine.queryEvalResults(project, request, { signal });
  const text: string = await engine.queryEvalResultsJson(project, response, { signal });
  for await (const piece of engine.streamEvalResults(project, JSON.parse(text), { signal })) piece.trim();
  const { statements }: api.Explanation = await engine.explain(project, request);
  const [explained]: readonly api.ExplainedStatement[] = statements;
  const projects: readonly string[] = await engine.listProjects();
  const evaluations: readonly api.EvaluationEntry[] = await engine.listEvaluations(projects[0] ?? project, {
    signal,
  });
  const [counted]: readonly api.ProjectEntry[] = await engine.countEvaluations({ signal });

  const table: Table = await engine.queryTable(project, request, { signal, onWarning: (one) => one.trim() });
  await engine.ingestCalls(table);
  for await (const batch of engine.queryBatches(project, request, { signal })) takeBatch(batch);
  for await (const part of engine.queryColumns(project, request, { signal }))
    if (part.kind !== "head") takeBatch(part.batch);
  const { trials } = await engine.exportResults(project, request, { format: "csv", path: "d.csv", signal });

  const limits: api.SqlOptions = {
    signal,
    timeLimitSeconds: trials,
    maxResultBytes: counted?.evaluation_count ?? 1,
  };
  const answer: Table = await engine.sql(project, explained?.sql ?? "", [1n, "text", null], limits);
  for await (const batch of engine.sqlBatches(project, "select $a", { a: statements.length }, limits))
    takeBatch(batch);
  const { records } = await engine.exportSql(project, "select 1", [], {
    format: "parquet",
    stream,
    ...limits,
  });

  const { comparisons }: api.ComparisonAnswer = await engine.compareEvaluations(
    project,
    {
      baseline: "run-1",
      candidates: evaluations.map(({ id }) => id),
      margin: records,
      filters: request.filters,
    },
    { signal },
  );
  const { judge }: api.AgreementResponse = await engine.agreement(
    project,
    { evaluations: comparisons.map(({ candidate }) => candidate), a: "feedback.correct", b: "judge.correct" },
    { signal },
  );

  const page: api.FeedbackPage = await engine.feedback.list(project, { limit: answer.numRows });
  const purged: api.PurgeFeedbackSelection = { ids: page.data.map(({ id }) => id) };
  const { purged: count } = await engine.feedback.purge(project, purged);
  await engine.feedback.createMany([{ project_id: project, payload: { count } }], {
    userId: "ann",
  });
  await engine.feedback.create(
    {
      project_id: project,
      svc_ref: "svc:///acme/qa/call/c",
      feedback_type: "f1",
      payload: { f1: judge?.f1 ?? null },
    },
    { userId: "ann" },
  );
  const job: api.TrainingJob | null = await engine.training.getJob(page.data[0]?.id ?? "");
  await engine.training.addCheckpoint(job?.model_id ?? "", { step: 1, metrics: { reward: 0.5 } });
  await engine.usage.flush();

  const { problems }: api.CheckResult = await engine.check({ signal });
  await engine.backup(problems[0]?.table ?? "copy.duckdb");
  await engine.close();
}

/** Leaving a block closes the engine; a field that there is not does not compile. */
export async function closeTyped(open: typeof api.openEngine): Promise<void> {
  await using engine = await open({ path: undefined });
  await engine.queryEvalResults("acme/qa", {
    sort_by: [{ field: "scores.judge.score" }],
    cluster_by: "inputs.a",
  });
  // @ts-expect-error fields begin with scores., inputs., outputs. or output.
  await engine.queryEvalResults("acme/qa", { sort_by: [{ field: "score.judge" }] });
  // @ts-expect-error rows cluster by a field of theirs
  await engine.queryEvalResults("acme/qa", { cluster_by: "scores.judge.score" });
  // @ts-expect-error entries are ordered by scores and by columns
  await engine.leaderboard("acme/qa", { sort_by: [{ field: "inputs.a" }] });
}

/** What the types of a request say of its response, and of a statement of its records. */
export async function readTyped(engine: api.Engine, request: api.EvalResultsRequest): Promise<number> {
  const project = "acme/qa";
  const { summary } = await engine.queryEvalResults(project, { include_summary: true });
  const unasked: number | undefined = summary.evaluations[0]?.scorer_stats[0]?.missing_count;
  const told = await engine.queryEvalResults(project, { include_summary: true, include_uncertainty: true });
  const [stats] = told.summary.evaluations[0]?.scorer_stats ?? [];
  const lowest: number | null | undefined = stats?.min;
  const missing: number = stats === undefined ? 0 : stats.missing_count;

  const { summary: perhaps } = await engine.queryEvalResults(project, request);
  // @ts-expect-error the request may not ask for the summary
  perhaps.row_count.toFixed();
  // @ts-expect-error the request asks for the summary alone
  missing.toFixed(summary.evaluations[0]?.scorer_stats[0]?.missing_count.toFixed());
  // @ts-expect-error no such member
  await engine.queryEvalResults(project, { include_sumary: true });

  const rates = await engine.sql<{ model: string; rate: number | null }>(project, "select …", [], {});
  const plain: { model: string; rate: number | null }[] = rates.toArray().map((record) => record.toJSON());
  const trials = await engine.queryTable<{ row_digest: string }>(project, request);
  for (const { row_digest } of trials) row_digest.trim();
  const table: Table = trials;
  // @ts-expect-error the caller named no such column
  rates.get(0)?.modle.trim();
  return [unasked, lowest, missing, plain[0]?.rate, table.numRows].length;
}

const below = { $getField: "inputs.n" } as const;

/** An operator that is none does not compile, at any depth. */
export const conditions: readonly api.Condition[] = [
  { $and: [{ $not: { $or: [{ $gte: [below, { $literal: 1n }] }] } }, { $in: [below, [{ $literal: "a" }]] }] },
  // @ts-expect-error
  { $gtt: [below, { $literal: 1 }] },
  // @ts-expect-error
  { $and: [{ $not: { $or: [{ $gtt: [below, { $literal: 1 }] }] } }] },
  // @ts-expect-error
  { $eq: [{ $convert: { input: { $getFeld: "a" }, to: "int" } }, { $literal: 1 }] },
  // @ts-expect-error
  { $eq: [{ $convert: { input: below, to: "integer" } }, { $literal: 1 }] },
  // @ts-expect-error
  { $not: [{ $regex: { input: below, pattern: { $literal: "x" }, insensitive: true } }] },
  // @ts-expect-error
  { $and: [{ $gt: [below, { $literal: 1 }], $gtt: [below, { $literal: 1 }] }] },
  // @ts-expect-error a field is no condition
  { $getField: "scores.correct" },
];

/** What the types of records take: records, with whatever further members, and items that have no type. */
export async function loadTyped(
  engine: api.Engine,
  unknowns: Iterable<unknown>,
  objects: AsyncIterable<object>,
  source: api.IngestSource,
): Promise<void> {
  const start: api.CallRecord = {
    id: "run",
    project_id: "acme/qa",
    op_name: "Evaluation.evaluate",
    started_at: new Date(),
  };
  const row: api.DatasetRowRecord = { project_id: "acme/qa", val: { question: "2 + 2?" } };
  // @ts-expect-error an id is a string
  const numbered: api.CallRecord = { ...start, id: 1 };
  await engine.ingestCalls([start, numbered, { ...start, mine: 1 }]);
  await engine.ingestCalls([
    { id: "trial", project_id: "acme/qa", inputs: { example: row }, tool: { version: 2 } },
  ]);
  await engine.ingestCalls(unknowns);
  await engine.ingestCalls(objects);
  await engine.ingestCalls(source);
  // @ts-expect-error a call has an id and a project
  await engine.ingestCalls([{ foo: 1 }]);
  // @ts-expect-error an id is a string
  await engine.ingestCalls([{ id: 1, project_id: "acme/qa" }]);
  // @ts-expect-error a call alone is no source
  await engine.ingestCalls({ id: 1 });
  // @ts-expect-error a row has a value
  await engine.ingestRows([{ project_id: "acme/qa" }]);
  // @ts-expect-error neither a call nor a row
  await engine.ingestFile([{ foo: 1 }]);
  await engine.ingestRows(new Set([row]));
  await engine.ingestFile([start, row]);
  await engine.feedback.create(
    { project_id: "acme/qa", svc_ref: "svc:///acme/qa/call/run", feedback_type: "note", payload: {} },
    { userId: "ann" },
  );
}

function takeBatch(batch: RecordBatch): number {
  return batch.numRows;
}
