export { openEngine, type Engine, type EngineOptions, type QueryOptions } from "./engine/engine.ts";
export type { EvaluationEntry } from "./engine/list-evaluations.ts";
export type { Explanation } from "./engine/query.ts";
export type { IngestSource, NdjsonStream } from "./engine/sources.ts";
export {
  EvalcubeError,
  IngestError,
  RequestError,
  StoreError,
  type InputPath,
  type RequestIssue,
} from "./errors.ts";
export type { IngestOptions, IngestProgress, IngestResult, RejectedRecord } from "./ingest/load.ts";
export type { RecordKind } from "./ingest/record-kind.ts";
export type { Json, JsonObject } from "./model/json.ts";
export type { EvalResultsRequest } from "./request/wire.ts";
export type { EvalResultsResponse, ResultRow, Trial } from "./respond/response.ts";
export type { EvaluationSummary, ScorerStats, Summary } from "./respond/summary.ts";
