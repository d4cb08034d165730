import { z } from "zod";

/**
 * Schemas of the chat endpoint for the OpenAPI description. Requests are checked by hand on their own text
 * (`parseModelRequest`), since a schema would see numbers that have lost digits.
 */

const message = z
  .looseObject({
    role: z.string().meta({ description: "developer, system, user, assistant, tool, function or another" }),
    content: z.union([z.string(), z.array(z.unknown()), z.null()]).optional(),
    name: z.string().optional(),
  })
  .meta({ id: "ChatMessage" });

const integer = z.int().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();

const sampling = {
  frequency_penalty: number,
  presence_penalty: number,
  repetition_penalty: number,
  length_penalty: number,
  temperature: number,
  top_p: number,
  top_k: integer,
  min_p: number,
  seed: z
    .number()
    .nullish()
    .meta({
      type: ["integer", "null"],
      description: "From -9223372036854776000 to 9223372036854776000; held to these bounds digit for digit",
    }),
  n: integer,
  stop: z.union([z.string(), z.array(z.string()), z.null()]).optional(),
  stop_token_ids: z.array(z.int()).nullish(),
  allowed_token_ids: z.array(z.int()).nullish(),
  bad_words: z.array(z.string()).optional(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: flag,
  top_logprobs: integer,
  prompt_logprobs: integer,
  use_beam_search: flag,
  ignore_eos: flag,
  max_tokens: integer.meta({ deprecated: true }),
  max_completion_tokens: integer,
  min_tokens: integer,
};

const formatting = {
  response_format: z.looseObject({}).nullish(),
  structured_outputs: z.looseObject({}).nullish(),
  tools: z.array(z.looseObject({ type: z.string(), defer_loading: flag })).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({}), z.null()]).optional(),
  parallel_tool_calls: flag,
  reasoning_effort: z
    .string()
    .nullish()
    .meta({ examples: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] }),
  include_reasoning: flag,
  include_stop_str_in_output: flag,
  skip_special_tokens: flag,
  spaces_between_special_tokens: flag,
  truncate_prompt_tokens: integer.meta({ description: "At least -1" }),
  echo: flag,
  add_generation_prompt: flag,
  continue_final_message: flag.meta({ description: "Not together with add_generation_prompt: true" }),
  add_special_tokens: flag,
  documents: z.array(z.looseObject({})).nullish(),
  chat_template: z.string().nullish(),
  chat_template_kwargs: z.looseObject({}).nullish(),
  mm_processor_kwargs: z.looseObject({}).nullish(),
  return_tokens_as_token_ids: flag,
  return_token_ids: flag,
};

/** Members that newer model servers take; they are passed on like all others. */
const engine = {
  thinking_token_budget: integer,
  watermarking: z.unknown().optional(),
  truncation_side: z.string().nullish(),
  logprob_token_ids: z.array(z.int()).nullish(),
  media_io_kwargs: z.looseObject({}).nullish(),
  session_id: z.string().nullish(),
  routed_experts_prompt_start: integer,
  return_token_offsets: flag,
  return_prompt_text: flag,
  return_mm_kwargs: flag,
  ec_transfer_params: z.looseObject({}).nullish(),
  stream_interval: integer,
};

export const chatRequestSchema = z
  .looseObject({
    messages: z.array(message),
    model: z.string().nullish(),
    stream: flag,
    stream_options: z.looseObject({ include_usage: flag, continuous_usage_stats: flag }).nullish(),
    user: z.string().nullish(),
    priority: integer,
    request_id: z.string().optional(),
    cache_salt: z.string().nullish(),
    kv_transfer_params: z.looseObject({}).nullish(),
    engine_xargs: z.looseObject({}).nullish(),
    repetition_detection: z.looseObject({}).nullish(),
    ...sampling,
    ...formatting,
    ...engine,
  })
  .meta({
    id: "ChatCompletionRequest",
    examples: [{ model: "m", messages: [{ role: "user", content: "Hi" }] }],
  });

export const chatReplySchema = z
  .looseObject({
    id: z.string().optional(),
    object: z.string().optional(),
    created: z.int().optional(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({
          role: z.string(),
          content: z.string().nullish(),
          reasoning: z.string().nullish(),
        }),
        finish_reason: z.string().nullish(),
        stop_reason: z.union([z.int(), z.string(), z.null()]).optional(),
        routed_experts: z.unknown().optional(),
      }),
    ),
    prompt_text: z.string().nullish(),
    ec_transfer_params: z.looseObject({}).nullish(),
    metrics: z.looseObject({}).nullish(),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int(), completion_tokens: z.int() }),
  })
  .meta({ id: "ChatCompletion" });

export const modelListSchema = z
  .object({
    object: z.literal("list"),
    data: z.array(
      z.looseObject({
        id: z.string(),
        object: z.literal("model"),
        created: z.int(),
        owned_by: z.string(),
        root: z.string(),
      }),
    ),
  })
  .meta({ id: "ModelList" });
