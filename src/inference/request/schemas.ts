import { z } from "zod";

/**
 * Schemas of the endpoints that are passed on, for the OpenAPI description. Requests are checked by hand on their own
 * text (`parseModelRequest`), since a schema would see numbers that have lost digits.
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

/** Members of every request. */
const common = {
  model: z.string().nullish(),
  user: z.string().nullish(),
  priority: integer,
  request_id: z.string().optional(),
  cache_salt: z.string().nullish(),
};

const streaming = {
  stream: flag,
  stream_options: z.looseObject({ include_usage: flag, continuous_usage_stats: flag }).nullish(),
};

const tokens = z.int();

export const chatRequestSchema = z
  .looseObject({
    messages: z.array(message),
    ...common,
    ...streaming,
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
    usage: z.looseObject({ prompt_tokens: tokens, total_tokens: tokens, completion_tokens: tokens }),
  })
  .meta({ id: "ChatCompletion" });

const text = z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]);

export const completionRequestSchema = z
  .looseObject({
    prompt: z
      .union([text, z.null()])
      .meta({ description: "Texts or tokens; each of a list has its own choices" }),
    ...common,
    ...streaming,
    ...sampling,
    logprobs: integer,
    echo: flag,
    truncate_prompt_tokens: integer.meta({ description: "At least -1" }),
  })
  .meta({ id: "CompletionRequest", examples: [{ model: "m", prompt: "Hi" }] });

export const completionReplySchema = z
  .looseObject({
    model: z.string(),
    choices: z.array(
      z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullish() }),
    ),
    usage: z
      .looseObject({ prompt_tokens: tokens, total_tokens: tokens, completion_tokens: tokens })
      .optional(),
  })
  .meta({ id: "Completion" });

export const embeddingsRequestSchema = z
  .looseObject({ input: text, ...common, encoding_format: z.string().nullish(), dimensions: integer })
  .meta({ id: "EmbeddingsRequest", examples: [{ model: "m", input: "Hi" }] });

export const embeddingsReplySchema = z
  .looseObject({
    object: z.literal("list"),
    data: z.array(z.looseObject({ index: z.int(), embedding: z.union([z.array(z.number()), z.string()]) })),
    model: z.string(),
    usage: z.looseObject({ prompt_tokens: tokens, total_tokens: tokens }),
  })
  .meta({ id: "Embeddings" });

export const responseRequestSchema = z
  .looseObject({
    input: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
    instructions: z.string().nullish(),
    ...common,
    stream: flag,
    tools: formatting.tools,
    tool_choice: formatting.tool_choice,
    temperature: number,
    top_p: number,
    max_output_tokens: integer,
    reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  })
  .meta({ id: "ResponseRequest", examples: [{ model: "m", input: "Hi" }] });

export const responseReplySchema = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    model: z.string(),
    status: z.string().optional(),
    output: z.array(z.looseObject({ type: z.string() })),
    usage: z.looseObject({ input_tokens: tokens, output_tokens: tokens, total_tokens: tokens }).nullish(),
  })
  .meta({ id: "Response" });

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
