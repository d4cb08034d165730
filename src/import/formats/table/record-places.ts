import { jsonPieces, parsePlain } from "../../read/json-pieces.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { saysNone, TRUTH_WORDS } from "./cell-words.ts";
import { firstFitting, plainName } from "./guess-names.ts";
import { namesOf } from "./roles.ts";

/** Where records are, or may be, in a JSON document. */
export interface RecordPlace {
  /** Such as `results` or `run.results`; empty for the document itself. */
  readonly path: string;
  /** The names on the way; lists on it are walked through. */
  readonly names: readonly string[];
  /**
   * `inner`: a list in the records of a list. `keyed`: an object of objects by their keys; `counted`: these are 0, 1,
   * 2, …. `verdicts`: one of verdicts by their keys.
   */
  readonly kind: "list" | "inner" | "keyed" | "counted" | "verdicts";
  /** Null where it was not counted. */
  readonly length: number | null;
  /** A list beside it of trials that failed; null where there is none. */
  readonly failures: string | null;
}

type Members = { readonly [name: string]: Prefix };

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Members that hold records: an object with one is no record itself. */
const OF_RECORDS = words(
  "results records samples items cases test_cases tests examples trials evals evaluations data",
);
/** Lists in a record that are parts of it. */
const OF_A_RECORD = words(
  "messages turns conversation steps events spans traces tool_calls calls contexts documents docs chunks passages sources " +
    "citations retrieved_contexts retrieved_documents retrieved_docs choices options scores score metrics feedback " +
    "feedback_scores assessments assertions labels ratings grades",
);
/** Objects beside records that say how a run was made. */
const SETTINGS = words(
  "config configuration settings options params parameters args arguments flags features env environment metadata meta " +
    "summary metrics aggregate aggregates scores usage versions",
);
const OF_FAILURES = words("failures failed errors");
/** Lists of which each element is a record by its name. */
export const OF_TESTS = words("test_cases cases tests");
const MOST_LEVELS = 8;
const LOOKED_AT = 20;

const objectsIn = (list: Prefix | undefined): readonly Members[] =>
  Array.isArray(list) ? (list as readonly Prefix[]).slice(0, LOOKED_AT).filter(isPrefixObject) : [];
const isNoFigure = (value: Prefix) => typeof value === "boolean" || typeof value === "string";

/** Whether a member is an empty list of records, or has records by their ids instead of figures. */
function mayHoldRecords(name: string, member: Prefix): boolean {
  if (!OF_RECORDS.has(name)) return false;
  if (!isPrefixObject(member)) return Array.isArray(member) && member.length === 0;
  return Object.values(member).some((one) => isPrefixObject(one) && Object.values(one).some(isNoFigure));
}

/**
 * Whether a member of an object, or of an object in it, is a list of objects, or should be one; or records stand by
 * their keys.
 */
export function holdsRecords(value: Prefix | undefined, levels = MOST_LEVELS): boolean {
  if (Array.isArray(value)) return innerPlaces(value, []).length > 0;
  if (!isPrefixObject(value) || levels === 0) return false;
  if (levels === MOST_LEVELS && mapsIn(value).length > 0) return true;
  return Object.entries(value).some(
    ([name, member]) =>
      (levels === MOST_LEVELS && mayHoldRecords(name, member)) ||
      (Array.isArray(member)
        ? isPrefixObject(member[0] as Prefix | undefined)
        : holdsRecords(member, levels - 1)),
  );
}

/**
 * The places at which records may be: lists in lists, lists, and objects by key, in this order. `json`: the begin of
 * the file.
 */
export async function findPlaces(
  file: SourceFile,
  json: Prefix | undefined,
): Promise<readonly RecordPlace[]> {
  if (Array.isArray(json)) return innerPlaces(json, []);
  const lists = await listPlaces(file, json);
  const inner = lists.flatMap(({ names }) => innerPlaces(prefixAt(json, names), names));
  return [...inner, ...lists, ...(isPrefixObject(json) ? mapsIn(json) : [])];
}

function prefixAt(value: Prefix | undefined, names: readonly string[]): Prefix | undefined {
  return names.reduce<Prefix | undefined>(
    (one, name) => (isPrefixObject(one) ? one[name] : undefined),
    value,
  );
}

