import { CommanderError } from "commander";
import { EvalcubeError, RequestError } from "../../errors.ts";
import type { RequestIssue } from "../../errors.ts";

/** The exit status and the message of a failed command. */
interface CommandFailure {
  readonly status: number;
  /** Text for standard error, with its line end. */
  readonly text: string;
}

const FAILED = 1;
const INVALID = 2;
const GATE = 3;

/** A mistake in the command line. */
export class UsageError extends Error {}

/** The command succeeded, but its result fails a gate. */
export class GateFailure extends Error {}

/** A file named on the command line that cannot be read. */
export class FileError extends Error {}

export function failureOf(error: unknown): CommandFailure {
  if (error instanceof RequestError) return invalid(error.message, error.issues.map(inBody));
  if (error instanceof UsageError) return invalid(error.message, [usageIssue(error.message)]);
  if (error instanceof GateFailure) return { status: GATE, text: `evalcube: ${error.message}\n` };
  if (error instanceof CommanderError) return commandLineFailure(error);
  if (error instanceof EvalcubeError || error instanceof FileError) return failed(error.message);
  if (error instanceof Error && "code" in error && "syscall" in error) return failed(error.message);
  return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function commandLineFailure(error: CommanderError): CommandFailure {
  if (error.exitCode === 0) return { status: 0, text: "" };
  const message =
    error.code === "commander.help"
      ? "name a command; evalcube --help lists them"
      : plainMessage(error.message);
  return invalid(message, [usageIssue(message)]);
}

/** Puts a message such as `error: unknown option '--dbb'` with its suggestion on one line without the label. */
function plainMessage(message: string): string {
  return message
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Locates an issue in the body, as the HTTP service does. */
function inBody({ loc, msg, type }: RequestIssue): RequestIssue {
  return { loc: ["body", ...loc], msg, type };
}

function usageIssue(msg: string): RequestIssue {
  return { loc: ["arguments"], msg, type: "usage" };
}

function invalid(reason: string, detail: readonly RequestIssue[]): CommandFailure {
  return { status: INVALID, text: `${JSON.stringify({ reason, detail })}\n` };
}

function failed(message: string): CommandFailure {
  return { status: FAILED, text: `evalcube: ${message}\n` };
}
