import type { JsonObject } from "../../../model/json.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { SourceFault, withPlace, noSamples } from "../../read/fault.ts";
import { parseLine, textLines } from "../../read/json-lines.ts";
import { omit, objectAt, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import { rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { aggregateFigures, aggregateName, isAggregate, readAggregate, timeOf } from "./aggregate.ts";
import { readInstance, trialOf, type Instance } from "./instance.ts";
import { TIME_OF_FILE } from "../../translate/times.ts";

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
  const first = firstLine ?? json;
  return (
    isPrefixObject(first) &&
    ["schema_version", "evaluation_id", "sample_id", "evaluation"].every((name) => name in first)
  );
}

async function* readInstances(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  if (!isInstances(source.head))
    throw noSamples(
      "is an aggregate, which holds no samples: import the instance file (.jsonl) that belongs to it",
    );
  const aggregate = await readAggregate(source);
  yield { kind: "tool", version: textAt(objectAt(aggregate ?? {}, "eval_library"), "version") };
  if (timeOf(aggregate) === null)
    yield { kind: "note", text: `the log has no time of the run; ${TIME_OF_FILE}` };
  const evaluations = new Map<string, LogEvaluation>();
  const repeats = new Map<string, number>();
  let refused = 0;
  for await (const line of textLines(source.file.bytes())) {
    const place = `line ${line.line}`;
    try {
      const instance = readInstance(parseLine(line), place);
      const evaluation = evaluationOf(instance, aggregate);
      const key = JSON.stringify([evaluation.id, instance.sample]);
      const repeat = repeats.get(key) ?? 0;
      const trial = trialOf(instance, evaluation, repeat, place);
      repeats.set(key, repeat + 1);
      if (!evaluations.has(evaluation.id)) yield { kind: "evaluation", evaluation };
      evaluations.set(evaluation.id, evaluations.get(evaluation.id) ?? evaluation);
      yield { kind: "trial", trial };
    } catch (error) {
      const fault = withPlace(place, error);
      if (!(fault instanceof SourceFault)) throw fault;
      context.refuse(fault);
      refused++;
    }
  }
  if (aggregate !== null)
    yield* aggregateFigures(aggregate, [...evaluations.values()], refused, context.book);
}

function evaluationOf(instance: Instance, aggregate: JsonObject | null): LogEvaluation {
  const { evaluationId, evaluationName, model, members } = instance;
  const info = objectAt(aggregate ?? {}, "model_info");
  return {
    id: rootId("eee", `${evaluationId}:${evaluationName}`),
    task: evaluationName,
    model: model ?? textAt(info, "id") ?? textAt(info, "name") ?? "unknown",
    startedAt: timeOf(aggregate),
    logVersion: members["schema_version"] ?? null,
    spec: { evaluation_id: evaluationId, ...omit(aggregate ?? {}, ["evaluation_results", "schema_version"]) },
  };
}
