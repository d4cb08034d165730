import { isJsonObject, type Json } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import type { ReadContext } from "../../format.ts";
import type { LogItem } from "../../translate/log-parts.ts";

const RANDOM = new Set(["boostrap_std", "bootstrap_std"]);

/** A figure that counts a text: `counts/choice/A`. */
const COUNT = /^counts\/(.+?)\/(.*)$/s;

/** Metrics whose texts are scores: `choice`, and those whose texts the report counts. */
export function choiceNames(report: Json): ReadonlySet<string> {
  const counted = Object.keys(isJsonObject(report) ? report : {}).map((name) => COUNT.exec(name)?.[1]);
  return new Set(["choice", ...counted.filter((name) => name !== undefined)]);
}

/** Compares the final report with the trials, whose matches and choices are counted in the book. */
export function* reportFigures(
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
  const [, metric, choice] = COUNT.exec(name) ?? [];
  if (metric !== undefined && choice !== undefined && counted("texts", metric) > 0)
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
