import { isJsonObject, type Json } from "../../../model/json.ts";
import { objectAt, textAt } from "../../read/members.ts";

/** A cell that holds an object or a list, also as JSON text; null for any other. */
export function parsedCell(cell: Json | undefined): Json {
  if (typeof cell === "object") return cell;
  if (typeof cell !== "string" || !/^\s*[{[]/.test(cell)) return null;
  try {
    const parsed = JSON.parse(cell) as Json;
    return typeof parsed === "object" ? parsed : null;
  } catch {
    return null;
  }
}

/** The parts of a path, of which the first is a column: `\.` is a dot in a name, and a column of a longer name wins. */
export function splitPath(path: string, columns: readonly string[]): string[] {
  const parts = path.split(/(?<!\\)\./).map((part) => part.replaceAll(String.raw`\.`, "."));
  const most = columns.reduce((longest, column) => Math.max(longest, column.split(".").length), 0);
  for (let end = Math.min(parts.length, most); end > 1; end--) {
    const column = parts.slice(0, end).join(".");
    if (columns.includes(column)) return [column, ...parts.slice(end)];
  }
  return parts;
}

/** What lies at the end of a path, how many of its names lead somewhere, and the names of what is there. */
export function memberIn(value: Json, names: readonly string[]) {
  let at: Json | undefined = value;
  let known = 0;
  for (const name of names) {
    const members: { readonly [name: string]: Json } =
      typeof at === "object" && at !== null ? (at as { readonly [name: string]: Json }) : {};
    if (!Object.hasOwn(members, name)) return { value: undefined, known, inside: Object.keys(members) };
    at = members[name];
    known++;
  }
  return { value: at ?? undefined, known, inside: [] };
}

/** A score of a list of names and values. */
interface NamedScore {
  readonly name: string;
  readonly value: Json | undefined;
  /** Whether it says what is right. */
  readonly isExpected: boolean;
}

const NAMES = ["name", "key", "metric", "assessment_name"];
const OF_SCORES = /eval|score|metric|result|check|assess|grade|rating|feedback/;

/** The scores of a list of names and values, in a column of such a name; none of any other list. */
export function listScores(
  column: string,
  list: readonly Json[],
  containers: ReadonlySet<string>,
): readonly NamedScore[] {
  const isOfScores = containers.has(column) || OF_SCORES.test(column);
  const scores = list.map((one) => namedScore(one, isOfScores));
  return scores.every((one) => one !== null) ? scores : [];
}

function namedScore(one: Json, isOfScores: boolean): NamedScore | null {
  if (!isJsonObject(one)) return null;
  const name = NAMES.map((member) => textAt(one, member)).find((found) => found !== null);
  const feedback = objectAt(one, "feedback")["value"];
  const says = ["score", "passed", "feedback", "expectation", "dataType", "data_type"].some(
    (member) => member in one,
  );
  if (name === undefined || !(says || (isOfScores && ("value" in one || "label" in one)))) return null;
  const expectation = objectAt(one, "expectation")["value"];
  const value = one["score"] ?? one["value"] ?? one["passed"] ?? feedback ?? expectation ?? null;
  const type = one["dataType"] ?? one["data_type"];
  const text = one["stringValue"] ?? one["string_value"] ?? one["label"] ?? null;
  // The number of a category stands for its text.
  const plain = typeof value === "object" || type === "CATEGORICAL" ? (text ?? value) : value;
  const isBoolean = type === "BOOLEAN" && (plain === 0 || plain === 1);
  return {
    name,
    value: isBoolean ? plain === 1 : (plain ?? undefined),
    isExpected: expectation !== undefined && "expectation" in one,
  };
}
