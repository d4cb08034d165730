import { DataType, type Data, type Field } from "apache-arrow";
import { ArrowFault } from "../../arrow/arrow-fault.ts";
import { checkBuffers, validityReader } from "../../arrow/decode/check-buffers.ts";
import type { IpcBatch } from "../../arrow/ipc/batches.ts";
import { jsonReader, arrowName, type JsonText } from "../../arrow/decode/json-texts.ts";
import { isBytes, isText, textReader, type Text } from "../../arrow/decode/texts.ts";
import { timeReader } from "../../arrow/decode/times.ts";
import { UnwritableJson, type Json, type JsonObject } from "../../model/json.ts";
import { InvalidRecord } from "../record/invalid-record.ts";
import { PAYLOADS, TEXTS } from "./record-columns.ts";
import type { SourceRecord } from "./record-source.ts";

/** A column as a member of records. */
interface MemberColumn {
  readonly name: string;
  /** The name as it is written first in a record, and after another. */
  readonly first: string;
  readonly label: string;
  readonly read: MemberReader;
}

/** Adds the JSON text of value `i` to `pieces` and gives the value; undefined, and no text, where there is none. */
type MemberReader = (i: number, pieces: string[]) => Json | undefined;

const GROUP_RECORDS = 64;
const GROUP_CHARACTERS = 64 * 1024;

/**
 * The records of a batch in small groups; the first record is number `before + 1` of its source. Throws
 * {@link ArrowFault} on columns that contradict themselves.
 */
export function* arrowGroups(batch: IpcBatch, before: number): Generator<readonly SourceRecord[]> {
  const columns = batch.length === 0 ? [] : memberColumns(batch);
  for (let from = 0; from < batch.length;) {
    const pieces: string[] = [];
    const drafts: Draft[] = [];
    for (let characters = 0; drafts.length < GROUP_RECORDS && characters < GROUP_CHARACTERS;) {
      if (from + drafts.length === batch.length) break;
      const draft = readRecord(columns, from + drafts.length, pieces);
      drafts.push(draft);
      characters += draft instanceof InvalidRecord ? 0 : draft.length;
    }
    yield placed(drafts, pieces.join(""), before + from + 1);
    from += drafts.length;
  }
}

/** A record whose text is so many characters of the text of its group. */
type Draft = InvalidRecord | { readonly members: JsonObject; readonly length: number };

/** The records of a group, whose texts stand one after the other; encoded together, which costs least. */
function placed(drafts: readonly Draft[], whole: string, first: number): SourceRecord[] {
  const encoded = Buffer.from(whole, "utf8");
  const isAscii = encoded.length === whole.length;
  let from = 0;
  let start = 0;
  return drafts.map((draft, i) => {
    const position = first + i;
    if (draft instanceof InvalidRecord) return { position, text: draft };
    const text = whole.slice(from, (from += draft.length));
    const bytes = encoded.subarray(start, (start += isAscii ? text.length : Buffer.byteLength(text)));
    return { position, text, members: draft.members, bytes };
  });
}

function memberColumns({ fields, columns, length }: IpcBatch): MemberColumn[] {
  return fields.map((field, i) => {
    const data = columns[i];
    const name = arrowName(field);
    if (data === undefined || data.length < length)
      throw new ArrowFault(`column ${name}: has fewer values than there are records`);
    checkBuffers(data, name);
    const label = `${JSON.stringify(name.toWellFormed())}:`;
    return {
      name,
      first: `{${label}`,
      label: `,${label}`,
      read: memberReader(data, field),
    };
  });
}

function memberReader(data: Data, field: Field): MemberReader {
  const name = arrowName(field);
  const isMember = TEXTS.has(name) || PAYLOADS.has(name);
  if (isText(data.type) || (isBytes(data.type) && isMember)) {
    if (PAYLOADS.has(name)) return payloadReader(textReader(data), name === "val");
    if (field.metadata.get("ARROW:extension:name") !== "arrow.json") return stringReader(textReader(data));
  }
  const isTime = DataType.isTimestamp(data.type) || DataType.isDate(data.type);
  const time = isTime ? timeReader(data, true) : null;
  const read = jsonReader(data, field);
  if (time === null) return jsonMember(read, name === "val");
  const valid = validityReader(data);
  return (i, pieces) => {
    if (valid !== null && !valid(i)) return undefined;
    const value = time(i);
    pieces.push(`"${value}"`);
    return value;
  };
}

function stringReader(read: Text): MemberReader {
  let last = "";
  let written = '""';
  return (i, pieces) => {
    const value = read(i);
    if (value === null) return undefined;
    if (value !== last) {
      last = value;
      written = JSON.stringify(value);
    }
    pieces.push(written);
    return last;
  };
}

/** A column of text that holds one JSON value a record. `keepsNull`: a null is a value of its own. */
function payloadReader(read: Text, keepsNull: boolean): MemberReader {
  return (i, pieces) => {
    const text = read(i) ?? (keepsNull ? "null" : null);
    if (text === null) return undefined;
    pieces.push(text);
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new UnwritableJson([], "is not JSON; a payload column of text holds one JSON value a record");
    }
  };
}

function jsonMember(read: JsonText, keepsNull: boolean): MemberReader {
  return (i, pieces) => {
    const text = read(i);
    if (text === "null" && !keepsNull) return undefined;
    pieces.push(text);
    return JSON.parse(text) as Json;
  };
}

/** Adds a record's text to `pieces`, all of it or nothing. */
function readRecord(columns: readonly MemberColumn[], i: number, pieces: string[]): Draft {
  const members: { [name: string]: Json } = {};
  const start = pieces.length;
  let isFirst = true;
  for (const { name, first, label, read } of columns) {
    try {
      pieces.push(isFirst ? first : label);
      const value = read(i, pieces);
      if (value === undefined) {
        pieces.pop();
        continue;
      }
      isFirst = false;
      if (name === "__proto__") Object.defineProperty(members, name, { value, enumerable: true });
      else members[name] = value;
    } catch (error) {
      pieces.length = start;
      if (error instanceof UnwritableJson) return new InvalidRecord([name, ...error.path], error.message);
      if (error instanceof RangeError) return new InvalidRecord([name], `is ${error.message}`);
      throw error;
    }
  }
  pieces.push(isFirst ? "{}" : "}");
  let length = 0;
  for (let k = start; k < pieces.length; k++) length += pieces[k]?.length ?? 0;
  return { members, length };
}
