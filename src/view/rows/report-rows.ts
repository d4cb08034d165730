import { type Json, parseJson } from "../../model/json.ts";
import { outputLineOf } from "../../model/one-line.ts";
import { once, remembered } from "../payload/once.ts";
import type { PackedRows } from "../payload/packed-rows.ts";
import type { PackedSteps } from "../payload/packed-steps.ts";
import { heldTrials } from "./held-trials.ts";
import { nextTurn } from "./input-line.ts";
import { findRows, ranks, type RowColumns } from "./find-rows.ts";
import {
  type DetailTrial,
  MOST_WITH_OUTPUTS,
  type RowDetail,
  type RowList,
  type RowQuery,
  type RowSource,
} from "./row-source.ts";
import { lineOf, rowValues } from "./row-values.ts";

/** The rows that a report holds, and the steps of some of their trials. */
export function reportRows(
  packed: PackedRows,
  stepsHeld: () => Promise<PackedSteps> = () => Promise.resolve(new Map()),
): RowSource {
  const { evaluations } = packed.header;
  const { digests } = packed.columns;
  // A page turns between a few scores.
  const valuesOf = remembered((score: string | null) => rowValues(packed, score), 4);
  const rank = once(() => ranks(digests()));
  // An index of all digests would take longer than to look through them for the few rows that are opened.
  const rowOf = remembered((digest: string) => digests().indexOf(digest), 4);
  const texts = once(() => searchTexts(packed));
  const places = async (query: RowQuery, signal: AbortSignal) => {
    const term = lowerCase(query.search.trim());
    const known = term === "" ? null : await texts();
    signal.throwIfAborted();
    const columns: RowColumns = { evaluations, values: valuesOf(query.score), rank: rank() };
    return findRows(columns, query, (row) => known === null || (known[row] ?? "").includes(term));
  };
  const detail = (digest: string) => {
    const row = rowOf(digest);
    return Promise.resolve(row === -1 ? null : detailAt(packed, row));
  };
  return {
    find: async (query, signal) => {
      const found = await places(query, signal);
      // Of 100,000 rows the texts take a second to read: so they are there when somebody has typed a word. A search
      // tells what fails.
      texts().catch(() => undefined);
      return rowList(packed, query.score, found, rowOf);
    },
    all: async function* (query, signal) {
      const found = await places(query, signal);
      for (let from = 0; from < found.length; from += SOME_ROWS) {
        await nextTurn();
        signal.throwIfAborted();
        yield Array.from(found.subarray(from, from + SOME_ROWS), (row) => detailAt(packed, row));
      }
    },
    detail: (digest) => detail(digest),
    whole: ({ digest }) => detail(digest),
    ...heldTrials(stepsHeld),
  };
}

/** So many are read in a few milliseconds, unless they are long. */
const SOME_ROWS = 16;

function rowList(
  packed: PackedRows,
  score: string | null,
  found: Uint32Array,
  rowOf: (digest: string) => number,
): RowList {
  const { header, left } = packed;
  const hasOutputs = header.evaluations.length <= MOST_WITH_OUTPUTS && left.outputs !== "none";
  return {
    count: found.length,
    total: header.rowCount,
    hasOutputs,
    at: (place) => {
      const row = found[place];
      return row === undefined ? undefined : lineOf(detailAt(packed, row), score, hasOutputs);
    },
    need: () => Promise.resolve(),
    placeOf: (digest) => {
      const place = found.indexOf(rowOf(digest));
      return place === -1 ? null : place;
    },
  };
}

function detailAt(packed: PackedRows, row: number): RowDetail {
  const { header, left, starts, columns } = packed;
  const first = row * header.evaluations.length;
  const digest = columns.digests()[row] ?? "";
  const edited = packed.edited()[digest];
  return {
    digest,
    input: parsed(packed.input(row)),
    inputBytes: null,
    inputCut: left.inputs === "line",
    editedInputs: edited?.map(parsed) ?? null,
    editedBytes: [],
    trials: header.evaluations.map((_, i) => {
      const [from = 0, to = 0] = starts.subarray(first + i, first + i + 2);
      return Array.from({ length: to - from }, (__, trial) => trialAt(packed, from + trial));
    }),
  };
}

function trialAt({ header, columns, dimensions, output }: PackedRows, trial: number): DetailTrial {
  const score = (name: string) => dimensions[header.dimensions.indexOf(name)]?.()[trial];
  return {
    id: null,
    outputBytes: null,
    get output() {
      return parsed(output(trial));
    },
    get line() {
      const text = output(trial);
      return text === undefined ? null : outputLineOf(text);
    },
    get scores() {
      const values = header.dimensions.map((name) => [name, score(name) ?? null] as const);
      return [...values.filter(([name]) => score(name) !== ""), ...(columns.texts()[trial] ?? [])];
    },
    score: (name) => (score(name) === "" ? undefined : score(name)),
    get latency() {
      return columns.latency()[trial] ?? null;
    },
    get tokens() {
      return columns.tokens()[trial] ?? null;
    },
    get error() {
      return columns.errors()[trial] ?? null;
    },
  };
}

function parsed(text: string | null | undefined): Json | undefined {
  return text == null ? undefined : parseJson(text);
}

/** Inputs and outputs of each row in lower case. */
async function searchTexts({ header, starts, input, output }: PackedRows): Promise<string[]> {
  const texts: string[] = [];
  await inSlices(header.rowCount, (row) => {
    const parts = [input(row)];
    const width = header.evaluations.length;
    const to = starts[(row + 1) * width] ?? 0;
    for (let trial = starts[row * width] ?? 0; trial < to; trial++) parts.push(output(trial));
    texts.push(parts.map((part) => (part === undefined ? "" : searchText(parseJson(part)))).join("\0"));
  });
  return texts;
}

/** The texts of a value that a search looks through, each apart from the next, in lower case. */
function searchText(value: Json): string {
  const texts: string[] = [];
  collect(value, texts);
  return lowerCase(texts.join("\0"));
}

/** Letters in lower case, one for one wherever they stand, as the `search` of a request has them. */
export function lowerCase(text: string): string {
  return text.replaceAll("İ", "i").replaceAll("Σ", "σ").toLowerCase();
}

function collect(value: Json, texts: string[]): void {
  if (value === null) return;
  if (typeof value !== "object") texts.push(String(value));
  else for (const member of Object.values(value)) collect(member, texts);
}

/** Runs a step for each place, a few milliseconds at a time, so that the page answers meanwhile. */
async function inSlices(count: number, step: (place: number) => void): Promise<void> {
  let from = performance.now();
  for (let place = 0; place < count; place++) {
    step(place);
    if (place % 64 !== 63 || performance.now() - from < 8) continue;
    await nextTurn();
    from = performance.now();
  }
}
