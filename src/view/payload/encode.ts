import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { writeJson } from "../../model/json.ts";
import { packNumbers } from "./number-column.ts";
import {
  KIND,
  type PayloadHeader,
  type PayloadTrial,
  type RowsForPayload,
  type Section,
} from "./payload-rows.ts";
import { packTexts } from "./text-column.ts";

/** Rows as base64 text, which `decodeRows` reads. The same rows give the same text. */
export async function encodeRows(rows: RowsForPayload): Promise<string> {
  const columns = columnsOf(rows);
  const header = new TextEncoder().encode(JSON.stringify(headerOf(rows, columns)));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(header.length);
  const packed = await promisify(gzip)(Buffer.concat([size, header, ...columns.values()]));
  return packed.toString("base64");
}

type Columns = ReadonlyMap<string, Uint8Array>;

function headerOf(rows: RowsForPayload, columns: Columns): PayloadHeader {
  const sections: Section[] = [];
  let at = 0;
  for (const [name, { length }] of columns) {
    sections.push({ name, at, bytes: length });
    at += length;
  }
  const { evaluations, dimensions, left } = rows;
  return { format: 1, evaluations, dimensions, rowCount: rows.rows.length, left, sections };
}

function columnsOf({ rows, dimensions }: RowsForPayload): Columns {
  const groups = rows.flatMap((row) => row.trials);
  const trials = groups.flat();
  return new Map([
    ["digests", packTexts(rows.map((row) => row.digest))],
    ["inputs", packTexts(rows.map((row) => jsonText(row.input)))],
    ["counts", packNumbers(groups.map((group) => group.length))],
    ...dimensions.flatMap((_, place) => dimensionColumns(trials, place)),
    ...optionalNumbers(
      "latency",
      trials.map((trial) => trial.latency),
    ),
    ...optionalNumbers(
      "tokens",
      trials.map((trial) => trial.tokens),
    ),
    ["errors", packTexts(trials.map((trial) => trial.error ?? undefined))],
    ["texts", packTexts(trials.map((trial) => jsonText(trial.texts)))],
    ["outputs", packTexts(trials.map((trial) => jsonText(trial.output)))],
  ]);
}

function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : writeJson(value);
}

function dimensionColumns(trials: readonly PayloadTrial[], place: number): [string, Uint8Array][] {
  const values = trials.map((trial) => trial.scores[place]);
  const numbers = values.filter((value) => typeof value === "number");
  return [
    [`kinds ${place}`, Uint8Array.from(values, kindOf)],
    [`numbers ${place}`, packNumbers(numbers)],
  ];
}

function kindOf(value: number | boolean | null | undefined): number {
  if (value === undefined) return KIND.nothing;
  if (value === null) return KIND.null;
  if (typeof value === "number") return KIND.number;
  return value ? KIND.yes : KIND.no;
}

function optionalNumbers(name: string, values: readonly (number | null)[]): [string, Uint8Array][] {
  return [
    [`${name} known`, Uint8Array.from(values, (value) => (value === null ? KIND.null : KIND.number))],
    [name, packNumbers(values.filter((value) => value !== null))],
  ];
}
