import { z } from "zod";
import { parseTimestamp } from "../model/timestamp.ts";

export const MAX_GROUPS = 4096;
export const MAX_TRAJECTORIES = 4096;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Converts a UUID, hyphenated or as 32 digits in any case, to its stored form: hyphenated in lower case. null for any
 * other text.
 */
export function normaliseUuid(text: string): string | null {
  const digits = /^[0-9a-f]{32}$/i.test(text)
    ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
    : text;
  const lower = digits.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

/** An integer of any size; one beyond a double's precision is still an integer. */
const integer = z.number().refine(Number.isInteger, "must be an integer").meta({ type: "integer" });
const object = z.record(z.string(), z.unknown());

const tool = z.looseObject({
  type: z.string().optional(),
  function: z
    .looseObject({
      name: z.string().optional(),
      description: z.string().nullish(),
      parameters: object.nullish(),
      strict: z.boolean().nullish(),
    })
    .optional(),
});

export const trajectorySchema = z
  .looseObject({
    messages_and_choices: z.array(z.unknown()).optional(),
    tools: z.array(tool).nullish(),
    additional_histories: z.array(z.unknown()).optional(),
    reward: z.number().optional().meta({ default: 0 }),
    initial_policy_version: integer.nullish(),
    final_policy_version: integer.nullish(),
    metrics: object.optional(),
    metadata: object.optional(),
    logs: z.array(z.string()).optional(),
    start_time: z
      .string()
      .refine((text) => parseTimestamp(text) !== null, "must be a date-time with offset")
      .meta({ format: "date-time" })
      .optional(),
  })
  .meta({ id: "Trajectory" });

const trajectoryGroupSchema = z
  .looseObject({ trajectories: z.array(trajectorySchema).max(MAX_TRAJECTORIES) })
  .meta({ id: "TrajectoryGroup" });

export const trajectoryGroups = z.array(trajectoryGroupSchema).max(MAX_GROUPS);

const experimentalConfig = z
  .looseObject({
    advantage_balance: z.number().nullish(),
    epsilon: z.number().nullish(),
    epsilon_high: z.number().nullish(),
    model_k2_tau: z.number().nullish(),
    kimi_k2_tau: z.number().nullish().meta({ description: "The same as model_k2_tau" }),
    learning_rate: z.number().nullish(),
    mask_prob_ratio: z.boolean().nullish(),
    max_negative_advantage_importance_sampling_weight: z.number().nullish(),
    ppo: z.boolean().nullish(),
    precalculate_logprobs: z.boolean().nullish(),
    scale_rewards: z.boolean().nullish(),
  })
  .meta({ id: "ExperimentalConfig" });

/** Schema of a training job as a client sends it. Unknown members are accepted and kept. */
export const jobRequestSchema = z
  .looseObject({
    model_id: z
      .string()
      .refine((text) => normaliseUuid(text) !== null, "must be a uuid")
      .meta({ format: "uuid" }),
    trajectory_groups: trajectoryGroups,
    experimental_config: experimentalConfig.nullish(),
  })
  .meta({ id: "TrainingJobRequest" });

export type JobRequest = z.output<typeof jobRequestSchema>;
