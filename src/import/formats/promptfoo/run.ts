import type { Json, JsonObject } from "../../../model/json.ts";
import { listAt, numberAt, objectAt, omit, textAt } from "../../read/members.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { readTime } from "../../translate/times.ts";

/** What a log of promptfoo says of the run as a whole, and its evaluations: one a prompt and provider. */
export interface PromptfooRun {
  readonly toolVersion: string | null;
  readonly notes: readonly string[];
  /** The columns that the log lists, with the figures that it states of them. */
  readonly columns: readonly { readonly evaluation: string; readonly metrics: JsonObject }[];
  readonly stats: JsonObject;
  /** The evaluations of those columns, and those that were made. */
  readonly evaluations: () => readonly LogEvaluation[];
  /** The evaluation of a result; one that was not listed is made. */
  readonly evaluationOf: (result: JsonObject) => LogEvaluation;
  /** Counts how often this was asked with one text. */
  readonly occurrence: (text: string) => number;
}

/** What evaluations of a run share. */
interface RunParts {
  readonly task: string;
  readonly startedAt: bigint | null;
  readonly logVersion: Json;
  readonly config: JsonObject;
  readonly toolVersion: string | null;
  readonly notes: readonly string[];
  readonly prompts: readonly Json[];
  /** Whether results say the number of their prompt; those of version 1 and 2 do not. */
  readonly isNumbered: boolean;
  /** Whether evaluations are told apart by their prompts. */
  readonly showsLabel: boolean;
  readonly stats: JsonObject;
  /** Whether the log does not say which run it is. */
  readonly isUnknown: boolean;
  /** The identity of a column. */
  readonly identityOf: (column: Column) => string;
}

interface Column {
  /** Null in logs of version 1 and 2. */
  readonly index: number | null;
  readonly model: string;
  readonly prompt: string;
}

/** The run of a log that is one object: the whole export, or the results alone. */
export function runOfObject(log: JsonObject): PromptfooRun {
  const inner = Array.isArray(log["results"]) ? log : objectAt(log, "results");
  const evalId = textAt(log, "evalId");
  const config = omit(objectAt(log, "config"), ["tests", "env", "sharing"]);
  const timestamp = textAt(inner, "timestamp") ?? textAt(log, "metadata", "evaluationCreatedAt");
  const version = numberAt(inner, "version");
  const numbered = listAt(inner, "prompts");
  const head = listAt(inner, "table", "head", "prompts");
  const prompts = numbered.length > 0 ? numbered : head.filter((one) => textAt(one, "provider") !== null);
  return createRun({
    task: textAt(config, "description") ?? evalId ?? "promptfoo",
    startedAt: readTime(timestamp),
    logVersion: version,
    config,
    toolVersion: textAt(log, "metadata", "promptfooVersion"),
    notes:
      version !== null && version > 3
        ? [`version ${version} of the results is newer than those that are known`]
        : [],
    prompts,
    isNumbered: numbered.length > 0 || head.length === 0,
    showsLabel: prompts.length === 0 || new Set(prompts.map(labelOf)).size > 1,
    stats: objectAt(inner, "stats"),
    isUnknown: evalId === null,
    identityOf: ({ index, model, prompt }) => {
      if (index === null) return hashOf([timestamp ?? evalId, model, prompt]);
      return evalId === null ? hashOf([timestamp, index]) : `${evalId}:${index}`;
    },
  });
}

/** The parts of a log of lines, which has neither prompts nor figures. */
export function lineIdentity(smallestId: string | null, showsLabel: boolean): RunParts {
  return {
    task: "promptfoo",
    startedAt: null,
    logVersion: null,
    config: {},
    toolVersion: null,
    notes: ["the log has no description; the task is promptfoo"],
    prompts: [],
    isNumbered: true,
    showsLabel,
    stats: {},
    isUnknown: smallestId === null,
    identityOf: ({ index, model, prompt }) => hashOf([smallestId, index ?? [model, prompt]]),
  };
}

export function createRun(parts: RunParts): PromptfooRun {
  const known = new Map<string, LogEvaluation>();
  const occurrences = new Map<string, number>();
  const add = (column: Column, prompt: JsonObject) => {
    const evaluation = evaluationOfColumn(parts, column, prompt);
    known.set(evaluation.id, evaluation);
    return evaluation;
  };
  const columns = parts.prompts.map((prompt, at) => {
    const index = parts.isNumbered ? at : null;
    const column = { index, model: textAt(prompt, "provider") ?? "unknown", prompt: labelOf(prompt) };
    return { evaluation: add(column, prompt as JsonObject).id, metrics: objectAt(prompt, "metrics") };
  });
  return {
    toolVersion: parts.toolVersion,
    notes: parts.notes,
    columns,
    stats: parts.stats,
    evaluations: () => [...known.values()],
    evaluationOf: (result) => {
      const column = columnOf(result, parts);
      const found = known.get(rootId("promptfoo", parts.identityOf(column)));
      return found ?? add(column, objectAt(result, "prompt"));
    },
    occurrence: (text) => {
      const before = occurrences.get(text) ?? 0;
      occurrences.set(text, before + 1);
      return before;
    },
  };
}

function columnOf(result: JsonObject, { isNumbered }: RunParts): Column {
  const { provider } = result;
  const model =
    typeof provider === "string"
      ? provider
      : (textAt(provider, "label") ?? textAt(provider, "id") ?? "unknown");
  const index = isNumbered ? numberAt(result, "promptIdx") : null;
  return { index, model, prompt: labelOf(result["prompt"]) };
}

export function labelOf(prompt: Json | undefined): string {
  if (typeof prompt === "string") return prompt;
  return textAt(prompt, "display") ?? textAt(prompt, "label") ?? textAt(prompt, "raw") ?? "";
}

function evaluationOfColumn(parts: RunParts, column: Column, prompt: JsonObject): LogEvaluation {
  return {
    id: rootId("promptfoo", parts.identityOf(column)),
    ...(parts.isUnknown ? { knownBy: "file" } : {}),
    task: parts.task,
    model: column.model,
    label: column.prompt === "" ? null : column.prompt,
    showsLabel: parts.showsLabel,
    startedAt: parts.startedAt,
    logVersion: parts.logVersion,
    spec: { prompt: omit(prompt, ["metrics"]), config: parts.config },
  };
}
