import path from "node:path";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { SourceFault, withPlace } from "../../read/fault.ts";
import { linesWithEnd, parseLine } from "../../read/json-lines.ts";
import { checkMembers, expectObject, numberAt, objectAt, omit, pick, textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers } from "../../recognise/json-prefix.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { createAgentTrials, tokensIn, withoutSecrets, type AgentTrial } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";
import { readHistory } from "./openhands-history.ts";
import { instanceRow, readReports, reportItems, sweFiles, verdictOf } from "./swe-reports.ts";

/** Earlier picks of a run, beside its output. */
const CRITIC = /^output\.critic_attempt_\d+\.jsonl$/;

/** Outputs of OpenHands: a line each instance. */
export const openHands: Format = {
  name: "openhands",
  recognises: isOutput,
  files: {
    ...sweFiles("output", isOutput, {
      runOf: (file, _, { name, siblings }) =>
        CRITIC.test(name) && siblings.includes("output.jsonl")
          ? path.join(path.dirname(file), "output.jsonl")
          : file,
      owns: /^(metadata\.json|.*\.log)$/,
    }),
    isLines: true,
  },
  read: readOpenHands,
};

function isOutput({ firstLine, json }: Head): boolean {
  const first = firstLine ?? json;
  return (
    hasMembers(first, "instance_id", "test_result") &&
    (hasMembers(first, "history") || hasMembers(first, "metadata"))
  );
}

async function* readOpenHands(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { file, head, parts } = source;
  const told = await readReports(parts);
  const trials = createAgentTrials();
  const instances: string[] = [];
  const notes = new Set(parts.filter((part) => CRITIC.test(path.basename(part.path))).map(criticNote));
  const known: Known = { ...told, notes, isJudged: told.reports.length > 0 };
  let index = 0;
  let evaluation: LogEvaluation | null = null;
  for await (const { line, isOpen } of linesWithEnd(file)) {
    const place = `line ${line.line}`;
    try {
      const one = expectObject(withoutNoNumbers(parseLine(line)), place);
      evaluation ??= evaluationOf(one, head, told.run, context);
      const own = {
        ...trialOf(one, known, place),
        evaluation: sameRun(evaluation, one, head, told.run, context),
        index,
      };
      instances.push(own.sample);
      index++;
      yield trials.item(own);
    } catch (error) {
      const fault = withPlace(place, error);
      if (!(fault instanceof SourceFault)) throw fault;
      if (isOpen && fault.message.startsWith("is not JSON"))
        notes.add("the last line is still being written; it is left out");
      else context.refuse(fault);
    }
  }
  for (const text of notes) yield { kind: "note", text };
  yield* trials.notes();
  if (told.verdicts.size > 0) yield* reportItems(evaluation?.id ?? null, told, instances);
}

const criticNote = ({ path: file }: { readonly path: string }) =>
  `${path.basename(file)} has earlier picks of the same run; it is left out`;

function evaluationOf(
  one: JsonObject,
  { name }: Head,
  run: string | null,
  { table }: ReadContext,
): LogEvaluation {
  const metadata = objectAt(one, "metadata");
  const own = {
    task: table.taskName ?? textAt(metadata, "dataset") ?? run ?? name,
    model:
      table.modelName ??
      textAt(metadata, "llm_config", "model") ??
      textAt(metadata, "llm", "model") ??
      "unknown",
    label: textAt(metadata, "agent_class"),
  };
  const notes =
    own.model === "unknown" ? ["nothing names the model; it is unknown unless --model says it"] : [];
  return { ...runNamed("openhands", own, table), notes, spec: withoutSecrets(omit(metadata, ["details"])) };
}

/** The evaluation of a line: that of the first, unless it names another model or dataset. */
function sameRun(
  first: LogEvaluation,
  one: JsonObject,
  head: Head,
  run: string | null,
  context: ReadContext,
): LogEvaluation {
  if (Object.keys(objectAt(one, "metadata")).length === 0) return first;
  const own = evaluationOf(one, head, run, context);
  return own.id === first.id ? first : own;
}

interface Known extends Pick<Awaited<ReturnType<typeof readReports>>, "verdicts"> {
  readonly notes: Set<string>;
  /** Whether a report of SWE-bench is there. */
  readonly isJudged: boolean;
}

const TYPES = {
  object: ["test_result", "metadata", "metrics"],
  list: ["history"],
  text: ["instance_id", "error"],
};

function trialOf(one: JsonObject, known: Known, place: string): Omit<AgentTrial, "evaluation" | "index"> {
  checkMembers(one, TYPES, place);
  const instance = textAt(one, "instance_id");
  if (instance === null) throw new SourceFault("invalid", `${place}.instance_id`, "is no text");
  const error = textAt(one, "error");
  const result = objectAt(one, "test_result");
  const isEmpty = Object.keys(result).length === 0;
  const metrics = objectAt(one, "metrics");
  const history = readHistory(one);
  if (history.lacksZone) known.notes.add("a time without zone counts as UTC");
  const isSwe = known.isJudged || /swe/i.test(textAt(one, "metadata", "dataset") ?? "");
  const { attempt } = one;
  const { scores, failure } = outcomeOf(instance, result, known);
  return {
    place,
    trial: typeof attempt === "number" ? String(attempt) : undefined,
    identity: pick(one, ["instance_id", "attempt"]),
    ...(isSwe
      ? instanceRow(instance)
      : { sample: instance, stable: pick(one, ["instance_id", "instruction"]) }),
    scores,
    details: {
      ...(error === null ? {} : { error: { message: error } }),
      ...pick(result, ["git_patch", "final_score"]),
    },
    stopReason: error === null ? history.stopReason : isEmpty ? "error" : error,
    failure: failure ?? (error !== null && isEmpty ? error : null),
    startedAt: history.startedAt,
    endedAt: history.endedAt,
    seconds: null,
    tokens: tokensIn(
      objectAt(metrics, "accumulated_token_usage"),
      "prompt_tokens",
      "completion_tokens",
      "cache_read_tokens",
    ),
    cost: numberAt(metrics, "accumulated_cost"),
    steps: history.steps,
  };
}

/** The verdict of a line: its own, else that of a report. */
function outcomeOf(instance: string, result: JsonObject, { verdicts }: Known): ReturnType<typeof verdictOf> {
  const report = objectAt(result, "report");
  if (report["error_eval"] === true) return { scores: {}, failure: "the evaluation failed (error_eval)" };
  const resolved: Json = report["resolved"] ?? result["resolved"] ?? null;
  if (typeof resolved === "boolean") return { scores: { resolved }, failure: null };
  const final = objectAt(result, "final_score");
  const [points, total] = [numberAt(final, "result"), numberAt(final, "total")];
  if (points !== null || total !== null) return { scores: { result: points, total }, failure: null };
  return verdictOf(verdicts.get(instance));
}
