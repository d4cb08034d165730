import type { Json, JsonObject } from "../../../model/json.ts";
import { figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt } from "../../check/score-book.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import { listAt, numberAt, textAt } from "../../read/members.ts";
import { hasMembers, type Prefix } from "../../recognise/json-prefix.ts";
import type { Head } from "../../recognise/head.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { microsecondsOf, readTime } from "../../translate/times.ts";

export function isAggregate(json: Prefix | undefined): boolean {
  return hasMembers(json, "schema_version", "model_info", "evaluation_results");
}

/** The name of the aggregate beside an instance file; null where there is none. */
export function aggregateName({ name, siblings }: Head): string | null {
  const base = name.replace(/(_samples)?\.jsonl$/, "");
  return siblings.find((other) => other === `${base}.json`) ?? null;
}

/** The aggregate beside an instance file; null where there is none, or the file is something else. */
export async function readAggregate({ head, beside }: LogSource): Promise<JsonObject | null> {
  const name = aggregateName(head);
  if (name === null) return null;
  try {
    const value = parsePlain(await readDocument((await beside(name)).bytes()));
    return isAggregate(value as Prefix) ? (value as JsonObject) : null;
  } catch (error) {
    if (error instanceof SourceFault) return null;
    throw error;
  }
}

/** When the run was, in microseconds since 1970: ISO 8601, or seconds as a text. */
export function timeOf(aggregate: JsonObject | null): bigint | null {
  const text = textAt(aggregate ?? {}, "evaluation_timestamp");
  if (text === null) return null;
  return /^\d+(\.\d+)?$/.test(text) ? microsecondsOf(Number(text)) : readTime(text);
}

/** Compares the stated scores with the means of the trials. */
export function* aggregateFigures(
  aggregate: JsonObject,
  evaluations: readonly LogEvaluation[],
  { book, refused }: ReadContext,
): Generator<LogItem> {
  const results = listAt(aggregate, "evaluation_results");
  for (const result of results) {
    const name = textAt(result, "evaluation_name") ?? "";
    const stated = numberAt(result, "score_details", "score");
    if (stated === null) continue;
    const [evaluation, another] = evaluations.filter(({ task }) => task === name);
    const values = evaluation === undefined ? [] : numbersAt(book, evaluation.id, "score");
    const why = reasonAgainst(results, name, refused(), values.length, another !== undefined);
    if (why !== null || evaluation === undefined) yield unchecked(name, why ?? "it has no samples");
    else yield figureOf(evaluation.id, "score", "mean", stated, meanOf(values));
  }
}

function reasonAgainst(
  results: readonly Json[],
  name: string,
  refused: number,
  samples: number,
  isTwice: boolean,
): string | null {
  if (refused > 0) return `${refused} instances were refused`;
  if (samples === 0) return "it has no samples";
  const isAmbiguous = isTwice || results.filter((one) => textAt(one, "evaluation_name") === name).length > 1;
  return isAmbiguous ? "several scores have this name" : null;
}
