import { cutAt, elementsOf, listTable, objectTable, type PlacedValue } from "./readers/json-table.ts";
import { isStateName, saysSkipped } from "./cell-words.ts";
import { plainName } from "./guess-names.ts";
import { cellText, PLACE, type TableReader, withoutHeaders } from "./readers/table-reader.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import type { Prefix } from "../../recognise/json-prefix.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { withoutOthers } from "./open-table.ts";
import { listsOn, OUTER_TASK, outerColumn, outerMembers, type RecordPlace } from "./record-places.ts";

/** What is stated of the records in an object around them. */
export interface OuterFigures {
  readonly task: string | null;
  readonly members: JsonObject;
}

/** The records of a place. `onOuter` hears of each object around some of them. */
export function recordsTable(
  file: SourceFile,
  json: Prefix | undefined,
  place: RecordPlace,
  onOuter: (outer: OuterFigures) => void = () => {},
): TableReader {
  if (place.kind === "list") {
    const lists = [place.names, ...(place.failures === null ? [] : [[place.failures]])];
    const members = Object.fromEntries(
      lists.map(([first = "", ...rest]) => [first, cutAt(rest, { elements: {} }, { others: "skip" })]),
    );
    return withoutOthers(
      listTable(file, place.names.length === 0 ? { elements: {} } : { members, others: "skip" }),
    );
  }
  if (place.kind === "inner")
    return withoutOthers(objectTable(() => innerRecords(file, json, place, onOuter)));
  const isVerdict = place.kind === "verdicts";
  const isState = (column: string) => isVerdict && column === PASSED;
  return withoutHeaders(
    objectTable(async function* () {
      const cut = cutAt(place.names, {}, { others: "skip" });
      const whole = parsePlain(await readDocument(file.bytes(), cut === "skip" ? {} : cut));
      const at = place.names.reduce<Json>(
        (one, name) => (isJsonObject(one) ? (one[name] ?? null) : null),
        whole,
      );
      for (const [key, value] of Object.entries(expectObject(at, place.path || null)))
        yield { place: JSON.stringify(key), value: keyedRecord(key, value, isVerdict) };
    }),
    { isState: (column) => isState(column) || isStateName(plainName(column)), saysSkipped },
  );
}

/** The score of verdicts by their keys. */
const PASSED = "passed";

function keyedRecord(key: string, value: Json, isVerdict: boolean): Json {
  if (isVerdict) return { [PLACE]: key, [PASSED]: value };
  return isJsonObject(value) ? { [PLACE]: key, ...value } : value;
}

/** The records of lists in the elements of a list, with what their element says of them. */
async function* innerRecords(
  file: SourceFile,
  json: Prefix | undefined,
  { names }: RecordPlace,
  onOuter: (outer: OuterFigures) => void,
): AsyncGenerator<PlacedValue> {
  const outer = listsOn(json, names);
  const cut = cutAt(names.slice(0, outer), { elements: {} }, { others: "skip" });
  const path = names.slice(0, outer).join(".");
  for await (const { value, place } of elementsOf(file, cut === "skip" ? {} : cut))
    yield* recordsWithin(value, names.slice(outer), { place, path, said: {}, onOuter });
}

interface Within {
  readonly place: string;
  readonly path: string;
  readonly said: JsonObject;
  readonly onOuter: (outer: OuterFigures) => void;
}

function* recordsWithin(value: Json, names: readonly string[], within: Within): Generator<PlacedValue> {
  const { place, path, said, onOuter } = within;
  const [name, ...rest] = names;
  if (Array.isArray(value)) {
    for (const [i, one] of (value as readonly Json[]).entries())
      yield* recordsWithin(one, names, { ...within, place: `${place}[${i}]` });
  } else if (name === undefined) {
    const index = /\[(\d+)\]$/.exec(place)?.[1] ?? "";
    yield { place, value: isJsonObject(value) ? { [PLACE]: index, ...said, ...value } : value };
  } else if (isJsonObject(value)) {
    const own = outerMembers(value, path);
    const task = OUTER_TASK.map((one) => own[outerColumn(path, one)]).find((one) => one !== undefined);
    onOuter({ task: task === undefined ? null : cellText(task), members: value });
    const inner = {
      ...within,
      place: `${place}.${name}`,
      path: outerColumn(path, name).replace(/^outer\./, ""),
    };
    yield* recordsWithin(value[name] ?? [], rest, { ...inner, said: { ...said, ...own } });
  }
}
