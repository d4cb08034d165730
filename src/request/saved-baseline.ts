import { z } from "zod";
import type { RequestError } from "../errors.ts";
import { at, type JsonObject } from "../model/json.ts";
import { shown } from "../model/messages.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";

/** Files of a later format are refused. */
const FORMAT = 1;

const text = z.string().nullable();
const figure = z.object({ value: z.number().nullable(), known: z.int().nonnegative() });
const score = z.object({
  path: z.array(z.string()).min(1),
  binary: z.boolean(),
  column: z.string(),
  nulls: z.string().optional(),
  steps: z.literal(true).optional(),
});
const isUnlike = (all: readonly { readonly path: readonly string[] }[]) =>
  new Set(all.map(({ path }) => JSON.stringify(path))).size === all.length;
const evaluation = z.object({
  name: z.string(),
  model: text,
  file: text,
  commit: text,
  branch: text,
  dataset: text,
  scorers: z.record(z.string(), z.string()),
  references: z.object({ model: text, dataset: text, scorers: z.record(z.string(), z.string()) }),
  directions: z.record(z.string(), z.enum(["higher", "lower"])),
  /** The field whose values are clusters. */
  clusters: text.default(null),
  figures: z.object({ cost: figure, latency: figure, tokens: figure }),
  scores: z.array(score).refine(isUnlike, "two scores have the same path"),
});
const schema = z.object({ format: z.literal(FORMAT), evaluations: z.array(evaluation).min(1) });

/** What the metadata of a file says of its evaluations: all but ids and values. */
type Description = z.infer<typeof schema>;

/** Makes the error of a file of which this is wrong. */
type Fault = (msg: string) => RequestError;

/**
 * The evaluations of a file, from its description and its records. Throws what `fault` makes where they are not whole.
 */
export function suitesOf(description: string, records: readonly JsonObject[], fault: Fault) {
  const { evaluations } = readDescription(description, fault);
  const own = evaluations.map((): JsonObject[] => []);
  for (const record of records) {
    const { evaluation: i = null } = record;
    const list = typeof i === "number" ? own[i] : undefined;
    if (list === undefined)
      throw fault(`a row has evaluation ${shown(i)}, and there are ${own.length} from 0 on`);
    list.push(record);
  }
  return evaluations.map((one, i) => suiteOf(one, own[i] ?? [], fault));
}

function readDescription(described: string, fault: Fault): Description {
  const description = parsed(described);
  if (description === undefined) throw fault("its description is not JSON");
  const format = at(description, "format");
  if (typeof format === "number" && format > FORMAT)
    throw fault(
      `it has format ${format}, which a later version of evalcube wrote; this one reads format ${FORMAT}`,
    );
  const checked = schema.safeParse(description, WORDING);
  if (checked.success) return checked.data;
  const [first] = schemaError(checked.error, ["description"]).issues;
  throw fault(first === undefined ? "" : `${first.loc.join(".")}: ${first.msg}`);
}

function parsed(described: string): unknown {
  try {
    return JSON.parse(described);
  } catch {
    return undefined;
  }
}

const BYTES = { row: 16, content: 7, cluster: 7 };

/** A digest in hexadecimal. */
function hexOf(value: unknown, column: keyof typeof BYTES, fault: Fault): string {
  const bytes = Buffer.from(typeof value === "string" ? value : "", "base64");
  if (bytes.length === BYTES[column]) return bytes.toString("hex");
  throw fault(`${bytes.length} bytes, not ${BYTES[column]}`);
}

function suiteOf(
  { scores, clusters: field, ...one }: Description["evaluations"][number],
  records: readonly JsonObject[],
  fault: Fault,
) {
  const faultAt = (i: number, column: string) => (msg: string) =>
    fault(`evaluation ${shown(one.name)}, row ${i}, ${column}: ${msg}`);
  const rows = records.map(({ row }, i) => hexOf(row, "row", faultAt(i, "row")));
  const digests = (of: "content" | "cluster") =>
    records.map(({ [of]: value = null }, i) => (value === null ? null : hexOf(value, of, faultAt(i, of))));
  if (new Set(rows).size < rows.length) throw fault(`evaluation ${shown(one.name)} has a row twice`);
  const lists = (column: string, kinds: readonly string[]) =>
    records.map((record, i) => {
      const { [column]: list = null, errors } = record;
      const length = Array.isArray(errors) ? errors.length : 0;
      const isWhole =
        Array.isArray(list) && list.length === length && list.every((item) => isOf(item, kinds));
      if (isWhole) return list as readonly (number | boolean | null)[];
      throw faultAt(i, column)(`${shown(list)}, not ${kinds.join(" or ")} for each trial`);
    });
  return {
    ...one,
    id: one.name,
    rows,
    contents: digests("content"),
    clusters: field === null ? null : { field, values: digests("cluster") },
    keys: new Map<string, string>(),
    usage: usageIn(records, (i, column) => faultAt(i, column)("not a number")),
    errors: lists("errors", ["boolean"]).map((list) => list.map(Boolean)),
    scores: scores.map(({ column, nulls, ...named }) => ({
      ...named,
      values: toldApart(
        lists(column, [named.binary ? "boolean" : "number", "null"]),
        nulls === undefined ? [] : lists(nulls, ["boolean"]),
      ),
    })),
  };
}

/** A list has null for no verdict and for nothing; `isNull` tells which it is. */
function toldApart<T>(values: readonly (readonly T[])[], isNull: readonly (readonly unknown[])[]) {
  return values.map((trials, row) =>
    trials.map((value, trial) => value ?? (isNull[row]?.[trial] === true ? null : undefined)),
  );
}

function isOf(value: unknown, kinds: readonly string[]): boolean {
  return kinds.includes(value === null ? "null" : typeof value);
}

/** Numbers as files keep them, in single precision; texts of it have fewer digits. */
function usageIn(records: readonly JsonObject[], faultAt: (i: number, column: string) => RequestError) {
  const numbers = (column: string) =>
    records.map(({ [column]: value = null }, i) => {
      if (value === null) return null;
      if (typeof value === "number") return Math.fround(value);
      throw faultAt(i, column);
    });
  return {
    cost: numbers("usage_cost"),
    latency: numbers("usage_latency"),
    tokens: numbers("usage_tokens"),
  };
}
