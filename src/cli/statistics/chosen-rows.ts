import { RequestError, withIssues } from "../../errors.ts";
import type { Filter } from "../../index.ts";
import { parseFieldPath } from "../../model/field-path.ts";
import { at } from "../../model/json.ts";
import { shown } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import { nearestWords } from "../../model/nearest.ts";
import { usageFault } from "../../request/meaningless.ts";
import { filterParts, parseFilter } from "../../request/parse-filter.ts";
import type { Evaluation } from "./evaluation-module.ts";

/** Which of its rows an evaluation runs over: of those that pass all filters the first so many. */
type ChosenRows = {
  readonly limit?: number;
  /** As `--filter` has them. */
  readonly filter?: readonly string[];
};

/** What an evaluation of some of its rows says of that in its attributes; nothing of one of all rows. */
export function partialOf({ limit, filter }: ChosenRows): { readonly partial?: ChosenRows } {
  if (limit === undefined && filter === undefined) return {};
  return {
    partial: { ...(limit === undefined ? {} : { limit }), ...(filter === undefined ? {} : { filter }) },
  };
}

/** The evaluations over some of their rows. Throws `RequestError` on a filter that no row of one of them passes. */
export async function withChosenRows(
  evaluations: readonly Evaluation[],
  chosen: ChosenRows,
  signal: AbortSignal,
): Promise<readonly Evaluation[]> {
  const { limit = Infinity, filter = [] } = chosen;
  if (partialOf(chosen).partial === undefined) return evaluations;
  filter.forEach(checkField);
  const made: Evaluation[] = [];
  for (const one of evaluations) {
    const rows = await readRows(one.data, filter.length === 0 ? limit : Infinity, signal);
    const passed = filter.length === 0 ? rows : await passing(one.name, rows, filter);
    made.push({ ...one, data: passed.slice(0, limit) });
  }
  return made;
}

function checkField(text: string, i: number): void {
  const { field } = filterParts(text);
  const path = parseFieldPath(field);
  if (!("error" in path) && path.root !== "inputs")
    throw usageFault(
      ["--filter", i],
      `run chooses rows before it asks a model: name inputs.<path> instead of ${nameText(field)}`,
    );
}

async function readRows(data: Evaluation["data"], most: number, signal: AbortSignal): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of typeof data === "function" ? data() : data) {
    signal.throwIfAborted();
    rows.push(row);
    if (rows.length >= most) break;
  }
  return rows;
}

const SCRATCH = "run/rows";

/** The rows that pass, as a query would find them: they are asked in a database of their own. */
async function passing(
  name: string,
  rows: readonly unknown[],
  texts: readonly string[],
): Promise<readonly unknown[]> {
  const filters = texts.map((text, i) => parseFilter(text, ["--filter", i])) as Filter[];
  const { digestOf, openEngine, plainJson } = await import("../on-use/on-use.ts");
  const engine = await openEngine();
  try {
    const { id } = await engine.evaluate(SCRATCH, {
      name,
      model: "rows",
      data: rows,
      task: () => null,
      scorers: {},
    });
    const request = { evaluation_call_ids: [id], filters, include_outputs: false };
    const answer = await engine.queryEvalResults(SCRATCH, request).catch((error: unknown) => {
      throw withIssues(error, (issue) => ({ ...issue, loc: ["--filter", ...issue.loc.slice(1, 2)] }));
    });
    const kept = new Set(answer.rows.map(({ row_digest: digest }) => digest));
    if (kept.size === 0) throw noneLeft(name, rows, texts, answer.warnings);
    return rows.filter((row) => kept.has(digestOf(plainJson(row, "row").value)));
  } finally {
    await engine.close();
  }
}

const MOST_VALUES = 5;

/** Says which values the rows have, near ones first. */
function noneLeft(
  name: string,
  rows: readonly unknown[],
  filters: readonly string[],
  warnings: readonly string[],
): RequestError {
  const known = filters.flatMap((text) => {
    const { field, value } = filterParts(text);
    const path = parseFieldPath(field);
    const found = new Set("error" in path ? [] : rows.map((row) => at(row, ...path.segments)));
    const values = new Map([...found].filter((one) => one !== undefined).map((one) => [wordOf(one), one]));
    const texts = [...values].filter(([, one]) => typeof one === "string").map(([word]) => word);
    const near = nearestWords(wordOf(value), texts);
    const first = [...new Set([...near, ...values.keys()])].slice(0, MOST_VALUES);
    const more = values.size - first.length;
    if (values.size === 0) return [];
    const meant = near[0] === undefined ? "" : `did you mean ${shown(values.get(near[0]))}? `;
    const list = first.map((word) => shown(values.get(word)));
    return [`${meant}${field} has ${[...list, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`];
  });
  const told = [`no row of ${nameText(name)} passes ${filters.join(" and ")}`, ...warnings, ...known];
  return usageFault(["--filter"], told.join("; "));
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/^"|"$/g, "") : shown(value);
}
