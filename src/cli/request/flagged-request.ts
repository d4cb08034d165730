import { RequestError, type InputPath, type RequestIssue } from "../../errors.ts";
import type { Engine, EvaluationEntry } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { UsageError, usageFault } from "../terminal/failure.ts";
import { readRequest } from "../terminal/input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { parseFilter, parseSort } from "./parse-filter.ts";
import type { RequestFlags } from "./request-options.ts";
import { resolveEvaluation } from "./resolve-evaluation.ts";

/** A member of a request that a flag gave, or that neither a flag nor the file gave. */
interface FlaggedMember {
  readonly member: string;
  readonly flag: string;
  /** Entries of the member that the file gave; those of the flag follow. */
  readonly before: number;
}

/** A request from a file and flags; its shape is not checked yet. */
interface FlaggedRequest {
  readonly request: unknown;
  readonly flagged: readonly FlaggedMember[];
}

/** Members of a request: each with the flag that gives it, and what the flag gave, undefined where it was not there. */
type FlagMembers = Readonly<Record<string, readonly [flag: string, value: unknown]>>;

/** Reads a request from a file or standard input and the flags; without any of them it is the empty request. */
export async function readFlaggedRequest(
  path: string | undefined,
  { evaluation, filter, sort, limit, offset, countErrorsAs }: RequestFlags,
  terminal: Terminal,
): Promise<FlaggedRequest> {
  return withFlags(await readRequest(path, terminal), {
    evaluation_call_ids: ["--evaluation", evaluation],
    filters: filtersFlag(filter),
    sort_by: ["--sort", sort?.map((text, i) => parseSort(text, ["--sort", i]))],
    limit: ["--limit", limit],
    offset: ["--offset", offset],
    count_errors_as: ["--count-errors-as", countErrorsAs],
  });
}

/** The filters that `--filter` gave, as a member of {@link withFlags}. */
export function filtersFlag(texts: readonly string[] | undefined): readonly [flag: string, value: unknown] {
  return ["--filter", texts?.map((text, i) => parseFilter(text, ["--filter", i]))];
}

/** Puts members that flags gave into a request. They override those of the file; filters are added to those of the file. */
export function withFlags(request: unknown, members: FlagMembers): FlaggedRequest {
  const given = Object.entries(members).filter(([, [, value]]) => value !== undefined);
  if (given.length === 0) return { request, flagged: absent(request, members) };
  if (!isJsonObject(request)) throw new UsageError("the request must be a JSON object");
  const filters = filtersBefore(
    request,
    given.some(([member]) => member === "filters"),
  );
  const replaced = given.map(([member, [, value]]) =>
    member === "filters" && Array.isArray(value)
      ? [member, [...filters, ...(value as unknown[])]]
      : [member, value],
  );
  const flagged = given.map(([member, [flag]]) => ({
    member,
    flag,
    before: member === "filters" ? filters.length : 0,
  }));
  const whole = { ...request, ...(Object.fromEntries(replaced) as object) };
  return { request: whole, flagged: [...flagged, ...absent(whole, members)] };
}

/** The members that a request lacks and flags would give. */
function absent(request: unknown, members: FlagMembers): FlaggedMember[] {
  if (!isJsonObject(request)) return [];
  return Object.entries(members)
    .filter(([member]) => !Object.hasOwn(request, member))
    .map(([member, [flag]]) => ({ member, flag, before: 0 }));
}

/** The filters of the file, where those of the flags can follow them. */
function filtersBefore(request: Readonly<Record<string, unknown>>, more: boolean): readonly unknown[] {
  const { filters, filter_logic_operator: logic } = request;
  if (!more || !Array.isArray(filters) || filters.length === 0) return [];
  if (logic === "or")
    throw usageFault(["--filter"], "it cannot be added to the filters of a request that are joined by or");
  return filters as unknown[];
}

/**
 * Runs `work` with the request: ids stand in the place of the names of evaluations, and what is wrong with a member that
 * a flag gave, or that is missing and has a flag, is said of the flag.
 */
export async function askRequest<T>(
  engine: Engine,
  project: string,
  { request, flagged }: FlaggedRequest,
  work: (request: unknown) => Promise<T>,
): Promise<T> {
  try {
    const evaluations = isJsonObject(request) ? await engine.listEvaluations(project) : [];
    return await work(resolveEvaluations(request, evaluations));
  } catch (error) {
    throw error instanceof RequestError ? relocated(error, flagged) : error;
  }
}

function relocated(error: RequestError, flagged: readonly FlaggedMember[]): RequestError {
  const issues = error.issues.map((issue): RequestIssue => ({ ...issue, loc: flagOf(issue.loc, flagged) }));
  const [first, ...rest] = issues;
  return first === undefined ? error : new RequestError(error.kind, [first, ...rest]);
}

function flagOf(loc: InputPath, flagged: readonly FlaggedMember[]): InputPath {
  const [member, position] = loc;
  const found = flagged.find((one) => one.member === member);
  if (found === undefined) return loc;
  if (typeof position !== "number") return [found.flag];
  return position < found.before ? loc : [found.flag, position - found.before];
}

/** Members of requests that hold an evaluation, several of them, or parts that may name one. */
const ONE = new Set(["baseline", "evaluation_call_id"]);
const SEVERAL = new Set(["evaluation_call_ids", "evaluation_run_ids", "evaluations", "candidates"]);
const PARTS = new Set(["filters", "sort_by"]);

/**
 * Puts ids in the place of names, `latest` and the like wherever a request of any capability names an evaluation. What
 * has a wrong shape stays as it is; the engine refuses it.
 *
 * @throws RequestError as `resolveEvaluation` does.
 */
function resolveEvaluations(request: unknown, list: readonly EvaluationEntry[]): unknown {
  const resolveMembers = (value: unknown, place: InputPath): unknown => {
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      resolveMember(name, member, [...place, name]),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  const resolveOne = (value: unknown, place: InputPath): unknown =>
    typeof value === "string" ? resolveEvaluation(value, list, place) : value;
  const resolveMember = (name: string, value: unknown, place: InputPath): unknown => {
    if (ONE.has(name)) return resolveOne(value, place);
    const resolve = SEVERAL.has(name) ? resolveOne : PARTS.has(name) ? resolveMembers : null;
    if (resolve === null || !Array.isArray(value)) return value;
    return value.map((one: unknown, i) => resolve(one, [...place, i]));
  };
  return resolveMembers(request, []);
}
