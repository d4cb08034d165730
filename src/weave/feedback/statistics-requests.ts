import { z } from "zod";
import { plainText, projectId } from "../../model/arguments.ts";
import { parseUtcTimestamp } from "../../model/timestamp.ts";

const time = plainText
  .refine((text) => parseUtcTimestamp(text) !== null, "must be an ISO 8601 time")
  .meta({ examples: ["2026-01-31T12:00:00Z"] });

/** Which feedback is looked at. */
const WINDOW = {
  project_id: projectId,
  start: time.describe("Only feedback given at this time or later; UTC where it has no zone"),
  end: time.nullish().describe("Only feedback given before this time; now where it is left out"),
  feedback_type: plainText.nullish(),
  trigger_ref: plainText.nullish().describe("Exactly this one, or all its versions with `:*` at its end"),
};

export type WindowRequest = z.output<z.ZodObject<typeof WINDOW>>;

const AGGREGATIONS = ["sum", "avg", "min", "max", "count", "count_true", "count_false"] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

const VALUE_TYPES = ["numeric", "boolean", "categorical"] as const;
const MOST_METRICS = 100;
/** The seconds of a bucket whose begin is a time that can be written. */
const LONGEST = 10_000_000_000;

const metric = z.looseObject({
  json_path: z
    .string()
    .describe("A dotted path into the payload; `\\.` is a dot in a name")
    .meta({ examples: ["output.score"] }),
  value_type: z.enum(VALUE_TYPES).nullish(),
  aggregations: z.array(z.enum(AGGREGATIONS)).nullish(),
  percentiles: z.array(z.number().min(0).max(100)).max(MOST_METRICS).nullish(),
});

/** What is asked of the values at one path of payloads. */
export type Metric = z.output<typeof metric>;

/** The name of a metric in an answer. */
export function slugOf({ json_path: path }: Metric): string {
  return path.replaceAll(/[.\s]/g, "_");
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).format() !== "";
  } catch {
    return false;
  }
}

export const feedbackStatsRequest = z
  .looseObject({
    ...WINDOW,
    granularity: z
      .int()
      .min(1)
      .max(LONGEST)
      .nullish()
      .describe("Seconds of a bucket; by default as the window is long"),
    timezone: plainText
      .refine(isTimeZone, "must be a time zone, such as Europe/Berlin")
      .nullish()
      .meta({ examples: ["UTC"] }),
    metrics: z
      .array(metric)
      .min(1)
      .max(MOST_METRICS)
      .refine(
        (metrics) => new Set(metrics.map(slugOf)).size === metrics.length,
        "must differ in json_path, also where dots and blanks are written as _",
      ),
  })
  .meta({ id: "WeaveFeedbackStats" });

export type StatsRequest = z.output<typeof feedbackStatsRequest>;

export const payloadSchemaRequest = z
  .looseObject({ ...WINDOW, sample_limit: z.int().min(1).max(5000).nullish() })
  .meta({ id: "WeavePayloadSchema" });

export type PayloadSchemaRequest = z.output<typeof payloadSchemaRequest>;

const texts = z.array(plainText).nullish();
const names = texts.describe("Any of these names, or of beginnings with `*` at their end");
const milliseconds = z.int().min(-8.64e15).max(8.64e15);

export const feedbackAggregateRequest = z
  .looseObject({
    project_id: projectId,
    after_ms: milliseconds,
    before_ms: milliseconds,
    feedback_types: texts.describe("Beginnings of types"),
    monitor_ids: names,
    scorer_ids: names,
    span_agent_names: texts,
    span_types: z.array(z.enum(["agent_turn", "agent_conversation", "agent_span"])).nullish(),
    tags: texts,
    rating_min: z.number().nullish(),
    rating_max: z.number().nullish(),
    group_by: z
      .array(z.enum(["scorer_id", "span_agent_name", "span_agent_version", "span_status_code"]))
      .nullish(),
    time_bucket_seconds: z.int().min(1).max(LONGEST).nullish(),
  })
  .meta({ id: "WeaveFeedbackAggregate" });

export type AggregateRequest = z.output<typeof feedbackAggregateRequest>;

const dateTime = z.string().meta({ format: "date-time" });
const count = z.int();

export const feedbackStatsReply = z
  .object({
    start: dateTime,
    end: dateTime,
    granularity: count,
    timezone: z.string(),
    buckets: z.array(z.looseObject({ timestamp: dateTime, count })),
    window_stats: z.record(z.string(), z.record(z.string(), z.number().nullable())),
  })
  .meta({ id: "WeaveFeedbackStatsReply" });

export const feedbackAggregateReply = z
  .object({
    after_ms: count,
    before_ms: count,
    time_bucket_seconds: count.nullable(),
    buckets: z.array(
      z.looseObject({ time_bucket_start_ms: count.nullable(), total_count: count, scored_count: count }),
    ),
  })
  .meta({ id: "WeaveFeedbackAggregateReply" });

export const payloadSchemaReply = z
  .object({ paths: z.array(z.object({ json_path: z.string(), value_type: z.enum(VALUE_TYPES) })) })
  .meta({ id: "WeavePayloadSchemaReply" });

export type ValueType = (typeof VALUE_TYPES)[number];
