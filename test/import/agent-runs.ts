import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { canonicalJson } from "../../src/model/digest.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Engine, ImportOptions } from "../../src/index.ts";
import { zipFile } from "./zip-file.ts";

/** What an import says of a trial and of its steps, as tools count them. What a source does not say is null. */
export interface TrialSummary {
  readonly task: string;
  readonly attempt: number;
  readonly reward: number | null;
  readonly outcome: "scored" | "error" | "no_value";
  readonly steps: number | null;
  readonly model_calls: number | null;
  readonly tool_calls: number | null;
  readonly tool_errors: number | null;
  readonly error_types: readonly string[] | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cost: number | null;
  readonly tool_seconds: number | null;
  readonly model_seconds: number | null;
  readonly repeated_actions: number | null;
  readonly stop_reason: string | null;
  readonly tools: { readonly [name: string]: { readonly calls: number; readonly errors: number | null } };
  readonly actions: readonly string[];
  readonly agent_seconds: number | null;
  readonly total_tokens: number | null;
  readonly models: readonly string[];
}

interface Call {
  readonly id: string;
  readonly parent: string | null;
  readonly start: number;
  readonly seconds: number | null;
  readonly record: JsonObject;
}

/** Sums numbers that are known; null where none is. */
export function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

const numberOf = (value: unknown) => (typeof value === "number" ? value : null);
const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

async function callsOf(engine: Engine, project: string): Promise<Call[]> {
  const table = await engine.sql(project, "select record from calls");
  return Array.from(table, (row) => {
    const record = JSON.parse(String(row["record"])) as JsonObject;
    const time = (name: string) => Date.parse(textOf(record[name]));
    const [start, end] = [time("started_at"), time("ended_at")];
    return {
      id: textOf(record["id"]),
      parent: typeof record["parent_id"] === "string" ? record["parent_id"] : null,
      start,
      seconds: Number.isNaN(end) ? null : (end - start) / 1000,
      record,
    };
  });
}

