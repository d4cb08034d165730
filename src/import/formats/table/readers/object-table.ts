import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import type { JsonCut } from "../../../read/json-cut.ts";
import { jsonPieces, parsePlain, readDocument } from "../../../read/json-pieces.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { isPrefixObject, type Prefix } from "../../../recognise/json-prefix.ts";
import { listTable } from "./json-table.ts";
import type { TableReader } from "./table-reader.ts";

/** A list of objects in a JSON object. */
export interface RecordList {
  /** Such as `results` or `run.results`. */
  readonly path: string;
  readonly names: readonly string[];
  /** Null where it was not counted. */
  readonly length: number | null;
}

const MOST_LEVELS = 8;

/** Whether a member of an object, or of an object in it, is a list of objects. */
export function holdsRecords(value: Prefix | undefined, levels = MOST_LEVELS): boolean {
  if (!isPrefixObject(value) || levels === 0) return false;
  return Object.values(value).some((member) =>
    Array.isArray(member)
      ? isPrefixObject(member[0] as Prefix | undefined)
      : holdsRecords(member, levels - 1),
  );
}

/** Elements of any list at the top or one level down, without what is in them. */
const LISTS: JsonCut = {
  others: { elements: { others: "skip" }, others: { elements: { others: "skip" }, others: "skip" } },
};

/** The lists of objects at the top of an object or one level down, and its members. */
export async function recordLists(file: SourceFile): Promise<readonly RecordList[]> {
  const lengths = new Map<string, number>();
  let frame: Json = {};
  for await (const piece of jsonPieces(file.bytes(), LISTS)) {
    if (piece.place === "") frame = parsePlain(piece);
    else if (piece.text[0] === OPEN_OBJECT) {
      const path = piece.place.slice(0, piece.place.lastIndexOf("["));
      lengths.set(path, (lengths.get(path) ?? 0) + 1);
    }
  }
  return [...lengths].map(([path, length]) => ({ path, names: namesAt(frame, path), length }));
}

const OPEN_OBJECT = "{".charCodeAt(0);

/** The names of the members on a path; a member whose name holds dots has precedence. */
export function namesAt(value: Json | Prefix | undefined, path: string): readonly string[] {
  const members: { readonly [name: string]: Json | Prefix } = isJsonObject(value) ? value : {};
  if (Object.hasOwn(members, path) || !path.includes(".")) return [path];
  const ends = [...path.matchAll(/\./g)].map(({ index }) => index);
  const end = ends.find((at) => Object.hasOwn(members, path.slice(0, at))) ?? path.indexOf(".");
  const first = path.slice(0, end);
  return [first, ...namesAt(members[first], path.slice(end + 1))];
}

function cutAt(
  names: readonly string[],
  cut: JsonCut | "skip",
  others: Pick<JsonCut, "others">,
): JsonCut | "skip" {
  const [first, ...rest] = names;
  return first === undefined ? cut : { members: { [first]: cutAt(rest, cut, others) }, ...others };
}

/** The records of a list. */
export function recordsTable(file: SourceFile, names: readonly string[]): TableReader {
  const cut = cutAt(names, { elements: {} }, { others: "skip" });
  return listTable(file, cut === "skip" ? {} : cut);
}

/** What an object says beside a list: the members on the way to it, the nearer ones before. */
export async function besideList(file: SourceFile, names: readonly string[]): Promise<JsonObject> {
  const cut = cutAt(names, "skip", {});
  const whole = parsePlain(await readDocument(file.bytes(), cut === "skip" ? {} : cut));
  const beside: { [name: string]: Json } = {};
  let inner: Json | undefined = whole;
  for (const name of names) {
    if (!isJsonObject(inner)) break;
    const { [name]: next, ...others }: JsonObject = inner;
    Object.assign(beside, others);
    inner = next;
  }
  return beside;
}
