import { CommanderError } from "commander";
import { EvalcubeError, RequestError } from "../../errors.ts";
import type { RequestIssue } from "../../errors.ts";

/** How a command ends that did not do its work. */
interface CommandFailure {
  readonly status: number;
  /** For standard error, with its line end. */
  readonly text: string;
}

const FAILED = 1;
const INVALID = 2;
const GATE = 3;

/** The command line is at fault. */
export class UsageError extends Error {}

/** The work is done, and its result is what a gate was set against. */
export class GateFailure extends Error {}

/** A file that the command line names cannot be read. */
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

/** `error: unknown option '--dbb'\n(Did you mean --db?)` on one line without the label. */
function plainMessage(message: string): string {
  return message
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Places in the request are named as over HTTP. */
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