/** The trials of a project in the order of their rows and attempts; `reward` is the name of the score. */
export async function summaries(
  engine: Engine,
  project: string,
  { reward, task, attempt }: { reward: string; task: string; attempt?: string },
): Promise<TrialSummary[]> {
  const calls = await callsOf(engine, project);
  const trials = calls
    .filter(({ record }) => record["op_name"] === "Evaluation.predict_and_score")
    .toSorted((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  const attempts = new Map<string, number>();
  const found = trials.map((trial) => {
    const identity = objectOf(objectOf(objectOf(trial.record["attributes"])["evalcube"])["sample"]);
    const name = textOf(identity[task]);
    const number = attempt === undefined ? (attempts.get(name) ?? 0) + 1 : Number(identity[attempt]);
    attempts.set(name, number);
    return { ...summaryOf(trial, calls, reward), task: name, attempt: number };
  });
  return found.toSorted((a, b) => (a.task === b.task ? a.attempt - b.attempt : a.task < b.task ? -1 : 1));
}

function summaryOf(
  trial: Call,
  calls: readonly Call[],
  score: string,
): Omit<TrialSummary, "task" | "attempt"> {
  const predict = calls.find(({ id }) => id === `${trial.id}/predict`);
  const steps = stepsBelow(predict?.id ?? "", calls);
  const ofKind = (kind: string) => steps.filter((one) => attribute(one, "gen_ai.operation.name") === kind);
  const [chats, tools] = [ofKind("chat"), ofKind("execute_tool")];
  const count = (name: string) => sum(chats.map((one) => numberOf(attribute(one, `gen_ai.usage.${name}`))));
  const usage = Object.values(objectOf(objectOf(predict?.record["summary"])["usage"])).map(objectOf);
  const ofTrial = (name: string) => sum(usage.map((one) => numberOf(one[name])));
  const cached = sum(usage.map((one) => numberOf(objectOf(one["input_tokens_details"])["cached_tokens"])));
  const output = objectOf(trial.record["output"]);
  const value = objectOf(output["scores"])[score];
  const errors = tools.map(errorOf);
  const isKnown = !errors.includes("unknown");
  const actions = tools.map((one) => canonicalJson([nameOf(one), one.record["inputs"] ?? {}]));
  const has = steps.length > 0;
  const evalcube = objectOf(objectOf(trial.record["attributes"])["evalcube"]);
  return {
    reward: typeof value === "boolean" ? Number(value) : numberOf(value),
    outcome: trial.record["exception"] ? "error" : value == null ? "no_value" : "scored",
    steps: has ? chats.length + tools.length : null,
    model_calls: has ? chats.length : null,
    tool_calls: has ? tools.length : null,
    tool_errors: !has || !isKnown ? null : errors.filter((one) => one !== null).length,
    error_types: !has || !isKnown ? null : [...new Set(errors.filter((one) => one !== null))],
    input_tokens: count("input_tokens") ?? ofTrial("input_tokens"),
    output_tokens: count("output_tokens") ?? ofTrial("output_tokens"),
    cached_tokens: count("cache_read.input_tokens") ?? cached,
    cost: numberOf(output["cost_usd"]),
    tool_seconds: sum(tools.map(({ seconds }) => seconds)),
    model_seconds: sum(chats.map(({ seconds }) => seconds)),
    repeated_actions: has ? actions.length - new Set(actions).size : null,
    stop_reason: (evalcube["stop_reason"] as string | undefined) ?? null,
    tools: tableOf(tools),
    actions: tools.map(nameOf),
    agent_seconds: predict?.seconds ?? null,
    total_tokens: ofTrial("total_tokens"),
    models: [...new Set(chats.map((one) => textOf(attribute(one, "gen_ai.response.model"))))].sort(),
  };
}

/** The steps below a call, in the order of their numbers. */
function stepsBelow(parent: string, calls: readonly Call[]): Call[] {
  const below = calls.filter((one) => one.parent === parent && one.id.includes("/step/"));
  return below
    .flatMap((one) => [one, ...stepsBelow(one.id, calls)])
    .toSorted((a, b) => a.start - b.start || placeOf(a) - placeOf(b));
}

const placeOf = ({ record }: Call) => Number(objectOf(objectOf(record["attributes"])["evalcube"])["step"]);
const attribute = ({ record }: Call, name: string) => objectOf(record["attributes"])[name];
const nameOf = (one: Call) => textOf(attribute(one, "gen_ai.tool.name"));

function errorOf(one: Call): string | null {
  const told = attribute(one, "error.type") ?? one.record["exception"];
  if (typeof told === "string" && told !== "") return told;
  return objectOf(attribute(one, "evalcube"))["error_unknown"] === true ? "unknown" : null;
}

function tableOf(tools: readonly Call[]): TrialSummary["tools"] {
  const names = [...new Set(tools.map(nameOf))];
  return Object.fromEntries(
    names.map((name) => {
      const errors = tools.filter((one) => nameOf(one) === name).map(errorOf);
      const isKnown = !errors.includes("unknown");
      return [
        name,
        { calls: errors.length, errors: isKnown ? errors.filter((one) => one !== null).length : null },
      ];
    }),
  );
}

const OF_FILE = new Set([
  "source",
  "file_name",
  "file_time",
  "imported_at",
  "content",
  "length",
  "file",
  "files",
]);

/** What the view of steps says of a project, as sums over its trials; null where it is not known of one. */
export async function stepSums(engine: Engine, project: string) {
  const table = await engine.sql(
    project,
    `select count(*) filter (operation = 'chat')::int as model_calls, count(*) filter (operation = 'execute_tool')::int as tool_calls,
      count(error_type) filter (operation = 'execute_tool')::int as told_errors,
      (count(action) - count(distinct trial_id || action))::int as repeated_actions,
      sum(duration_seconds) filter (operation = 'execute_tool') as tool_seconds,
      sum(duration_seconds) filter (operation = 'chat') as model_seconds, sum(input_tokens)::int as input_tokens,
      sum(output_tokens)::int as output_tokens, sum(cached_tokens)::int as cached_tokens from steps where step is not null`,
  );
  return table.get(0)?.toJSON() as Record<string, number | null>;
}

/** All records of a project, without what tells of the files that they came from. */
export async function recordsIn(engine: Engine, project: string): Promise<string[]> {
  const calls = await engine.sql(project, "select trace_id, record from calls");
  return Array.from(calls, (row) => {
    // A run may be known by the bytes of its files.
    const text = String(row["record"])
      .replaceAll(project, "PROJECT")
      .replaceAll(String(row["trace_id"]), "RUN");
    const record = JSON.parse(text) as JsonObject;
    const attributes = objectOf(record["attributes"]);
    const evalcube = objectOf(attributes["evalcube"]);
    const told = Object.entries(objectOf(evalcube["import"])).filter(([name]) => !OF_FILE.has(name));
    const known = told.length === 0 ? evalcube : { ...evalcube, import: Object.fromEntries(told) };
    return canonicalJson({ ...record, attributes: { ...attributes, evalcube: known } });
  }).sort();
}

/** The files of a folder by their paths in it. */
export function filesIn(folder: string, inside = ""): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(path.join(folder, inside)).sort()) {
    const file = path.join(inside, name);
    if (statSync(path.join(folder, file)).isDirectory())
      for (const [below, bytes] of filesIn(folder, file)) files.set(below, bytes);
    else files.set(file, readFileSync(path.join(folder, file)));
  }
  return files;
}

