import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { LogEvent } from "./events.ts";
import { choiceCounts, reportFigures } from "./figures.ts";
import { sampleEvents, surveyLog } from "./read-log.ts";
import { runOf } from "./run.ts";
import { countChoices, isKnown, matchesOf, trialOf } from "./trial.ts";

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
  const matches: number[] = [];
  const choices = choiceCounts(survey.report);
  const unknown = new Set<string>();
  let isResampled = false;
  const read = (events: readonly LogEvent[]) => {
    matches.push(...matchesOf(events));
    countChoices(events, choices);
    return trialOf(evaluation, events[0]?.sample ?? "", events, (name) => choices.has(name));
  };
  for await (const events of sampleEvents(file, survey)) {
    for (const { type } of events) if (!isKnown(type)) unknown.add(type);
    isResampled ||= events.filter(({ type }) => type === "sampling").length > 1;
    const trial = orRefused(() => read(events), events[0]?.place ?? "", context.refuse);
    if (trial !== null) yield { kind: "trial", trial };
  }
  if (unknown.size > 0)
    yield { kind: "note", text: `left out: events of the types ${[...unknown].join(", ")}` };
  if (isResampled)
    yield { kind: "note", text: "left out: of a sample with several samplings, the answers before the last" };
  yield* reportFigures({
    evaluation: evaluation.id,
    report: survey.report,
    matches,
    choices,
    refused: context.refused(),
    book: context.book,
  });
}
