import type { Argument, Command, Option } from "commander";

/** What a shell may offer where a value is typed. */
type Offer =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" | "none" };

interface CompletedOption {
  /** Without dashes. */
  readonly name: string;
  readonly description: string;
  /** null where the option takes no value. */
  readonly value: Offer | null;
}

/** A command with what may follow it. */
export interface CompletedCommand {
  /** Names from the outside in; empty for the command itself. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** The words that are no options. */
  readonly operand: Offer;
}

/** Lists a command and all commands below it, from commander's tree. */
export function completedCommands(
  command: Command,
  path: readonly string[] = [],
  inherited: readonly CompletedOption[] = [],
): CompletedCommand[] {
  const { commands, options } = command;
  const below = commands.map((one) => ({ name: one.name(), description: one.description() }));
  const own = options.map(completedOption);
  const help = { name: "help", description: "display help for command", value: null };
  const operand = command.registeredArguments.map(offerOf).find(({ kind }) => kind !== "none");
  const here = {
    path,
    commands: below,
    options: [...own, ...inherited, help],
    operand: operand ?? { kind: "none" as const },
  };
  const global = own.filter(({ name }) => name !== "version");
  return [
    here,
    ...commands.flatMap((one) => completedCommands(one, [...path, one.name()], [...inherited, ...global])),
  ];
}

function completedOption(option: Option): CompletedOption {
  const { description, long, flags } = option;
  const value = option.required || option.optional ? offerOf(option) : null;
  return { name: (long ?? flags).replace(/^-+/, ""), description, value };
}

/** Names of values and arguments that stand for a file. */
const FILES = /[<[](path|file|files|request)(\.\.\.)?[>\]]|^(files|request)$/;

function offerOf(taken: Option | Argument): Offer {
  const choices = taken.argChoices;
  if (choices !== undefined) return { kind: "choices", choices };
  const name = "flags" in taken ? taken.flags : taken.name();
  return { kind: FILES.test(name) ? "file" : "none" };
}

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