export function writeFiles(folder: string, files: ReadonlyMap<string, Buffer | string>): string {
  for (const [name, bytes] of files) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return folder;
}

/** Makes each JSON document of some files anew, a line of NDJSON by itself. */
function rewritten(
  files: ReadonlyMap<string, Buffer>,
  change: (value: Json) => Json,
  write = (value: Json) => JSON.stringify(value, null, 1),
): Map<string, string | Buffer> {
  return new Map(
    Array.from(files, ([name, bytes]): [string, string | Buffer] => {
      const text = bytes.toString();
      if (!/^\s*[[{]/.test(text)) return [name, bytes];
      try {
        return [name, write(change(JSON.parse(text) as Json))];
      } catch {
        const lines = text.split("\n").filter((line) => line.trim() !== "");
        return [name, lines.map((line) => JSON.stringify(change(JSON.parse(line) as Json))).join("\n")];
      }
    }),
  );
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, one]) => [name, reversed(one)]),
  );
}

const MORE = { zz_later: { of: [1, null, "x"] }, aa_later: null };

/** More members in the document, and in each object of a list. */
function extended(value: Json, isDocument = true): Json {
  if (Array.isArray(value)) return value.map((item: Json) => extended(item, true));
  if (!isJsonObject(value)) return value;
  const own = Object.entries(value).map(([name, one]) => [name, extended(one, false)] as const);
  return { ...Object.fromEntries(own), ...(isDocument ? MORE : {}) };
}

const WRITTEN = new Date("2026-05-29T00:00:00Z");

/** Runs without a time of their own count as of that of their files. */
function dated(place: string): string {
  if (!statSync(place).isDirectory()) utimesSync(place, WRITTEN, WRITTEN);
  else for (const name of filesIn(place).keys()) utimesSync(path.join(place, name), WRITTEN, WRITTEN);
  return place;
}

/** A run in forms that must give the same records; each is a path to import. */
export function formsOf(input: string, newFolder: () => string): Map<string, string> {
  const files = filesIn(input);
  const copied = (inside: string, all: ReadonlyMap<string, Buffer | string>) => {
    const base = newFolder();
    return (
      dated(writeFiles(path.join(base, ...inside.split("/")), all)) &&
      path.join(base, inside.split("/")[0] ?? "")
    );
  };
  const zip = path.join(newFolder(), "input.zip");
  writeFileSync(zip, zipFile(Array.from(files, ([name, data]) => ({ name, data }))));
  const crlf = rewritten(
    files,
    (value) => value,
    (value) => `\uFEFF${JSON.stringify(value, null, 2).replaceAll("\n", "\r\n")}\r\n`,
  );
  return new Map([
    ["as it is", copied("input", files)],
    ["a zip of it", dated(zip)],
    ["one level deeper", copied("around/input", files)],
    ["CRLF and a byte order mark", copied("input", crlf)],
    ["members in another order", copied("input", rewritten(files, reversed))],
    [
      "members of later versions",
      copied(
        "input",
        rewritten(files, (value) => extended(value)),
      ),
    ],
  ]);
}

/** Imports into a project of its own; answers it with all that is said. */
export async function importRun(
  engine: Engine,
  source: string | readonly string[],
  project: string,
  options: Partial<ImportOptions> = {},
) {
  const notes: string[] = [];
  const results = await engine.importEvaluations(source, {
    project,
    onNote: (note) => notes.push(note),
    ...options,
  });
  return { results, notes: [...notes, ...results.flatMap((one) => one.notes)] };
}

export const temporaryFolder = (base: string) => mkdtempSync(path.join(base, "run-"));
