import type { CompletedCommand } from "./completed-commands.ts";

/** A text as one word of bash, zsh and fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`'\''`)}'`;
}

/** The branches of a `case` over the command so far and the next word, which keep the command in `command`. */
export function commandCases(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ path }) => path.length > 0)
    .map(
      ({ path }) =>
        `      ${quoted(`${path.slice(0, -1).join(" ")} ${path.at(-1)}`)}) command=${quoted(path.join(" "))} ;;`,
    )
    .join("\n");
}
