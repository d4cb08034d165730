import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { errorLine, outputLineOf } from "../../model/one-line.ts";
import { once, type PackedRows, type TrialColumn } from "../payload/decode.ts";
import { findRows, ranks, type RowColumns } from "./find-rows.ts";
import { inputLine } from "./input-line.ts";
import {
  MOST_WITH_OUTPUTS,
  type DetailTrial,
  type RowDetail,
  type RowLine,
  type RowList,
  type RowQuery,
  type RowSource,
} from "./row-source.ts";
import { rowValues, type RowValues } from "./row-values.ts";
import { inSlices, lowerCase, searchText } from "./search-texts.ts";

/** The rows that a report holds. */
export function reportRows(packed: PackedRows): RowSource {
  const { evaluations } = packed.header;
  const valuesOf = remembered((score: string | null) => rowValues(packed, score));
  const { digests } = packed;
  const rank = once(() => ranks(digests()));
  // An index of all digests would take longer than to look through them for the few rows that are opened.
  const rowOf = remembered((digest: string) => {
    const row = digests().indexOf(digest);
    if (row !== -1) return row;
    return packed.header.left.digests === "start" ? rowOfStart(digests(), digest) : null;
  });
  const texts = once(() => searchTexts(packed));
  const places = async (query: RowQuery, signal: AbortSignal) => {
    const term = lowerCase(query.search.trim());
    const known = term === "" ? null : await texts();
    signal.throwIfAborted();
    const columns: RowColumns = { evaluations, values: valuesOf(query.score), rank: rank() };
    return findRows(columns, query, (row) => known === null || (known[row] ?? "").includes(term));
  };
  return {
    find: async (query, signal) => {
      const found = await places(query, signal);
      // Of 100,000 rows the texts take a second to read: so they are there when somebody has typed a word. A search tells what fails.
      texts().catch(() => undefined);
      return rowList(packed, valuesOf(query.score), found, rowOf);
    },
    all: async function* (query, signal) {
      const found = await places(query, signal);
      for (let from = 0; from < found.length; from += SOME_ROWS) {
        await nextTurn();
        signal.throwIfAborted();
        yield Array.from(found.subarray(from, from + SOME_ROWS), (row) =>
          detailAt(packed, row, digests()[row] ?? ""),
        );
      }
    },
    detail: (digest) => {
      const row = rowOf(digest);
      return Promise.resolve(row === null ? null : detailAt(packed, row, digest));
    },
  };
}

/** So many are read in a few milliseconds, unless they are long. */
const SOME_ROWS = 16;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function rowList(
  packed: PackedRows,
  values: RowValues,
  found: Uint32Array,
  rowOf: (digest: string) => number | null,
): RowList {
  return {
    count: found.length,
    total: values.rows,
    hasOutputs: hasOutputs(packed),
    at: (place) => {
      const row = found[place];
      return row === undefined ? undefined : lineOf(packed, values, row);
    },
    need: () => Promise.resolve(),
    placeOf: (digest) => {
      const row = rowOf(digest);
      const place = row === null ? -1 : found.indexOf(row);
      return place === -1 ? null : place;
    },
  };
}

function hasOutputs({ header: { evaluations, left } }: PackedRows): boolean {
  return evaluations.length <= MOST_WITH_OUTPUTS && left.outputs !== "none";
}

function lineOf(packed: PackedRows, { means, columns }: RowValues, row: number): RowLine {
  const input = parsed(packed.inputs(row));
  const cells = Array.from({ length: columns }, (_, evaluation) => row * columns + evaluation);
  const wasRun = (cell: number) => packed.starts[cell] !== packed.starts[cell + 1];
  return {
    digest: packed.digests()[row] ?? "",
    input: input === undefined ? null : inputLine(input),
    values: cells.map((cell) => {
      if (!wasRun(cell)) return undefined;
      const mean = means[cell] ?? Number.NaN;
      return Number.isNaN(mean) ? null : mean;
    }),
    outputs: hasOutputs(packed)
      ? cells.map((cell) => (wasRun(cell) ? saidIn(packed, packed.starts[cell] ?? 0) : undefined))
      : [],
  };
}

/** The line of a trial's output; null where it is left out. */
function saidIn(packed: PackedRows, trial: number): string | null {
  const error = textOf(parsed(packed.errors(trial)));
  if (error !== null) return errorLine(error);
  const output = packed.outputs(trial);
  return output === undefined ? null : outputLineOf(output);
}

function detailAt(packed: PackedRows, row: number, digest: string): RowDetail {
  const { evaluations, left } = packed.header;
  const first = row * evaluations.length;
  return {
    digest,
    input: parsed(packed.inputs(row)),
    inputCut: left.inputs === "line",
    trials: evaluations.map((_, i) =>
      trialsBetween(packed, packed.starts[first + i] ?? 0, packed.starts[first + i + 1] ?? 0),
    ),
  };
}

/** The row of a whole digest where a report holds the starts of digests: the one with the longest start. */
function rowOfStart(starts: readonly string[], digest: string): number | null {
  let found: { readonly row: number; readonly length: number } | null = null;
  for (const [row, start] of starts.entries())
    if (start.length > (found?.length ?? 0) && digest.startsWith(start))
      found = { row, length: start.length };
  return found?.row ?? null;
}

function trialsBetween(packed: PackedRows, from: number, to: number): DetailTrial[] {
  return Array.from({ length: to - from }, (_, i) => {
    const trial = from + i;
    return {
      output: parsed(packed.outputs(trial)),
      scores: scoresOf(packed, trial),
      latency: numberOf(packed.latency.at(trial)),
      tokens: numberOf(packed.tokens.at(trial)),
      error: textOf(parsed(packed.errors(trial))),
    };
  });
}

function scoresOf(packed: PackedRows, trial: number): (readonly [string, Json])[] {
  const values = packed.header.dimensions.flatMap(({ name }, i) => {
    const value = packed.dimensions[i]?.at(trial);
    return value === undefined ? [] : [[name, value] as const];
  });
  const texts = parsed(packed.texts(trial)) as JsonObject | undefined;
  return [...values, ...Object.entries(texts ?? {})];
}

function numberOf(value: ReturnType<TrialColumn["at"]>): number | null {
  return typeof value === "number" ? value : null;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function parsed(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : parseJson(text);
}

/** Inputs and outputs of each row in lower case. */
async function searchTexts(packed: PackedRows): Promise<string[]> {
  const { rowCount, evaluations } = packed.header;
  const texts: string[] = [];
  await inSlices(rowCount, (row) => {
    const parts = [packed.inputs(row)];
    const from = packed.starts[row * evaluations.length] ?? 0;
    const to = packed.starts[(row + 1) * evaluations.length] ?? 0;
    for (let trial = from; trial < to; trial++) parts.push(packed.outputs(trial));
    texts.push(parts.map((part) => (part === undefined ? "" : searchText(parseJson(part)))).join("\0"));
  });
  return texts;
}

/** The last results of a function; a page turns between a few scores. */
function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.delete(key);
    made.set(key, value);
    for (const oldest of made.keys()) if (made.size > 4) made.delete(oldest);
    return value;
  };
}
