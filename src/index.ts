export { openEngine } from "./open-engine.ts";
export type { Engine } from "./engine/api.ts";
export type { Comparing } from "./engine/comparing.ts";
export type {
  Deletion,
  EvaluationDeletion,
  FileIngestOptions,
  FileIngestResult,
  Loading,
} from "./engine/loading.ts";
export type { RecordOf, TableOf } from "./engine/table-of.ts";
export type { EngineOptions } from "./engine/engine-options.ts";
export type { ClickHouseOptions } from "./clickhouse/server/options.ts";
export type { StoreWarning } from "./store/warning.ts";
export type { CheckResult, Problem, Undetermined } from "./store/check-result.ts";
export type { DatabaseInfo, DatedEvaluation, InfoOptions } from "./engine/database-info.ts";
export type { Maintenance } from "./engine/maintenance.ts";
export type { QueryOptions } from "./engine/query/query.ts";
export type { OutputStream } from "./engine/export/to-stream.ts";
export type { WriteOptions } from "./engine/export/write-table.ts";
export { createHttpHandler, type HandlerOptions, type HttpHandler } from "./http/handler.ts";
export type { Authenticate, Authenticated } from "./http/keys/authenticator.ts";
export type { BackupOptions } from "./http/backups/timed-backups.ts";
export { serveHttp, type RunningService, type ServeOptions } from "./http/node/serve.ts";
export type { ExportOptions } from "./engine/export/export-results.ts";
export type { SqlExport, SqlExportOptions } from "./engine/export/export-sql.ts";
export type { ExportFormat } from "./engine/export/write-table.ts";
export type { ColumnsHead, ColumnsPart } from "./engine/table/columns.ts";
export type { TableOptions } from "./engine/table/table.ts";
export type { SqlOptions, StatementParameters, StatementValue } from "./store/statements.ts";
export type { EvaluationEntry } from "./engine/catalog/list-evaluations.ts";
export type { ProjectEntry } from "./engine/catalog/list-evaluations.ts";
export type { ExplainedStatement, Explanation } from "./engine/query/explain.ts";
export type { SqlParameter, SqlType, SqlValue } from "./store/sql.ts";
export type { ArrowStream, IngestSource, NdjsonStream } from "./ingest/sources/open-sources.ts";
export {
  EvalcubeError,
  ImportError,
  IngestError,
  RequestError,
  StoreError,
  UnsupportedError,
  type ImportFault,
  type InputPath,
  type RequestIssue,
} from "./errors.ts";
export type { CallCounts } from "./ingest/counts.ts";
export type { ImportOptions } from "./engine/import/import-options.ts";
export type { ImportSource, NamedBytes } from "./import/sources/recognised-sources.ts";
export type { ImportChecks, StatedFigure } from "./import/check/agreement.ts";
export type { TableColumns, TableMapping } from "./import/translate/table-mapping.ts";
export type { ImportedEvaluation, ImportResult, RejectedTrial } from "./import/translate/import-result.ts";
export type { SettledMapping } from "./import/translate/tally.ts";
export type { IngestOptions, IngestProgress, IngestResult, RejectedRecord, Sender } from "./ingest/load.ts";
export type { RecordBatchLike, TableLike } from "./ingest/formats/arrow-shapes.ts";
export type { RecordKind } from "./ingest/formats/record-kind.ts";
export type { CallRecord, DatasetRowRecord } from "./ingest/record/sent-records.ts";
export type { EpochUnit } from "./ingest/record/call-times.ts";
export type { FeedbackBy } from "./request/eval-request.ts";
export type { Json, JsonObject } from "./model/json.ts";
export { EvaluationFailed } from "./logging/evaluate.ts";
export type { RowKey } from "./logging/row-keys.ts";
export type {
  DatasetOption,
  EvaluateOptions,
  EvaluationLogger,
  EvaluationOptions,
  EvaluationProgress,
  EvaluationRun,
  FinishOptions,
  LoggedCall,
  LoggedExample,
  Logging,
  ModelOption,
  OutputDetails,
  Prediction,
  ScoreDetails,
  TaskContext,
  TokenCounts,
  Usage,
} from "./logging/api.ts";
export type { StepLog, ToldSteps } from "./logging/step-api.ts";
export type { ScoredTrial, ScoreFunction, Scorer, ScoreValue } from "./logging/scorer.ts";
export type { By, InputField, RowField, UsageBy } from "./model/field-path.ts";
export type { AgreementRequest, AgreementScope, RatersRequest } from "./request/agreement-request.ts";
export type {
  Condition,
  ConsensusOf,
  EvalResultsRequest,
  Filter,
  Missing,
  Moved,
  SortKey,
} from "./request/eval-results-request.ts";
export type { WireOperand } from "./request/wire.ts";
export type {
  AgreementResponse,
  AgreementSide,
  BootstrapDescription,
  ConfusionMatrix,
  CorrectedMean,
  JudgeCertificate,
} from "./respond/agreement/agreement.ts";
export type { EditedRows } from "./request/compared-sides.ts";
export type { EvalResultsResponse, ResultRow, RowEvaluation, Trial } from "./respond/query/response.ts";
export type { CountedTrials } from "./model/counting.ts";
export type { QueryMembers } from "./request/query-members.ts";
export type { CompareRequest } from "./request/compare-request.ts";
export type { Comparison, ComparisonAnswer, ScoreRank } from "./respond/compare/comparison.ts";
export type { Change, Changes } from "./respond/compare/changes.ts";
export type { Direction, Directions } from "./model/direction.ts";
export type { Correction } from "./respond/compare/correction.ts";
export type { ComparisonMethod } from "./respond/compare/estimate.ts";
export type {
  ComparedRows,
  ComparedSlicing,
  ExplainedBy,
  Slice,
  Sliced,
  WithinMargin,
} from "./respond/compare/slices.ts";
export type { Rank, Standing } from "./respond/compare/ranks.ts";
export type {
  DissentingTrial,
  RaterAgreement,
  RaterDissent,
  RaterPair,
  RatersAnswer,
} from "./respond/agreement/raters.ts";
export type { CertifiedRate } from "./stats/agreement/certificate.ts";
export type { DeleteRequest } from "./request/delete-request.ts";
export type { PlanRequest } from "./request/plan-request.ts";
export type { PlanAnswer, RowPlan } from "./respond/plan/plan-rows.ts";
export type { ItemsRequest } from "./request/items-request.ts";
export type { Item, ItemFlag, ItemsAnswer } from "./respond/items/items.ts";
export type { StepsRequest } from "./request/steps-request.ts";
export type { StepsAnswer } from "./respond/steps/answer.ts";
export type { BesideAnswer, BesideLine, BesideTrial } from "./respond/steps/beside.ts";
export type { CommonStart, DiffAnswer, DiffPair, DiffTotals, FirstDifference } from "./respond/steps/diff.ts";
export type { EvaluationTools, ToolsAnswer } from "./respond/steps/tools-answer.ts";
export type { ToolOutcomes, ToolStats } from "./respond/steps/tools.ts";
export type { ShownStep, TrialAnswer, TrialCounts } from "./respond/steps/trial.ts";
export type { Operation } from "./model/steps.ts";
export type { StopReason, StopReasons } from "./respond/summary/stop-reasons.ts";
export type { HistoryRequest } from "./request/history-request.ts";
export type { CutRun, HistoryAnswer, HistoryEntry, WorseSince } from "./respond/history/history.ts";
export type { LeaderboardRequest } from "./request/leaderboard-request.ts";
export type { Price, PriceList } from "./request/wire.ts";
export type { TaskWeights, WhereValue } from "./request/where.ts";
export type {
  LeaderboardAnswer,
  LeaderboardDimension,
  LeaderboardEntry,
  LeaderboardScore,
  LeaderboardTask,
} from "./respond/leaderboard/leaderboard.ts";
export type { Verdict } from "./stats/tests/verdict.ts";
export type {
  ErrorGroup,
  EvaluationSummary,
  Histogram,
  Outcomes,
  PassK,
  ScorerStats,
  Summary,
} from "./respond/summary/scorer-stats.ts";
export type {
  DescriptiveSlice,
  RowSlice,
  SlicedRows,
  SliceValue,
  Slicing,
  SummarySlice,
  SummarySlicing,
} from "./respond/summary/slicing.ts";
export type { Uncertainty } from "./respond/summary/statistics.ts";
export type {
  EvaluationUsage,
  LeaderboardCost,
  PerSuccess,
  StepsUsage,
  SuccessCost,
  UsageStats,
} from "./respond/summary/usage.ts";
export type { Adjustment, PairAdjustment } from "./request/compare-request.ts";
export type { JudgeAccuracy } from "./stats/agreement/judge-accuracy.ts";
export type { IntervalMethod } from "./stats/estimates/choose-interval.ts";
export type { Interval } from "./stats/estimates/mean.ts";
export type {
  CreateFeedbackOptions,
  Feedback,
  FeedbackPage,
  ListFeedbackOptions,
} from "./feedback/feedback.ts";
export type { PurgeFeedbackSelection } from "./feedback/feedback.ts";
export type { FeedbackRecord, ScorerDetails } from "./feedback/record.ts";
export type { JsonBounds } from "./model/json-bounds.ts";
export type { FeedbackItem } from "./feedback/item.ts";
export type { AddedCheckpoint, NewCheckpoint } from "./training/checkpoints.ts";
export type { CreateJobOptions, JobHook, NewEvent, TrainingJob } from "./training/jobs.ts";
export type { RegisterModelOptions, TrainingModel } from "./training/models.ts";
export type { Caller } from "./training/ownership.ts";
export type { LoggedTrajectories } from "./training/log.ts";
export type { Page, PageQuery } from "./training/page.ts";
export type { StoredCheckpoint, StoredEvent } from "./training/stored.ts";
export type { Training } from "./training/training.ts";
export type { SentFile, WeaveFiles } from "./weave/files.ts";
export type { WeaveCallReads } from "./weave/calls/read-calls.ts";
export type { WeaveEvaluations, WeaveItem, WeaveLines } from "./weave/evaluations/evaluations.ts";
export type { WeaveCosts } from "./weave/costs/costs.ts";
export type { WeaveFeedback } from "./weave/feedback/feedback.ts";
export type { WeaveObjects } from "./weave/objects/objects.ts";
export type { WeaveReferences } from "./weave/references/references.ts";
export type { WeaveTables } from "./weave/tables/tables.ts";
export type { WeaveCaller } from "./weave/request/seam.ts";
export type { CallWriteOptions, WeaveCallWrites } from "./weave/calls/write-calls.ts";
export type { SpanOptions, WeaveSpans } from "./weave/spans/store-spans.ts";
export type { Weave } from "./weave/weave.ts";
export type { UsageLog, UsageRecord, UsageSink, Outcome } from "./inference/usage/usage.ts";
