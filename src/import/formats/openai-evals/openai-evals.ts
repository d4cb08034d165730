import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { choiceNames, reportFigures } from "./figures.ts";
import { sampleEvents, surveyLog } from "./read-log.ts";
import { runOf } from "./run.ts";
import { countEvents, isKnown, trialOf } from "./trial.ts";

/** Record files of OpenAI Evals, as `oaieval` writes them. */
export const openaiEvals: Format = {
  name: "openai-evals",
  recognises,
  read: readRecords,
};

function recognises({ firstLine, json }: Head): boolean {
  const first: Prefix | undefined = firstLine ?? json;
  if (!isPrefixObject(first)) return false;
  const [name, ...others] = Object.keys(first);
  if (name === "final_report" && others.length === 0) return true;
  const { spec } = first;
  if (isPrefixObject(spec) && others.length === 0) return "completion_fns" in spec || "run_id" in spec;
  return hasMembers(first, "run_id", "event_id", "sample_id", "type", "data");
}

async function* readRecords({ file }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const survey = await surveyLog(file, context);
  const { evaluation, notes } = runOf(survey, context);
  for (const text of notes) yield { kind: "note", text };
  const choices = choiceNames(survey.report);
  const count = (name: string, by?: number) => context.book.count(evaluation.id, name, by);
  const unknown = new Set<string>();
  let isResampled = false;
  for await (const events of sampleEvents(file, survey)) {
    for (const { type } of events) if (!isKnown(type)) unknown.add(type);
    isResampled ||= events.filter(({ type }) => type === "sampling").length > 1;
    const read = () => {
      countEvents(events, choices, count);
      return trialOf(evaluation, events[0]?.sample ?? "", events, choices);
    };
    const trial = orRefused(read, events[0]?.place ?? "", context.refuse);
    if (trial !== null) yield { kind: "trial", trial };
  }
  if (unknown.size > 0)
    yield { kind: "note", text: `left out: events of the types ${[...unknown].join(", ")}` };
  if (isResampled)
    yield { kind: "note", text: "left out: of a sample with several samplings, the answers before the last" };
  yield* reportFigures(survey.report, evaluation.id, context);
}
