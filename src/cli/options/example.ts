import type { Command } from "commander";

/** Adds command lines to the end of the help of a command. */
export function withExample(command: Command, ...lines: readonly [string, ...string[]]): Command {
  const head = lines.length === 1 ? "Example:" : "Examples:";
  return command.addHelpText("after", ["", head, ...lines.map((line) => `  ${line}`)].join("\n"));
}