const hasInput = (columns: readonly string[]) => firstFitting(columns, namesOf("names", "input")).length > 0;

function tellsRow(columns: readonly string[]): boolean {
  return hasInput(columns) || firstFitting(columns, namesOf("names", "row")).length > 0;
}

/** Whether a member is a list of records. */
export function isRecordList(name: string, member: Prefix): boolean {
  const objects = objectsIn(member);
  return objects.length > 0 && !OF_A_RECORD.has(plainName(name)) && !isNamedScores(objects);
}

/** Whether a list is one of scores by their names, and not of records. */
function isNamedScores(objects: readonly Members[]): boolean {
  return objects.every(
    (one) =>
      ["name", "key", "metric", "assessment_name"].some((name) => typeof one[name] === "string") &&
      ["score", "value", "passed", "feedback", "expectation"].some((name) => name in one) &&
      !hasInput(Object.keys(one)),
  );
}

/** Lists of records in the elements of a list. A record that says what was asked has only parts. */
function innerPlaces(list: Prefix | undefined, names: readonly string[]): RecordPlace[] {
  const outer = objectsIn(list);
  const isAsked = outer.some((one) => hasInput(Object.keys(one)));
  const members = new Set(outer.flatMap((one) => Object.keys(one)));
  return [...members].flatMap((name) => {
    if (OF_A_RECORD.has(plainName(name)) || (isAsked && !OF_RECORDS.has(plainName(name)))) return [];
    const elements = outer.flatMap((one) => objectsIn(one[name]));
    const areTests = OF_TESTS.has(plainName(name)) && !outer.some((one) => tellsRow(Object.keys(one)));
    if (elements.length === 0 || (isNamedScores(elements) && !areTests)) return [];
    const at = [...names, name];
    const deeper = innerPlaces(elements, at);
    const columns = [...new Set(elements.flatMap((one) => Object.keys(one)))];
    if (!tellsRow(columns) && !OF_RECORDS.has(plainName(name))) return deeper;
    return [...deeper, placeOf("inner", at)];
  });
}

function placeOf(
  kind: RecordPlace["kind"],
  names: readonly string[],
  length: number | null = null,
): RecordPlace {
  return { path: names.join("."), names, kind, length, failures: null };
}

/** Objects of records by their keys, and of verdicts, at the top or one level down. */
function mapsIn(json: Members): RecordPlace[] {
  const found = mapKind(json);
  if (found !== null) return [placeOf(found, [], Object.keys(json).length)];
  const isRecord = tellsRow(Object.keys(json));
  return Object.entries(json).flatMap(([name, member]) => {
    const plain = plainName(name);
    const isOther = SETTINGS.has(plain) || OF_A_RECORD.has(plain) || (isRecord && !OF_RECORDS.has(plain));
    const kind = isPrefixObject(member) && !isOther ? mapKind(member) : null;
    return kind === null ? [] : [placeOf(kind, [name])];
  });
}

function mapKind(object: Members): "keyed" | "counted" | "verdicts" | null {
  const values = Object.values(object);
  if (values.length < 2) return null;
  if (values.filter(isVerdict).length > 1 && values.every((value) => isVerdict(value) || saysNone(value)))
    return "verdicts";
  const members = values.map((value) => (isPrefixObject(value) ? Object.keys(value) : []));
  // The last one may be cut.
  const whole = members.slice(0, Math.max(2, members.length - 1));
  const first = whole[0] ?? [];
  const common = first.filter((name) => whole.every((names) => names.includes(name)));
  const areColumns = first.every((name, i) => name === String(i));
  const isAlike = whole.every((names) => names.length > 0 && common.length * 2 >= names.length);
  const areRecords = values.some((value) => isPrefixObject(value) && Object.values(value).some(isNoFigure));
  const areCounted = Object.keys(object).every((name, i) => name === String(i));
  if (!isAlike || areColumns || !(areRecords || areCounted)) return null;
  return areCounted ? "counted" : "keyed";
}

