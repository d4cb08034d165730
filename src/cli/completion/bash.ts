import { commandCases, quoted, type CompletedCommand } from "./completed-commands.ts";

/** Writes the completion of bash. It needs no package of completions, and runs in bash 3.2. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of evalcube; load it with: source <(evalcube completion bash)
_evalcube() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= words= files= i
  # bash splits --format=json at the sign.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
${commandCases(commands)}
    esac
  done
  case "$command" in
${commands.map(commandCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files && $cur != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _evalcube evalcube
`;
}

function commandCase({ path, commands, options, operand }: CompletedCommand): string {
  const values = options.flatMap(({ name, value }) => {
    if (value === null) return [];
    const offer =
      value.kind === "choices" ? `words=${wordList(value.choices)}` : value.kind === "file" ? "files=1" : ":";
    return [`        --${name}) ${offer} ;;`];
  });
  const words = [
    ...commands.map(({ name }) => name),
    ...options.map(({ name }) => `--${name}`),
    ...(operand.kind === "choices" ? operand.choices : []),
  ];
  return [
    `    ${quoted(path.join(" "))})`,
    '      case "$prev" in',
    ...values,
    `        *) words=${wordList(words)}${operand.kind === "file" ? " files=1" : ""} ;;`,
    "      esac ;;",
  ].join("\n");
}

function wordList(words: readonly string[]): string {
  return quoted(words.join("\n"));
}
