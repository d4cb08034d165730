import type { EvalcubeCommand } from "../options/options.ts";
import { Argument } from "commander";
import { bashCompletion, fishCompletion, zshCompletion } from "../completion/shells.ts";
import { completedCommands } from "../completion/completed-commands.ts";
import { print, type Terminal } from "../terminal/terminal.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function completionCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("completion")
    .description("print the script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .example("source <(evalcube completion bash)", "evalcube completion fish | source")
    .action((shell: keyof typeof SHELLS) =>
      print(terminal.stdout, SHELLS[shell](completedCommands(program))),
    );
}
