import { quoted, type CompletedCommand } from "./completed-commands.ts";

/** Writes the completion of fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return [
    "# fish completion of evalcube; load it with: evalcube completion fish | source",
    "complete -c evalcube -f",
    ...commands.flatMap(commandLines),
    "",
  ].join("\n");
}

function commandLines(command: CompletedCommand): string[] {
  const { commands, options, operand } = command;
  const begin = `complete -c evalcube -n ${quoted(condition(command))}`;
  return [
    ...commands.map(({ name, description }) => `${begin} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(operand.kind === "choices" ? [`${begin} -a ${quoted(operand.choices.join(" "))}`] : []),
    ...(operand.kind === "file" ? [`${begin} -F`] : []),
    ...options.map(({ name, description, value }) => {
      const takes =
        value === null
          ? ""
          : value.kind === "choices"
            ? ` -x -a ${quoted(value.choices.join(" "))}`
            : value.kind === "file"
              ? " -r -F"
              : " -x";
      return `${begin} -l ${name}${takes} -d ${quoted(description)}`;
    }),
  ];
}

/** True while this command is the innermost that was typed. */
function condition({ path, commands }: CompletedCommand): string {
  if (path.length === 0) return "__fish_use_subcommand";
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`);
  const below = commands.map(({ name }) => name).join(" ");
  return [...seen, ...(below === "" ? [] : [`not __fish_seen_subcommand_from ${below}`])].join("; and ");
}
