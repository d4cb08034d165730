import type { ReadContext } from "../../format.ts";
import { ListMeans, scoreKey, taskFigures, type ComputedTask } from "./figures.ts";
import type { LmEvalTask } from "./run.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import { mayHaveNoNumbers, parseLine, textLines } from "../../read/json-lines.ts";
import { listAt, objectAt, pick, readMembers, textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { atMost } from "../../translate/clean.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { splitScores } from "../../translate/score-value.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** A line of a samples file: a document under one filter. */
interface SampleLine {
  readonly id: number | bigint | string;
  /** Null in lines of older versions. */
  readonly filter: string | null;
  readonly line: JsonObject;
  /** Its metrics; those without a number are only in `details`. */
  readonly scores: { readonly [metric: string]: Json };
  readonly details: { readonly [metric: string]: Json };
  /** Those that are lists of numbers or booleans only. */
  readonly lists: { readonly [metric: string]: readonly (number | boolean)[] };
}

const NO_METRICS = new Set(
  "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash".split(
    " ",
  ),
);

const TYPES = { text: ["filter"], list: ["metrics"] };

/** Reads a line. `marked` still has the marks of bare NaN and infinities. Throws {@link SourceFault}. */
function readLine(marked: Json, mayHaveMarks: boolean, place: string): SampleLine {
  const { marked: whole, plain: line } = readMembers(marked, TYPES, place, mayHaveMarks);
  const { doc_id: id } = line;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    throw new SourceFault("invalid", place, "lacks a doc_id that is a number or a text");
  if (line["doc"] === undefined) throw new SourceFault("invalid", place, "lacks its doc");
  if (!Array.isArray(line["filtered_resps"])) throw new SourceFault("invalid", place, "lacks filtered_resps");
  const named = Array.isArray(line["metrics"]) ? listAt(line, "metrics") : undefined;
  return { id, filter: textAt(line, "filter"), line, ...metricsOf(whole, named) };
}

function metricsOf(line: JsonObject, named: readonly Json[] | undefined) {
  // Where no list names the metrics, a member that is null is none.
  const isNamed = (name: string, value: Json) =>
    named?.includes(name) ?? (value !== null && !NO_METRICS.has(name));
  const metrics = Object.entries(line).filter(([name, value]) => name !== "bypass" && isNamed(name, value));
  const { scores, details } = splitScores(metrics, (value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value === "number" || typeof value === "bigint" ? value : undefined;
  });
  const lists = metrics.flatMap(([name, value]) =>
    Array.isArray(value) && value.every(isMember) ? [[name, value] as const] : [],
  );
  return { scores, details: withoutNoNumbers(details) as JsonObject, lists: Object.fromEntries(lists) };
}

function isMember(value: Json): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** The prompt of the first request; null where there is none. */
function promptOf(line: JsonObject): Json {
  const [first] = listAt(line, "arguments");
  const older = Array.isArray(first) ? ((first as readonly Json[])[0] ?? null) : null;
  return objectAt(line, "arguments", "gen_args_0")["arg_0"] ?? older;
}

/** What the filter gave: of one response itself. */
function answerOf(line: JsonObject): Json {
  const answers = listAt(line, "filtered_resps");
  return answers.length === 1 ? (answers[0] ?? null) : answers;
}

/** Filters of a task that can be told apart. */
const MOST_FILTERS = 40;
const FIRST_BASE = 64;
/** A text of V8 that is no longer does not keep alive the one that it was cut from. */
const SHORT = 12;

/** A line of a samples file among the lines of its document. */
interface Met {
  /** The name of the document: its id, with a number where that stands for other documents before it. */
  readonly sample: string;
  readonly filter: string;
  /** Whether it makes the trial: its filter is the one under which the document came first. */
  readonly isTrial: boolean;
  /** Whether the document came under this filter before. */
  readonly isAgain: boolean;
}

/** Which documents of a task came under which filters. Little is kept of each, as there may be millions of them. */
class Documents {
  readonly #states = new Map<string, number>();
  /** The begin of the hash of each document that an id stands for. */
  readonly #named = new Map<string, string[]>();
  readonly #filters: string[] = [];
  readonly #listed: readonly string[];
  repeated = 0;

  /** `listed`: the filters of the task, for lines that do not say theirs. */
  constructor(listed: readonly string[]) {
    this.#listed = listed.length === 0 ? ["none"] : listed;
  }

  get count(): number {
    return this.#states.size;
  }

  /** Counts a line. Throws where there are too many filters. */
  meet({ id, filter, line }: SampleLine, place: string): Met {
    const sample = this.#nameOf(id, line);
    const met = filter === null ? this.#byOrder(sample) : this.#byName(sample, filter, place);
    if (met.isAgain) this.repeated++;
    return { ...met, sample };
  }

  #nameOf(id: SampleLine["id"], line: JsonObject): string {
    const hash = textAt(line, "doc_hash") ?? hashOf(line["doc"] ?? null);
    const own = `${typeof id === "string" ? "t" : "n"}${hash}`.slice(0, SHORT);
    const all = this.#named.get(String(id)) ?? [];
    if (all.length === 0) this.#named.set(String(id), all);
    const at = all.includes(own) ? all.indexOf(own) : all.push(own) - 1;
    return at === 0 ? String(id) : `${id}~${at + 1}`;
  }

  /** The lines of a document come in the order of the filters. */
  #byOrder(id: string): Omit<Met, "sample"> {
    const before = this.#states.get(id) ?? 0;
    this.#states.set(id, before + 1);
    const at = before % this.#listed.length;
    return { filter: this.#listed[at] ?? "none", isTrial: at === 0, isAgain: before >= this.#listed.length };
  }

  #byName(id: string, filter: string, place: string): Omit<Met, "sample"> {
    let at = this.#filters.indexOf(filter);
    if (at < 0) at = this.#filters.push(filter) - 1;
    if (at >= MOST_FILTERS)
      throw new SourceFault("invalid", place, `has a filter beyond the first ${MOST_FILTERS}`);
    const state = this.#states.get(id) ?? at;
    const first = state % FIRST_BASE;
    const bit = FIRST_BASE * 2 ** at;
    const isAgain = Math.floor(state / bit) % 2 === 1;
    if (!isAgain) this.#states.set(id, state + bit);
    return { filter, isTrial: first === at, isAgain };
  }
}

