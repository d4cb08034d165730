import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import { cellText, type TableReader, type TableRecord } from "../readers/table-reader.ts";
import { beginning, present, rolesOf, type TableProfile } from "./profile.ts";

const SCORES = "scores.";
const LATENCY = "latency";
const TOKENS = "tokens";
const MEMBERS = ["span_id", "root_span_id", "input"];

/** Braintrust: the events of an experiment. Spans below the root of a trace are steps of a trial. */
export const braintrust: TableProfile = {
  name: "Braintrust",
  fits: ({ columns }) =>
    present(columns, ...MEMBERS).length === MEMBERS.length &&
    (columns.includes("scores") || beginning(columns, SCORES).length > 0),
  open: rootSpans,
  rename: (column) => (column.startsWith(SCORES) ? column.slice(SCORES.length) : column),
  roles: (columns) => ({
    row: present(columns, "dataset_record_id"),
    ...rolesOf({
      input: ["input"],
      expected: present(columns, "expected"),
      output: present(columns, "output"),
      score: beginning(columns, SCORES),
      trial: ["span_id"],
      evaluation: present(columns, "experiment_id"),
      started: present(columns, "created"),
      latency: present(columns, LATENCY),
      tokens: present(columns, TOKENS),
      error: present(columns, "error"),
    }),
  }),
  isOfTrial: () => true,
};

/** The root spans, with a column for each score, the latency and the tokens. */
async function rootSpans(reader: TableReader): Promise<TableReader> {
  const known = [...reader.columns];
  const names = new Set(beginning(known, SCORES));
  let isOfDataset = true;
  for await (const record of reader.records()) {
    if (!isRoot(known, record)) continue;
    for (const name of Object.keys(objectIn(known, record, "scores"))) names.add(`${SCORES}${name}`);
    isOfDataset &&= hasValue(cellOf(known, record, "dataset_record_id"));
  }
  const kept = known.filter(
    (name) => name !== "scores" && !names.has(name) && (isOfDataset || name !== "dataset_record_id"),
  );
  const scores = [...names];
  async function* records(): AsyncGenerator<TableRecord> {
    for await (const record of reader.records()) {
      if (record.fault !== undefined) yield record;
      else if (isRoot(known, record)) yield { place: record.place, cells: cellsOf(record) };
    }
  }
  const cellsOf = (record: TableRecord): (Json | undefined)[] => {
    const inner = objectIn(known, record, "scores");
    const start = metricOf(known, record, "start");
    const end = metricOf(known, record, "end");
    return [
      ...kept.map((name) => cellOf(known, record, name)),
      ...scores.map((name) => cellOf(known, record, name) ?? inner[name.slice(SCORES.length)]),
      start === null || end === null ? undefined : end - start,
      metricOf(known, record, "tokens") ?? undefined,
    ];
  };
  return { columns: [...kept, ...scores, LATENCY, TOKENS], isText: reader.isText, records };
}

function isRoot(columns: readonly string[], record: TableRecord): boolean {
  const stated = cellOf(columns, record, "is_root");
  if (hasValue(stated)) return cellText(stated).toLowerCase() === "true";
  return cellOf(columns, record, "span_id") === cellOf(columns, record, "root_span_id");
}

function hasValue(cell: Json | undefined): cell is Exclude<Json, null> {
  return cell !== undefined && cell !== null && cell !== "";
}

function cellOf(columns: readonly string[], { cells }: TableRecord, name: string): Json | undefined {
  const at = columns.indexOf(name);
  return at < 0 ? undefined : cells[at];
}

/** A cell that is an object, or the text of one. */
function objectIn(columns: readonly string[], record: TableRecord, name: string): JsonObject {
  const cell = cellOf(columns, record, name);
  if (isJsonObject(cell)) return cell;
  if (typeof cell !== "string" || !cell.startsWith("{")) return {};
  try {
    const parsed = JSON.parse(cell) as Json;
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function metricOf(columns: readonly string[], record: TableRecord, name: string): number | null {
  const cell = cellOf(columns, record, `metrics.${name}`) ?? objectIn(columns, record, "metrics")[name];
  const number = hasValue(cell) ? Number(cell) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
