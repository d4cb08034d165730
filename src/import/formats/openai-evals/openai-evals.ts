import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { type LogSurvey, sampleEvents, surveyLog } from "./read-log.ts";
import { countEvents, isKnown, sampleTrial } from "./trial.ts";
import { orRefused } from "../../read/fault.ts";
import { textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

/** The run as an evaluation. */
function runOf({ spec, runId, report, apart }: LogSurvey, { table }: ReadContext): LogEvaluation {
  const time = spec?.["created_at"];
  const model = spec === null ? null : modelOf(spec);
  const notes = [
    ...(lacksZone(time) ? ["a time without zone counts as UTC"] : []),
    ...(model === null && table.modelName === undefined
      ? ["the log does not name the model; it is unknown, --model names it"]
      : []),
    ...(report === null ? ["the log has no final report: the run did not come to its end"] : []),
    ...(apart > 0 ? [`left out: ${apart} events of no sample`] : []),
  ];
  return {
    id: rootId("openai-evals", runId),
    task: textAt(spec ?? {}, "eval_name") ?? table.taskName ?? "unknown",
    model: model ?? table.modelName ?? "unknown",
    startedAt: readTime(time),
    goesOn: report === null,
    notes,
    spec: withoutNoNumbers(spec ?? {}) as JsonObject,
  };
}

/** The names of the completion functions; older logs name models. */
function modelOf(spec: JsonObject): string | null {
  for (const member of ["completion_fns", "model_names", "model_name"]) {
    const names = textsIn(spec[member] ?? null);
    if (names.length > 0) return names.join(",");
  }
  return null;
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((one: Json) => textsIn(one));
  return isJsonObject(value) ? Object.values(value).flatMap((one) => textsIn(one)) : [];
}

const RANDOM = new Set(["boostrap_std", "bootstrap_std"]);

/** A figure that counts a text: `counts/choice/A`, of the choice also `counts/A`. */
const COUNT = /^counts\/(?:(.[^/]*)\/)?(.*)$/s;

/** Metrics whose texts are scores: `choice`, and those whose texts the report counts. */
function choiceNames(report: Json): ReadonlySet<string> {
  const counted = Object.keys(isJsonObject(report) ? report : {}).map((name) => COUNT.exec(name)?.[1]);
  return new Set(["choice", ...counted.filter((name) => name !== undefined)]);
}

/** Compares the final report with the trials, whose matches and choices are counted in the book. */
function* reportFigures(
  report: Json,
  evaluation: string,
  { book, refused }: ReadContext,
): Generator<LogItem> {
  if (report === null) return;
  if (refused() > 0) yield unchecked("final_report", `${refused()} records were refused`);
  else if (!isJsonObject(report)) yield unchecked("final_report", "it is not an object");
  else
    for (const [name, stated] of Object.entries(report)) yield reportFigure(name, stated, evaluation, book);
}

function reportFigure(name: string, stated: Json, evaluation: string, book: ScoreBook): LogItem {
  if (RANDOM.has(name)) return unchecked(name, "it comes of random samples");
  if (typeof stated !== "number" || !Number.isFinite(stated)) return unchecked(name, "it is not a number");
  const counted = (...what: readonly string[]) => book.counted(evaluation, what.join(" "));
  if (name === "accuracy" && counted("matches") > 0)
    return figureOf(evaluation, "match", name, stated, counted("correct") / counted("matches"));
  const [, metric = "choice", choice] = COUNT.exec(name) ?? [];
  if (choice !== undefined && counted("texts", metric) > 0)
    return figureOf(evaluation, metric, name, stated, counted("text", metric, choice));
  const names = new Set([name, name.split("/", 1)[0] ?? name]);
  const fitting = [...names].flatMap((key) => {
    const values = numbersAt(book, evaluation, key);
    return values.length === 0 ? [] : [{ key, values }];
  });
  const [only, another] = fitting;
  if (only === undefined) return unchecked(name, "no metric of the samples has this name");
  if (another !== undefined) return unchecked(name, `${only.key} and ${another.key} may both be meant`);
  const found = figureOf(evaluation, only.key, name, stated, meanOf(only.values));
  // What stands behind the name of a metric may say another figure of it: `score/std`.
  if (only.key !== name && !agrees(found.figure)) return unchecked(name, "how it is computed is not known");
  return found;
}

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
  const evaluation = runOf(survey, context);
  const choices = choiceNames(survey.report);
  const count = (name: string, by?: number) => context.book.count(evaluation.id, name, by);
  const unknown = new Set<string>();
  let isResampled = false;
  for await (const events of sampleEvents(file, survey)) {
    for (const { type } of events) if (!isKnown(type)) unknown.add(type);
    isResampled ||= events.filter(({ type }) => type === "sampling").length > 1;
    const read = () => {
      countEvents(events, choices, count);
      return sampleTrial(evaluation, events[0]?.sample ?? "", events, choices);
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