const LONGEST_PROMPT = 256 * 1024;

/** Reads the samples of a task; gives how many documents there were, and the figures that were computed of them. */
export async function* readTask(
  task: LmEvalTask,
  context: ReadContext,
): AsyncGenerator<LogItem, ComputedTask> {
  const filters = listAt(task.config, "filter_list").map((filter) => textAt(filter, "name") ?? "none");
  const documents = new Documents(filters);
  let evaluation: LogEvaluation | null = null;
  const lists = new ListMeans(task.config);
  const computed = new Map<string, number>();
  const before = context.refused();
  for await (const text of textLines(task.file.bytes())) {
    const place = `${task.place}line ${text.line}`;
    const read = () => readLine(parseLine(text, place), mayHaveNoNumbers(text.bytes), place);
    const line = orRefused(read, place, context.refuse);
    if (line === null) continue;
    evaluation ??= task.evaluationOf(line.line);
    yield* itemsOf(line, place, evaluation, documents, lists);
  }
  const { repeated, count } = documents;
  if (repeated > 0)
    yield {
      kind: "note",
      text: `${repeated} lines repeat a document under one filter; the later line counts`,
    };
  const counts = { documents: count, refused: context.refused() - before, repeated };
  if (evaluation !== null)
    yield* taskFigures(task, evaluation, { book: context.book, lists, computed }, counts);
  return { documents: count, figures: computed };
}

function* itemsOf(
  line: SampleLine,
  place: string,
  evaluation: LogEvaluation,
  documents: Documents,
  lists: ListMeans,
): Generator<LogItem> {
  const { sample, filter, isTrial, isAgain } = documents.meet(line, place);
  const keyOf = (metric: string) => scoreKey(metric, filter);
  const means = Object.entries(line.lists).flatMap(([metric, values]) => {
    const mean = lists.add(metric, keyOf(metric), values);
    return mean === null ? [] : [[metric, mean] as const];
  });
  const scores = withKeys({ ...line.scores, ...Object.fromEntries(means) }, keyOf);
  const details = withKeys(line.details, keyOf);
  const at = { evaluation, place, sample, index: indexOf(line.id) };
  if (isTrial) {
    const all = { ...answerDetails(line.line), ...details };
    yield { kind: "trial", trial: { ...at, ...partsOf(line), scores, details: all }, isAgain };
    return;
  }
  const inputs = { filtered_resps: line.line["filtered_resps"] ?? null, ...details };
  for (const [key, value] of Object.entries(scores))
    yield { kind: "score", score: { ...at, key, value, inputs }, isAgain };
}

function partsOf({ id, line }: SampleLine): Pick<LogTrial, "identity" | "stable" | "row" | "output"> {
  return {
    identity: { doc_id: id },
    stable: { doc: line["doc"] ?? null },
    row: pick(line, ["target", "doc_hash"]),
    output: answerOf(line),
  };
}

function answerDetails(line: JsonObject): JsonObject {
  const prompt = promptOf(line);
  return {
    ...(prompt === null
      ? {}
      : { prompt: typeof prompt === "string" ? atMost(prompt, LONGEST_PROMPT) : prompt }),
    responses: line["resps"] ?? null,
    target: line["target"] ?? null,
  };
}

function indexOf(id: SampleLine["id"]): number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : 0;
}

function withKeys(values: { readonly [metric: string]: Json }, keyOf: (metric: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([metric, value]) => [keyOf(metric), value]));
}
