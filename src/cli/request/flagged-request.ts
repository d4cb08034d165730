import type { Command } from "commander";
import { type InputPath, type RequestIssue, withIssues } from "../../errors.ts";
import type { Engine } from "../../index.ts";
import { isByUsage } from "../../model/field-path.ts";
import { isJsonObject } from "../../model/json.ts";
import { namesEvaluations } from "../../request/exported-request.ts";
import { usageFault } from "../../request/meaningless.ts";
import { ofKnownEvaluations } from "../../request/resolve-names.ts";
import { UsageError } from "../terminal/failure.ts";
import { withProject } from "../options/database.ts";
import type { ProjectOptions } from "../options/options.ts";
import { readRequest } from "../terminal/input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readPrices, withPrices } from "./prices.ts";
import { MemberOption } from "./request-options.ts";

/** A member of a request that a flag gave, or that neither a flag nor the file gave. */
interface FlaggedMember {
  readonly member: string;
  readonly flag: string;
  /** Entries of the member that the file gave; those of the flag follow. */
  readonly before: number;
}

/** A request from a file and flags; its shape is not checked yet. */
export interface FlaggedRequest {
  readonly request: unknown;
  readonly flagged: readonly FlaggedMember[];
}

/** Reads what gives a request without its flags, from the argument of a command. */
type ReadArgument = (argument: string | undefined, terminal: Terminal) => Promise<unknown>;

/**
 * Reads a request from a file or standard input, the file of prices and the options of a command; without any of them
 * it is the empty request.
 */
async function readFlaggedRequest(
  argument: string | undefined,
  command: Command,
  terminal: Terminal,
  read: ReadArgument = readRequest,
): Promise<FlaggedRequest> {
  const request = await read(argument, terminal);
  return withFlags(withPrices(request, await readPrices(command.opts(), terminal)), command);
}

/** A command line that asks a project of a database something. */
export interface AskedCommand<Options extends ProjectOptions> {
  readonly options: Options;
  readonly terminal: Terminal;
  /** Reads the request, opens the project and runs `work`. `check` sees the request before and may throw. */
  readonly ask: <T>(
    work: (engine: Engine, project: string, request: unknown) => Promise<T>,
    check?: (request: unknown) => void,
  ) => Promise<T>;
}

/** The action of a command that asks a project something; `read` is for an argument that is no request. */
export function asking<Options extends ProjectOptions>(
  terminal: Terminal,
  run: (asked: AskedCommand<Options>) => Promise<void>,
  read: ReadArgument = readRequest,
) {
  return async (argument: string | undefined, options: Options, command: Command): Promise<void> => {
    const ask: AskedCommand<Options>["ask"] = async (work, check) => {
      const asked = await readFlaggedRequest(argument, command, terminal, read);
      check?.(asked.request);
      return await withProject(terminal, options, (engine, project) =>
        askRequest(asked, (request) => work(engine, project, request)),
      );
    };
    await run({ options, terminal, ask });
  };
}

/**
 * Puts the members that the options of a command give into a request. They override those of the file; filters are
 * added to those of the file.
 */
export function withFlags(request: unknown, command: Command): FlaggedRequest {
  const members = command.options.flatMap((option) => {
    if (!(option instanceof MemberOption)) return [];
    const value: unknown = command.getOptionValue(option.attributeName());
    return [
      {
        member: option.member,
        flag: option.long ?? "",
        value: value === undefined ? undefined : option.read(value),
      },
    ];
  });
  const given = members.filter(({ value }) => value !== undefined);
  if (given.length > 0 && !isJsonObject(request)) throw new UsageError("the request must be a JSON object");
  if (!isJsonObject(request)) return { request, flagged: [] };
  const filters = filtersBefore(
    request,
    given.some(({ member }) => member === "filters"),
  );
  const whole: Record<string, unknown> = { ...request };
  for (const { member, value } of given) whole[member] = added(member, whole[member], value, filters);
  const flagged = members
    .filter(({ member, value }) => value !== undefined || !Object.hasOwn(request, member))
    .map(({ member, flag }) => ({ member, flag, before: member === "filters" ? filters.length : 0 }));
  return { request: whole, flagged };
}

/** Filters follow those of the file; the run of `--by-of` comes to what rows took. Throws `RequestError`. */
function added(member: string, before: unknown, value: unknown, filters: readonly unknown[]): unknown {
  if (member === "filters" && Array.isArray(value)) return [...filters, ...(value as unknown[])];
  if (member !== "by" || !isJsonObject(value) || isByUsage(value)) return value;
  if (!isByUsage(before)) throw usageFault(["--by-of"], "it goes with --by usage:NAME alone");
  return { ...before, ...value };
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
 * Runs `work`; all names must stand for evaluations. A fault of a member that a flag gave, or that is missing and has a
 * flag, is said of the flag.
 */
export async function askRequest<T>(
  { request, flagged }: FlaggedRequest,
  work: (request: unknown) => Promise<T>,
): Promise<T> {
  try {
    return await work(isJsonObject(request) ? ofKnownEvaluations(request) : request);
  } catch (error) {
    throw withIssues(error, (issue) => relocated(issue, flagged));
  }
}

/** Refuses a request about evaluations that names none. */
export function refuseWithoutEvaluation(request: unknown): void {
  if (!namesEvaluations(request)) throw new UsageError("name the evaluations: --evaluation latest");
}

function relocated({ loc, msg, type }: RequestIssue, flagged: readonly FlaggedMember[]): RequestIssue {
  const said = type === "no_earlier_run" ? msg.replace(/baseline$/, "--baseline ID") : msg;
  return { loc: flagOf(loc, flagged), msg: said, type };
}

function flagOf(loc: InputPath, flagged: readonly FlaggedMember[]): InputPath {
  const [member, position, ...below] = loc;
  const own = flagged.filter((one) => one.member === member);
  const inner = own.find(({ flag }) => flag === `--${String(member)}-${String(position)}`);
  const found = inner ?? own[0];
  if (found === undefined) return loc;
  if (inner !== undefined || position === undefined) return [found.flag];
  // Of other flags nobody wrote the member that a value stands in.
  if (typeof position === "string") return member === "by" ? [found.flag, position, ...below] : [found.flag];
  return position < found.before ? loc : [found.flag, position - found.before];
}
