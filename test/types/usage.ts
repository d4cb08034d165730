/** Compiled by `npm run check`, never run: usage as the packages of the SDKs type it, without a spread or a cast. */
import type Anthropic from "@anthropic-ai/sdk";
import type { generateText } from "ai6";
import type OpenAI4 from "openai4";
import type OpenAI5 from "openai5";
import type OpenAI6 from "openai6";
import type { Engine, EvaluationRun, Usage } from "../../src/index.ts";

type Reply<Ask extends (...given: never[]) => unknown> = Awaited<ReturnType<Ask>>;

/** What the SDKs answer. */
interface Replies {
  readonly chats: readonly (
    | OpenAI4.Chat.ChatCompletion
    | OpenAI5.Chat.ChatCompletion
    | OpenAI6.Chat.ChatCompletion
  )[];
  readonly responses: readonly (
    | OpenAI4.Responses.Response
    | OpenAI5.Responses.Response
    | OpenAI6.Responses.Response
  )[];
  readonly message: Anthropic.Message;
  readonly generated: Reply<typeof generateText>;
}

export function usages({ chats, responses, message, generated }: Replies): readonly Usage[] {
  return [
    ...chats.flatMap(({ model, usage }) => [usage, { [model]: usage }]),
    ...responses.flatMap(({ model, usage }) => [usage, { [model]: usage }]),
    message.usage,
    { [message.model]: message.usage, other: null, none: undefined },
    generated.usage,
    { "gpt-x": generated.usage },
    { "gpt-x": { total_tokens: 1, cached: 2 } },
    { "gpt-x": { input_tokens: 1, details: { cached: 2 } } },
    null,
    undefined,
  ];
}

/** What is no usage, at any depth. */
export const wrong: readonly Usage[] = [
  // @ts-expect-error counts are numbers
  { "gpt-x": { total_tokens: "1" } },
  // @ts-expect-error counts are numbers
  { "gpt-x": { inputTokens: "1" } },
  // @ts-expect-error counts have names
  { "gpt-x": 3 },
];

export async function evaluateWithUsage(engine: Engine, ask: () => Promise<Replies>): Promise<EvaluationRun> {
  await using run = engine.startEvaluation<string, string>("acme/qa", { name: "logged", model: "bot" });
  const { generated, message } = await ask();
  const prediction = run.startPrediction("2 + 2?");
  prediction.output(generated.text, { usage: generated.usage });
  prediction.logScore("judge", 1, { usage: { [message.model]: message.usage } });
  await run.logExample({ row: "3 + 3?", output: "6", usage: { "gpt-x": generated.usage } });
  return await engine.evaluate("acme/qa", {
    name: "run",
    model: "bot",
    data: ["2 + 2?"],
    task: async (_row, { usage }) => {
      const { chats, responses } = await ask();
      for (const { usage: counts } of [...chats, ...responses]) usage(counts);
      // @ts-expect-error no counts: the scorers know the output all the same
      usage({ "gpt-x": "many" });
      // @ts-expect-error no counts
      usage("many");
      return { text: "4" };
    },
    scorers: {
      length: ({ output }) => output.text.length,
      // @ts-expect-error no such member
      other: ({ output }) => output.txt === "4",
    },
  });
}
