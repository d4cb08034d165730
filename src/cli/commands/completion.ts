import { Argument, type Command } from "commander";
import { bashCompletion } from "../completion/bash.ts";
import { completedCommands } from "../completion/completed-commands.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { withExample } from "../options/options.ts";
import { print } from "../terminal/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function completionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("completion")
    .description("print the script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) =>
      print(terminal.stdout, SHELLS[shell](completedCommands(program))),
    );
  withExample(command, "source <(evalcube completion bash)", "evalcube completion fish | source");
}
