import { isJsonObject, type Json } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import type { LogItem } from "../../translate/log-parts.ts";

/** What the comparison with a final report needs. */
interface ReportParts {
  readonly evaluation: string;
  readonly report: Json;
  /** The values of all `match` events. */
  readonly matches: readonly number[];
  /** How often each text was the score, by metric. */
  readonly choices: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly refused: number;
  readonly book: ScoreBook;
}

const RANDOM = new Set(["boostrap_std", "bootstrap_std"]);

/** A figure that counts a text: `counts/choice/A`. */
const COUNT = /^counts\/(.+?)\/(.*)$/s;

/** Counts for each metric whose texts are scores: `choice`, and those whose texts the report counts. */
export function choiceCounts(report: Json): ReadonlyMap<string, Map<string, number>> {
  const counted = Object.keys(isJsonObject(report) ? report : {}).map((name) => COUNT.exec(name)?.[1]);
  const names = ["choice", ...counted.filter((name) => name !== undefined)];
  return new Map(names.map((name) => [name, new Map<string, number>()]));
}

/** Compares the final report with the trials. */
export function* reportFigures({ report, refused, ...parts }: ReportParts): Generator<LogItem> {
  if (report === null) return;
  if (refused > 0) {
    yield unchecked("final_report", `${refused} records were refused`);
    return;
  }
  if (!isJsonObject(report)) {
    yield unchecked("final_report", "it is not an object");
    return;
  }
  for (const [name, stated] of Object.entries(report)) yield reportFigure(name, stated, parts);
}

function reportFigure(
  name: string,
  stated: Json,
  { evaluation, matches, choices, book }: Omit<ReportParts, "report" | "refused">,
): LogItem {
  if (RANDOM.has(name)) return unchecked(name, "it comes of random samples");
  if (typeof stated !== "number" || !Number.isFinite(stated)) return unchecked(name, "it is not a number");
  if (name === "accuracy" && matches.length > 0)
    return figureOf(evaluation, "match", name, stated, meanOf(matches));
  const [, metric, choice] = COUNT.exec(name) ?? [];
  const counts = choices.get(metric ?? "");
  if (metric !== undefined && choice !== undefined && counts !== undefined && counts.size > 0)
    return figureOf(evaluation, metric, name, stated, counts.get(choice) ?? 0);
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
