import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import { argumentsWithIds } from "../../request/argument-names.ts";
import { resolveNames, type UnknownName } from "../../request/resolve-names.ts";
import { RequestError, type InputPath, requestFault } from "../../errors.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { firstAndMore } from "../../model/messages.ts";
import { didYouMean } from "../../model/nearest.ts";
import { parseFilter, parseSort } from "../../request/parse-filter.ts";
import { oneLine } from "../../model/plain-line.ts";
import { plainText, type Sentence, withNames } from "../../words/sentence.ts";
import type { Asked, McpEngine } from "./tool.ts";
import { nameText, quotedName, withShortNames } from "../../model/name-text.ts";

const MOST_NAMED = 20;

/** A sentence with such names, on one line. */
export function spoken(sentence: Sentence): string {
  return oneLine(plainText(withNames(sentence, (name) => nameText(name))));
}

/** The error of a name that stands for nothing; `tool` lists what there is. */
export function unknown(loc: InputPath, msg: string, tool: string): RequestError {
  return requestFault("meaning", loc, withSource(msg, tool), "unknown");
}

/** A message with the tool that lists what there is. */
export function withSource(msg: string, tool: string): string {
  return `${msg}${msg.endsWith("?") ? "" : ";"} ${tool} has them all`;
}

/** The project that is named, or the only one. Throws `RequestError`. */
export async function projectOf(
  engine: McpEngine,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const all = (await engine.countEvaluations({ signal })).map((one) => one.project_id);
  const [only, ...others] = all;
  if (name !== undefined && all.includes(name)) return name;
  if (name !== undefined) throw unknownProject(`no project ${quotedName(name)}${didYouMean(name, all)}`);
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw unknownProject("nothing is loaded yet; evalcube ingest or evalcube import loads evaluations");
  throw unknownProject(
    `there are ${all.length}, name one: ${firstAndMore(
      all.map((one) => nameText(one)),
      MOST_NAMED,
    )}`,
  );
}

function unknownProject(msg: string): RequestError {
  return unknown(["project"], msg, "list_projects");
}

/** A request with ids and conditions instead of texts, and how its evaluations are called. */
interface Named<Request> {
  readonly request: Request;
  readonly evaluations: readonly EvaluationEntry[];
  /**
   * Warnings of the engine with short names, below which evaluations names stand for. Throws as {@link checkedWarnings}
   * does.
   */
  readonly warned: (warnings: readonly string[]) => string[];
  /** Short labels of these evaluations. */
  readonly labelsOf: (ids: readonly string[]) => ReadonlyMap<string, string>;
}

/**
 * Makes a request of arguments: ids where they name evaluations, and what texts of filters and sort keys stand for;
 * `sortOf` reads a sort key. Throws `RequestError` where a name stands for none, and on a text that is none.
 */
export async function named<Request extends object>(
  { engine, project, signal }: Pick<Asked<unknown>, "engine" | "project" | "signal">,
  given: Texts & object,
  sortOf: (key: string, path: InputPath) => unknown = parseSort,
): Promise<Named<Request>> {
  const request = { ...given, ...readTexts(given, sortOf) };
  const evaluations = await engine.listEvaluations(project, { signal });
  const known = () => new Set(evaluations.flatMap((one) => [one.display_name ?? one.id, one.id]));
  const unknownName: UnknownName = ({ text, place }) =>
    unknown(place, `no evaluation ${quotedName(text)}${didYouMean(text, known())}`, "list_evaluations");
  const found = resolveNames(evaluations, request, request, argumentsWithIds, unknownName);
  const labelsOf = (ids: readonly string[]) =>
    evaluationLabels(evaluations.filter(({ id }) => ids.includes(id)));
  const warned = (warnings: readonly string[]) => [...found.notes, ...checkedWarnings(warnings, given)];
  return { request: found.request as object as Request, evaluations, warned, labelsOf };
}

/** Members of a request that are texts here. */
interface Texts {
  readonly filters?: readonly (string | object)[] | undefined;
  readonly sort_by?: readonly string[] | undefined;
}

function readTexts(
  { filters, sort_by: keys }: Texts,
  sortOf: (key: string, path: InputPath) => unknown,
): object {
  const conditions = filters?.map((one, i) =>
    typeof one === "string" ? parseFilter(one, ["filters", i]) : one,
  );
  const sorted = keys?.map((key, i) => sortOf(key, ["sort_by", i]));
  return { ...(conditions && { filters: conditions }), ...(sorted && { sort_by: sorted }) };
}

const MISSING =
  /^(filters|sort_by|moved|missing|cluster_by): (no (?:trial|row) of the requested evaluations has ([^;]+)(?:;.*)?)$/s;

/**
 * Warnings of the engine with short names. Throws `RequestError` where one says that no trial has a field of the
 * request.
 */
function checkedWarnings(warnings: readonly string[], given: Texts): string[] {
  return warnings.map((warning) => {
    const [, part = "", said = "", field = ""] = MISSING.exec(warning) ?? [];
    const texts = part === "filters" ? given.filters : part === "sort_by" ? given.sort_by : [];
    const at = texts?.findIndex((text) => JSON.stringify(text).includes(field)) ?? -1;
    if (part !== "") throw unknown(at === -1 ? [part] : [part, at], said, "describe_fields");
    return withShortNames(warning);
  });
}

/** An answer's values as JSON can hold them: integers beyond 2^53 are texts. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** The same objects without the members that are null in all of them. */
export function withoutNulls<One extends object>(list: readonly One[]): Partial<One>[] {
  const told = new Set(
    list.flatMap((one) => Object.entries(one).map(([name, inner]) => (inner == null ? "" : name))),
  );
  return list.map(
    (one) => Object.fromEntries(Object.entries(one).filter(([name]) => told.has(name))) as Partial<One>,
  );
}
