import type { Head } from "../../recognise/head.ts";
import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { TRUTH_WORDS } from "./cell-words.ts";
import { CONTAINERS } from "./find-members.ts";
import { firstFitting, isNoScore, isScoreName, plainName } from "./guess-names.ts";
import { isRecordList } from "./record-places.ts";
import { reportOf } from "./readers/report-table.ts";
import { namesOf } from "./roles.ts";

type Members = { readonly [name: string]: Prefix };

const ROWS = [...namesOf("names", "row", "input"), ...namesOf("uniqueNames", "row")];

/** Whether a file is one JSON object with a row and a score, and no list of records. */
export function isTrialFile({ name, json, text, firstLine, tail }: Head): boolean {
  const isLines =
    /\.(jsonl|ndjson)(\.|$)/i.test(name) || (firstLine !== undefined && text.trim().includes("\n"));
  if (!isPrefixObject(json) || isLines || reportOf(json) !== null) return false;
  if (tail.toString("latin1").trimEnd().at(-1) !== "}") return false;
  const members = Object.entries(json);
  const inside = members.flatMap(([, member]) => (isPrefixObject(member) ? [member] : []));
  if (members.some(([one, member]) => isRecordList(one, member))) return false;
  return (
    [json, ...inside].some((one) => firstFitting(Object.keys(one), ROWS).length > 0) &&
    (hasScore(json) || inside.some(hasScore) || members.some(([one, member]) => isContainer(one, member)))
  );
}

const isFigure = (value: Prefix) =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && TRUTH_WORDS.has(value.trim().toLowerCase()));

function hasScore(object: Members): boolean {
  return Object.entries(object).some(([name, value]) => isScoreName(name) && isFigure(value));
}

function isContainer(name: string, member: Prefix): boolean {
  if (!CONTAINERS.has(plainName(name)) || !isPrefixObject(member)) return false;
  return Object.entries(member).some(([one, value]) => !isNoScore(one) && isFigure(value));
}
