import { at, isJsonObject, type Json } from "../model/json.ts";
import { chatItems } from "../model/step-items/chat-items.ts";
import type { StepItem, ToolItem } from "../model/step-items/items.ts";
import { tokenCounts } from "../model/token-counts.ts";
import { loggedFailure } from "./values.ts";

/** Copies a value as JSON; null where JSON cannot hold it. */
type Keep = (what: string, value: unknown) => Json;

/** The steps of what the AI SDK gave, or of a list of messages; null for anything else. */
export function toldItems(told: unknown, keep: Keep): StepItem[] | null {
  const steps: unknown = Array.isArray(told) ? told : at(told, "steps");
  if (!Array.isArray(steps) || !steps.every(isJsonObject)) return null;
  if (steps.length > 0 && steps.every((one) => isRole(one["role"])))
    return chatItems(steps.map((one, i) => keep(`steps[${i}]`, one)));
  if (!steps.every((one) => "finishReason" in one || "toolCalls" in one)) return null;
  return steps.flatMap((step, i) => sdkItems(step, (what, value) => keep(`steps[${i}].${what}`, value)));
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const isRole = (role: unknown) => ROLES.has(role);

/** A step of the AI SDK: a chat, and the tools that it called. Its members may be those of a class. */
function sdkItems(step: unknown, keep: Keep): StepItem[] {
  const calls = listOf(at(step, "toolCalls"));
  const message = {
    role: "assistant",
    content: keep("text", at(step, "text") ?? null),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => keep("toolCalls", call)) }),
  };
  return [
    {
      kind: "chat",
      model: textOf(at(step, "response", "modelId")),
      output: message,
      tokens: tokenCounts(keep("usage", at(step, "usage") ?? null)),
      finishReason: textOf(at(step, "finishReason")),
    },
    ...calls.map((call) => sdkTool(call, step, keep)),
  ];
}

function sdkTool(call: unknown, step: unknown, keep: Keep): ToolItem {
  const id = at(call, "toolCallId");
  const isOwn = (one: unknown) => at(one, "toolCallId") === id;
  const failed = listOf(at(step, "content")).find((part) => at(part, "type") === "tool-error" && isOwn(part));
  const result = listOf(at(step, "toolResults")).find(isOwn);
  return {
    kind: "tool",
    name: textOf(at(call, "toolName")) ?? "tool",
    id: textOf(id),
    arguments: keep("toolCalls", at(call, "input") ?? at(call, "args") ?? null),
    result: keep("toolResults", at(result, "output") ?? at(result, "result") ?? null),
    exception: failed === undefined ? null : loggedFailure(at(failed, "error")).exception,
    isErrorUnknown: failed === undefined && result === undefined,
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
