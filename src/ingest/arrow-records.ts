import { DataType, type Data, type Field } from "apache-arrow";
import { ArrowFault } from "../arrow/arrow-fault.ts";
import { checkBuffers, validityOf } from "../arrow/buffers.ts";
import type { ColumnBatch } from "../arrow/ipc-batches.ts";
import { jsonReader, nameOf, type JsonText } from "../arrow/json-texts.ts";
import { isBytes, isText, textReader, type Text } from "../arrow/texts.ts";
import { timeReader } from "../arrow/times.ts";
import { UnwritableJson, type Json } from "../model/json.ts";
import { InvalidRecord } from "./invalid-record.ts";
import { PAYLOADS, TEXTS } from "./record-columns.ts";
import type { RecordGroup, SourceRecord } from "./record-source.ts";

/** A column as a member of records: its reader gives the member's text and its value. */
interface MemberColumn {
  readonly name: string;
  readonly label: string;
  readonly read: MemberReader;
}

interface Member {
  readonly text: string;
  readonly value: Json;
}

/** Null where the record has no such member. */
type MemberReader = (i: number) => Member | null;

const GROUP_RECORDS = 256;
const GROUP_CHARACTERS = 256 * 1024;

/**
 * The records of a batch in small groups; the first record is number `before + 1` of its source. Throws
 * {@link ArrowFault} on columns that contradict themselves.
 */
export function* arrowGroups(batch: ColumnBatch, before: number): Generator<RecordGroup["records"]> {
  const columns = batch.length === 0 ? [] : memberColumns(batch);
  let records: SourceRecord[] = [];
  let characters = 0;
  for (let i = 0; i < batch.length; i++) {
    const record = readRecord(columns, i, before + i + 1);
    records.push(record);
    characters += typeof record.text === "string" ? record.text.length : 0;
    if (records.length < GROUP_RECORDS && characters < GROUP_CHARACTERS) continue;
    yield records;
    records = [];
    characters = 0;
  }
  if (records.length > 0) yield records;
}

function memberColumns({ fields, columns, length }: ColumnBatch): MemberColumn[] {
  return fields.map((field, i) => {
    const data = columns[i];
    const name = nameOf(field);
    if (data === undefined || data.length < length)
      throw new ArrowFault(`column ${name}: has fewer values than there are records`);
    checkBuffers(data, name);
    return {
      name,
      label: `${JSON.stringify(name.toWellFormed())}:`,
      read: memberReader(data, field),
    };
  });
}

function memberReader(data: Data, field: Field): MemberReader {
  const name = nameOf(field);
  const isMember = TEXTS.has(name) || PAYLOADS.has(name);
  if (isText(data.type) || (isBytes(data.type) && isMember)) {
    if (PAYLOADS.has(name)) return payloadReader(textReader(data), name === "val");
    if (field.metadata.get("ARROW:extension:name") !== "arrow.json") return stringReader(textReader(data));
  }
  const isTime = DataType.isTimestamp(data.type) || DataType.isDate(data.type);
  const time = isTime ? timeReader(data, true) : null;
  const read = jsonReader(data, field);
  if (time === null) return jsonMember(read, name === "val");
  const valid = validityOf(data);
  return (i) => {
    if (valid !== null && !valid(i)) return null;
    const value = time(i);
    return { text: `"${value}"`, value };
  };
}

function stringReader(read: Text): MemberReader {
  let last: Member = { text: '""', value: "" };
  return (i) => {
    const value = read(i);
    if (value === null) return null;
    if (value !== last.value) last = { text: JSON.stringify(value), value };
    return last;
  };
}

const NONE: Member = { text: "null", value: null };

/** A column of text that holds one JSON value a record. `keepsNull`: a null is a value of its own. */
function payloadReader(read: Text, keepsNull: boolean): MemberReader {
  return (i) => {
    const text = read(i);
    if (text === null) return keepsNull ? NONE : null;
    try {
      return { text, value: JSON.parse(text) as Json };
    } catch {
      throw new UnwritableJson([], "is not JSON; a payload column of text holds one JSON value a record");
    }
  };
}

function jsonMember(read: JsonText, keepsNull: boolean): MemberReader {
  return (i) => {
    const text = read(i);
    if (text === "null" && !keepsNull) return null;
    return { text, value: JSON.parse(text) as Json };
  };
}

function readRecord(columns: readonly MemberColumn[], i: number, position: number): SourceRecord {
  const members: { [name: string]: Json } = {};
  let text = "{";
  for (const { name, label, read } of columns) {
    try {
      const member = read(i);
      if (member === null) continue;
      text += text.length === 1 ? label + member.text : `,${label}${member.text}`;
      if (name === "__proto__")
        Object.defineProperty(members, name, { value: member.value, enumerable: true });
      else members[name] = member.value;
    } catch (error) {
      if (error instanceof UnwritableJson)
        return { position, text: new InvalidRecord([name, ...error.path], error.message) };
      if (error instanceof RangeError)
        return { position, text: new InvalidRecord([name], `is ${error.message}`) };
      throw error;
    }
  }
  return { position, text: `${text}}`, members };
}
