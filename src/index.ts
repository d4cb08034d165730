export { openEngine, type Engine, type EngineOptions } from "./open-engine.ts";
export type { StoreWarning } from "./engine/duckdb/file/store-options.ts";
export type { CheckResult, Problem } from "./engine/check/check-result.ts";
export type { QueryOptions } from "./engine/query/query.ts";
export { createHttpHandler, type HandlerOptions, type HttpHandler } from "./http/handler.ts";
export { serveHttp, type RunningService, type ServeOptions } from "./http/node/serve.ts";
export type { ExportOptions } from "./engine/export/export-results.ts";
export type { SqlExportOptions } from "./engine/sql/export-sql.ts";
export type { ExportFormat } from "./engine/export/write-table.ts";
export type { TableOptions } from "./engine/table/table.ts";
export type { StatementParameters, StatementValue } from "./engine/sql/bind-parameters.ts";
export type { SqlOptions } from "./engine/sql/query-sql.ts";
export type { EvaluationEntry } from "./engine/catalog/list-evaluations.ts";
export type { Explanation } from "./engine/query/query.ts";
export type { ArrowStream, IngestSource, NdjsonStream } from "./engine/sources/open-sources.ts";
export {
  EvalcubeError,
  IngestError,
  RequestError,
  StoreError,
  type InputPath,
  type RequestIssue,
} from "./errors.ts";
export type { IngestOptions, IngestProgress, IngestResult, RejectedRecord } from "./ingest/load.ts";
export type { RecordKind } from "./ingest/formats/record-kind.ts";
export type { Json, JsonObject } from "./model/json.ts";
export type { AgreementRequest } from "./request/agreement-request.ts";
export type { EvalResultsRequest } from "./request/wire.ts";
export type {
  AgreementResponse,
  AgreementSide,
  ConfusionMatrix,
  CorrectedMean,
} from "./respond/agreement/agreement.ts";
export type { BootstrapDescription } from "./respond/summary/row-bootstrap.ts";
export type { EvalResultsResponse, ResultRow, Trial } from "./respond/query/response.ts";
export type { CompareRequest } from "./request/compare-request.ts";
export type { Comparison, ComparisonAnswer, ComparisonMethod } from "./respond/compare/comparison.ts";
export type { Verdict } from "./stats/tests/verdict.ts";
export type {
  EvaluationSummary,
  Outcomes,
  PassK,
  ScorerStats,
  Summary,
} from "./respond/summary/scorer-stats.ts";
export type { Uncertainty } from "./respond/summary/statistics.ts";