function isVerdict(value: Prefix): boolean {
  const word = typeof value === "string" ? TRUTH_WORDS.get(value.trim().toLowerCase()) : undefined;
  return typeof value === "boolean" || (word !== undefined && word.kind !== "letter");
}

/** Elements of any list in an object and what is in it, down to some levels, without what is in them. */
function listsWithin(levels: number): JsonCut {
  return { elements: { others: "skip" }, others: levels === 0 ? "skip" : listsWithin(levels - 1) };
}

const LISTS = listsWithin(4);

/** The lists of objects in an object, and in objects in it. */
async function listPlaces(file: SourceFile, json: Prefix | undefined): Promise<readonly RecordPlace[]> {
  const lengths = new Map<string, number>();
  let frame: Json = {};
  for await (const piece of jsonPieces(file.bytes(), LISTS)) {
    if (piece.place === "") frame = parsePlain(piece);
    else {
      const path = piece.place.slice(0, piece.place.lastIndexOf("["));
      // A list with anything else in it is none of records.
      const by = piece.text[0] === OPEN_OBJECT ? 1 : Number.NaN;
      lengths.set(path, (lengths.get(path) ?? 0) + by);
    }
  }
  const lists = [...lengths].flatMap(([path, length]) =>
    Number.isNaN(length) ? [] : [{ ...placeOf("list", namesAt(frame, path), length), path }],
  );
  const failures = lists.find(
    ({ names, path }) => OF_FAILURES.has(path) && saysErrors(prefixAt(json, names)),
  );
  const others = lists.filter((one) => one !== failures);
  return others.map((one) =>
    one.names.length === 1 && failures !== undefined ? { ...one, failures: failures.path } : one,
  );
}

function saysErrors(list: Prefix | undefined): boolean {
  const objects = objectsIn(list);
  return (
    objects.length > 0 &&
    objects.every((one) => firstFitting(Object.keys(one), namesOf("names", "error")).length > 0)
  );
}

const OPEN_OBJECT = "{".charCodeAt(0);

/** The names of the members on a path, through lists too; a member whose name holds dots has precedence. */
function namesAt(value: Json | Prefix | undefined, path: string): readonly string[] {
  if (Array.isArray(value)) return namesAt(value[0] as Prefix | undefined, path);
  const members: { readonly [name: string]: Json | Prefix } = isJsonObject(value) ? value : {};
  if (Object.hasOwn(members, path) || !path.includes(".")) return [path];
  const [first] = Object.keys(members)
    .filter((name) => path.startsWith(`${name}.`))
    .toSorted((a, b) => a.length - b.length);
  if (first === undefined) return path.split(".");
  return [first, ...namesAt(members[first], path.slice(first.length + 1))];
}

/** The place that a caller names. */
export function namedPlace(json: Prefix | undefined, path: string): RecordPlace {
  const names = namesAt(json, path);
  const at = prefixAt(json, names);
  const lists = listsOn(json, names);
  const kind = lists < names.length ? "inner" : isPrefixObject(at) ? (mapKind(at) ?? "keyed") : "list";
  return { ...placeOf(kind, names), path };
}

/** How many names lead to the first list on a way; all where there is none before its end. */
export function listsOn(json: Prefix | undefined, names: readonly string[]): number {
  const at = names.findIndex((_, i) => Array.isArray(prefixAt(json, names.slice(0, i))));
  return at < 0 ? names.length : at;
}

/** Members of what is around records that name their task and their model, the first that is there. */
export const OUTER_TASK = ["task", "name", "suite", "benchmark", "dataset"];
export const OUTER_MODEL = ["model", "model_name", "model_id"];

/** What the object around some records says of each of them: the name of a task or a model; by columns of their own. */
export function outerMembers(outer: JsonObject, path: string): JsonObject {
  const named = [...OUTER_TASK, ...OUTER_MODEL].flatMap((name) => {
    const value = outer[name];
    const isName = typeof value === "string" || typeof value === "number";
    return isName && value !== "" ? [[outerColumn(path, name), value] as const] : [];
  });
  return Object.fromEntries(named);
}

/** The column of what the objects on the way to records say. */
export function outerColumn(path: string, name: string): string {
  return path === "" ? `outer.${name}` : `${path}.${name}`;
}
