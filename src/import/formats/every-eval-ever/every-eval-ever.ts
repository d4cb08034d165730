import type { JsonObject } from "../../../model/json.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { noSamples, orRefused } from "../../read/fault.ts";
import { parseLine, textLines } from "../../read/json-lines.ts";
import { omit, objectAt, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers } from "../../recognise/json-prefix.ts";
import { rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { aggregateFigures, aggregateName, isAggregate, readAggregate, timeOf } from "./aggregate.ts";
import { readInstance, trialOf, type Instance } from "./instance.ts";

/** Instance files of Every Eval Ever, with the aggregate beside them. */
export const everyEvalEver: Format = {
  name: "eee",
  recognises: (head) => isInstances(head) || isAggregate(head.json),
  claims: (head) => {
    const name = isInstances(head) ? aggregateName(head) : null;
    return name === null ? [] : [name];
  },
  read: readInstances,
};

function isInstances({ firstLine, json }: Head): boolean {
  return hasMembers(firstLine ?? json, "schema_version", "evaluation_id", "sample_id", "evaluation");
}

async function* readInstances(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  if (!isInstances(source.head))
    throw noSamples(
      "is an aggregate, which holds no samples: import the instance file (.jsonl) that belongs to it",
    );
  const aggregate = await readAggregate(source);
  yield { kind: "tool", version: textAt(aggregate ?? {}, "eval_library", "version") };
  const evaluations = new Map<string, LogEvaluation>();
  const repeats = new Map<string, number>();
  for await (const line of textLines(source.file.bytes())) {
    const place = `line ${line.line}`;
    const instance = orRefused(() => readInstance(parseLine(line), place), place, context.refuse);
    if (instance === null) continue;
    const evaluation = evaluationOf(instance, aggregate);
    const key = JSON.stringify([evaluation.id, instance.sample]);
    const repeat = repeats.get(key) ?? 0;
    repeats.set(key, repeat + 1);
    evaluations.set(evaluation.id, evaluations.get(evaluation.id) ?? evaluation);
    yield { kind: "trial", trial: trialOf(instance, evaluation, repeat, place) };
  }
  if (aggregate !== null) yield* aggregateFigures(aggregate, [...evaluations.values()], context);
}

function evaluationOf(instance: Instance, aggregate: JsonObject | null): LogEvaluation {
  const { evaluationId, evaluationName, model, plain } = instance;
  const info = objectAt(aggregate ?? {}, "model_info");
  return {
    id: rootId("eee", `${evaluationId}:${evaluationName}`),
    task: evaluationName,
    model: model ?? textAt(info, "id") ?? textAt(info, "name") ?? "unknown",
    startedAt: timeOf(aggregate),
    logVersion: plain["schema_version"] ?? null,
    spec: { evaluation_id: evaluationId, ...omit(aggregate ?? {}, ["evaluation_results", "schema_version"]) },
  };
}
