import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import { omit } from "../../../read/members.ts";
import { mappedTable } from "../readers/report-table.ts";
import { cellText, type TableReader } from "../readers/table-reader.ts";
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

/** The root spans, with a member for each score, the latency and the tokens. */
async function rootSpans(reader: TableReader): Promise<TableReader> {
  let isOfDataset = true;
  const spans = await mappedTable(reader, (record) => {
    if (!isRoot(record)) return null;
    isOfDataset &&= hasValue(record["dataset_record_id"]);
    const { scores: _, ...others } = record;
    const scores = Object.entries(objectIn(record, "scores")).map(([name, value]) => [
      `${SCORES}${name}`,
      value,
    ]);
    const [start, end] = [metricOf(record, "start"), metricOf(record, "end")];
    const tokens = metricOf(record, "tokens");
    return {
      ...(Object.fromEntries(scores) as JsonObject),
      ...others,
      ...(start === null || end === null ? {} : { [LATENCY]: end - start }),
      ...(tokens === null ? {} : { [TOKENS]: tokens }),
    };
  });
  if (isOfDataset) return spans;
  return await mappedTable(spans, (record) => omit(record, ["dataset_record_id"]));
}

function isRoot(record: JsonObject): boolean {
  const stated = record["is_root"];
  if (hasValue(stated)) return cellText(stated).toLowerCase() === "true";
  return record["span_id"] === record["root_span_id"];
}

function hasValue(cell: Json | undefined): cell is Exclude<Json, null> {
  return cell !== undefined && cell !== null && cell !== "";
}

/** A member that is an object, or the text of one. */
function objectIn(record: JsonObject, name: string): JsonObject {
  const cell = record[name];
  if (isJsonObject(cell)) return cell;
  if (typeof cell !== "string" || !cell.startsWith("{")) return {};
  try {
    const parsed = JSON.parse(cell) as Json;
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function metricOf(record: JsonObject, name: string): number | null {
  const cell = record[`metrics.${name}`] ?? objectIn(record, "metrics")[name];
  const number = hasValue(cell) ? Number(cell) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
