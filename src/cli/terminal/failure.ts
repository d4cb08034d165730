import { CommanderError } from "commander";
import { EvalcubeError, RequestError, type RequestIssue } from "../../errors.ts";
import { printable } from "./terminal.ts";
import { mayOpenFewFiles, saysTooFewFiles, TOO_FEW_FILES } from "./open-files.ts";

/** The exit status and the message of a failed command. */
interface CommandFailure {
  readonly status: number;
  /** Text for standard error, with its line end. */
  readonly text: string;
}

interface Failure {
  readonly status: number;
  /** Without the name of the command and the line end. */
  readonly text: string;
  /** What is wrong with the command line or the request, where that is at fault. */
  readonly detail?: readonly RequestIssue[];
}

const FAILED = 1;
const INVALID = 2;
const GATE = 3;
const UNDETERMINED = 4;

/** A mistake in the command line. */
export class UsageError extends Error {}

/** The command succeeded, but its result meets gates; each reason is a line. */
export class GateFailure extends Error {
  constructor(reasons: readonly string[]) {
    super(reasons.map((reason) => reason.replaceAll(/\s+/g, " ")).join("\nevalcube: "));
  }
}

/** The command succeeded, but something could not be compared; each reason is a line. */
export class NotComparable extends GateFailure {}

/** A check could not read everything, and found no fault in the rest. */
export class Undetermined extends Error {}

/** An evaluation ran, and all of its trials failed; each reason is a line. */
export class RunFailure extends Error {
  constructor(reasons: readonly string[]) {
    super(reasons.join("\nevalcube: "));
  }
}

/** A file named on the command line that cannot be read. */
export class FileError extends Error {}

/**
 * Writes a failure for people on a terminal, as one sentence. Elsewhere a faulty command line or request is JSON:
 * `{ reason, detail }`, whose `loc` begins inside the request.
 */
export function failureOf(error: unknown, onTerminal: boolean): CommandFailure {
  const { status, text, detail } = describe(error);
  const json = detail !== undefined && !onTerminal;
  return { status, text: json ? `${JSON.stringify({ reason: text, detail })}\n` : sentence(text) };
}

function sentence(text: string): string {
  return text === "" ? "" : `evalcube: ${printable(text)}\n`;
}

function describe(error: unknown): Failure {
  if (error instanceof RequestError) return invalid(error.message, error.issues);
  if (error instanceof UsageError) return invalid(error.message, [usageIssue(error.message)]);
  if (error instanceof NotComparable || error instanceof Undetermined)
    return { status: UNDETERMINED, text: error.message };
  if (error instanceof GateFailure) return { status: GATE, text: error.message };
  if (error instanceof CommanderError) return commandLineFailure(error);
  if (saysTooFewFiles(error) && !String(error).includes("ulimit -n")) return failed(TOO_FEW_FILES);
  if (error instanceof EvalcubeError || error instanceof FileError || error instanceof RunFailure)
    return failed(error.message);
  if (error instanceof Error && "code" in error && "syscall" in error) return failed(error.message);
  if (mayOpenFewFiles()) return failed(TOO_FEW_FILES);
  return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function commandLineFailure(error: CommanderError): Failure {
  if (error.exitCode === 0) return { status: 0, text: "" };
  const message =
    error.code === "commander.help" ? "name a command; --help lists them" : plainMessage(error.message);
  return invalid(message, [usageIssue(message)]);
}

/** Puts a message such as `error: unknown option '--dbb'` with its suggestion on one line without the label. */
function plainMessage(message: string): string {
  return message
    .replace(/(?<=option '--db <path>' not specified)$/, ", and EVALCUBE_DB is not set")
    .replace(
      /^(error: too many arguments for .*)\.$/s,
      "$1; a flag names an evaluation, and --help lists them",
    )
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function usageIssue(msg: string): RequestIssue {
  return { loc: ["arguments"], msg, type: "usage" };
}

function invalid(text: string, detail: readonly RequestIssue[]): Failure {
  return { status: INVALID, text, detail };
}

function failed(text: string): Failure {
  return { status: FAILED, text };
}
