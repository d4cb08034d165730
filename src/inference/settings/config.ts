import { z } from "zod";
import { EvalcubeError } from "../../errors.ts";

const upstreamSchema = z.strictObject({
  base_url: z.url({ protocol: /^https?$/ }),
  /** Name of the environment variable that holds the upstream's key. */
  api_key_env: z.string().min(1).optional(),
  models: z.array(z.string().min(1)).min(1).default(["*"]),
  /** Top-level request members that are sent upstream under another name. */
  rename: z.record(z.string().min(1), z.string().min(1)).default({}),
  priority_scheduling: z.boolean().default(true),
  forward_project: z.boolean().default(false),
});

const milliseconds = z.int().min(0);

const timeoutsSchema = z.strictObject({
  connect_ms: milliseconds.default(5_000),
  headers_ms: milliseconds.default(600_000),
  stream_headers_ms: milliseconds.default(300_000),
  idle_ms: milliseconds.default(300_000),
});

/** Schema of the inference file; every member may be left out. */
export const inferenceConfigSchema = z.strictObject({
  upstreams: z.array(upstreamSchema).default([]),
  project_header: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, "must be a header name")
    .optional(),
  /** The model of requests that name none; without it such requests are refused. */
  default_model: z.string().min(1).optional(),
  timeouts: timeoutsSchema.prefault({}),
  /** Silence after which a comment line is written into a stream; 0 turns it off. */
  keep_alive_ms: milliseconds.default(0),
  /** Limit of concurrent requests per project; 0 means no limit. */
  max_concurrent_per_project: z.int().min(0).default(0),
  /** How long a kept model list may be used, also instead of that of an upstream that fails. */
  models_max_age_ms: milliseconds.default(60_000),
  record: z.boolean().default(false),
  /**
   * Name of the environment variable with the secret that binds cache salts to their tenants; without it salts are
   * forwarded as sent.
   */
  cache_salt_secret_env: z.string().min(1).optional(),
});

/** The configuration as users write it. */
export type InferenceConfigInput = z.input<typeof inferenceConfigSchema>;
/** The configuration with every default filled in. */
export type InferenceConfig = z.output<typeof inferenceConfigSchema>;
export type UpstreamConfig = InferenceConfig["upstreams"][number];
export type Timeouts = InferenceConfig["timeouts"];

/** Secrets by the names of their environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the secret in a variable that the inference file names; undefined where it names none. Throws when the
 * variable is not set; `of` tells the message whose secret it is.
 */
export function readVariable(
  environment: Environment,
  name: string | undefined,
  of: string,
): string | undefined {
  if (name === undefined) return undefined;
  const value = environment[name];
  if (value !== undefined && value !== "") return value;
  throw new EvalcubeError("missing_variable", `The environment variable ${name} ${of} is not set.`);
}
