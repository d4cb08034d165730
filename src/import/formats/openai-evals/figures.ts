import { isJsonObject, type Json } from "../../../model/json.ts";
import { meanOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import type { LogItem } from "../../translate/log-parts.ts";

/** What the comparison with a final report needs. */
interface ReportParts {
  readonly evaluation: string;
  readonly report: Json;
  /** The values of all `match` events. */
  readonly matches: readonly number[];
  readonly refused: number;
  readonly book: ScoreBook;
}

const RANDOM = new Set(["boostrap_std", "bootstrap_std"]);

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
  for (const [name, stated] of Object.entries(report)) yield figureOf(name, stated, parts);
}

function figureOf(
  name: string,
  stated: Json,
  { evaluation, matches, book }: Omit<ReportParts, "report" | "refused">,
): LogItem {
  if (RANDOM.has(name)) return unchecked(name, "it comes of random samples");
  if (typeof stated !== "number" || !Number.isFinite(stated)) return unchecked(name, "it is not a number");
  if (name === "accuracy" && matches.length > 0)
    return figure(evaluation, "match", name, stated, meanOf(matches));
  const names = new Set([name, name.split("/", 1)[0] ?? name]);
  const fitting = [...names].flatMap((key) => {
    const values = book.find(evaluation, [key])?.values.filter((value) => !Number.isNaN(value)) ?? [];
    return values.length === 0 ? [] : [{ key, values }];
  });
  const [only, another] = fitting;
  if (only === undefined) return unchecked(name, "no metric of the samples has this name");
  if (another !== undefined) return unchecked(name, `${only.key} and ${another.key} may both be meant`);
  return figure(evaluation, only.key, name, stated, meanOf(only.values));
}

function figure(id: string, key: string, stat: string, stated: number, computed: number): LogItem {
  return {
    kind: "figure",
    figure: { evaluation_call_id: id, scorer_key: key, path: null, stat, stated, computed },
  };
}

function unchecked(what: string, why: string): LogItem {
  return { kind: "unchecked", what, why };
}
