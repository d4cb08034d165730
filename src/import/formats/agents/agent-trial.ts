import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { lastSaid } from "../../../model/step-items/chat-items.ts";
import type { StepItem } from "../../../model/step-items/items.ts";
import { chatsIn } from "../../../model/step-items/step-calls.ts";
import { modelCounts, type TokenSums } from "../../../model/token-counts.ts";
import { numberAt } from "../../read/members.ts";
import type { LogItem, LogTrial } from "../../translate/log-parts.ts";

/** A trial of an agent, as its tool tells it. What is null is not known. */
export interface AgentTrial extends Omit<LogTrial, "output" | "error" | "prediction" | "steps"> {
  readonly steps: readonly StepItem[];
  /** That something broke, and how; null where nothing did. */
  readonly failure: string | null;
  /** The sum of the trial where the tool states it. */
  readonly tokens: TokenSums | null;
  readonly seconds: number | null;
  /** The answer; default: the last text of the agent. */
  readonly output?: Json;
}

/** Makes trials of what tools tell, and counts what is to be said of them. */
export function createAgentTrials() {
  let unknown = 0;
  return {
    item: (told: AgentTrial): LogItem & { readonly kind: "trial" } => {
      const { steps, failure, seconds, scores, ...others } = told;
      const hasVerdict = Object.values(scores).some(isVerdict);
      const isUnknown = told.tokens?.input === 0 && (chatsIn(steps).length > 0 || hasVerdict);
      if (isUnknown) unknown++;
      const tokens = isUnknown ? null : told.tokens;
      const broke = !hasVerdict && failure !== null;
      return {
        kind: "trial",
        trial: {
          ...others,
          steps: steps.map(withKnownTokens),
          output: told.output ?? lastSaid(steps),
          scores: broke ? {} : scores,
          error: broke ? failure : null,
          cost: isUnknown && told.cost === 0 ? null : (told.cost ?? costOf(steps)),
          prediction: {
            seconds,
            ...(tokens === null ? {} : { usage: { [told.evaluation.model]: modelCounts(tokens) } }),
          },
        },
      };
    },
    notes: function* (): Generator<LogItem> {
      if (unknown === 0) return;
      const trials = unknown === 1 ? "1 trial has" : `${unknown} trials have`;
      yield {
        kind: "note",
        text: `${trials} 0 input tokens, which no model takes: their tokens are not known`,
      };
    },
  };
}

function isVerdict(score: Json): boolean {
  return isJsonObject(score) ? Object.values(score).some(isVerdict) : score !== null;
}

/** No call of a model takes 0 tokens. */
function withKnownTokens(step: StepItem): StepItem {
  if (step.kind === "frame") return { ...step, items: step.items.map(withKnownTokens) };
  if (step.kind !== "chat" || step.tokens?.input !== 0) return step;
  return { ...step, tokens: step.tokens.output ? { ...step.tokens, input: null, cached: null } : null };
}

/** What the chats cost together, where all tell. */
function costOf(steps: readonly StepItem[]): number | null {
  const costs = chatsIn(steps).map(({ cost }) => cost ?? null);
  const told = costs.filter((cost) => cost !== null);
  if (told.length === 0 || told.length < costs.length) return null;
  return told.reduce((sum, cost) => sum + cost, 0);
}

/** Counts of tokens by their names; null where there is neither input nor output. */
export function tokensIn(told: Json, input: string, output: string, cached = ""): TokenSums | null {
  const counts = {
    input: numberAt(told, input),
    output: numberAt(told, output),
    cached: numberAt(told, cached),
  };
  return counts.input === null && counts.output === null ? null : counts;
}

/** The seconds between two times in microseconds; null where they are not known, or in another order. */
export function secondsBetween(began: bigint | null, ended: bigint | null): number | null {
  return began !== null && ended !== null && ended >= began ? Number(ended - began) / 1e6 : null;
}

const SECRET = /api_?key|token|secret|password|authorization|credential/i;

/** The settings of a run without members that hold secrets. */
export function withoutSecrets(settings: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      SECRET.test(name) && typeof value !== "number" ? [] : [[name, cleanSetting(value)]],
    ),
  );
}

function cleanSetting(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => cleanSetting(item));
  return isJsonObject(value) ? withoutSecrets(value) : value;
}
