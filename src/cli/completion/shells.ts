import { commandCases, type CompletedCommand, quoted } from "./completed-commands.ts";

/** Writes the completion of zsh, to be sourced or to be kept as `_evalcube` in a folder of `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef evalcube
# zsh completion of evalcube; load it with: source <(evalcube completion zsh)
_evalcube() {
  local command= prev=\${words[CURRENT-1]} i
  local -a offers
  for ((i = 2; i < CURRENT; i++)); do
    case "$command \${words[i]}" in
${commandCases(commands)}
    esac
  done
  # --format=json is one word.
  if compset -P '--*='; then prev=\${IPREFIX%=}; fi
  case "$command" in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _evalcube ]]; then _evalcube "$@"; else compdef _evalcube evalcube; fi
`;
}

function commandCase({ path, commands, options, operand }: CompletedCommand): string {
  const values = options.flatMap(({ name, value }) => {
    if (value === null) return [];
    const offer =
      value.kind === "choices"
        ? `compadd -- ${quotedWords(value.choices)}`
        : value.kind === "file"
          ? "_files"
          : ":";
    return [`        --${name}) ${offer} ;;`];
  });
  const offers = options.map(({ name, description }) => described(`--${name}`, description));
  const below = commands.map(({ name, description }) => described(name, description));
  const operands = [
    ...(below.length > 0 ? [`offers=(${below.join(" ")}); _describe command offers`] : []),
    ...(operand.kind === "choices" ? [`compadd -- ${quotedWords(operand.choices)}`] : []),
    ...(operand.kind === "file" ? ["_files"] : []),
  ];
  return [
    `    ${quoted(path.join(" "))})`,
    '      case "$prev" in',
    ...values,
    "        *)",
    `          if [[ $PREFIX == -* ]]; then offers=(${offers.join(" ")}); _describe -o option offers`,
    `          else ${operands.length > 0 ? operands.join("; ") : ":"}; fi ;;`,
    "      esac ;;",
  ].join("\n");
}

/** A word and its description as \`_describe\` takes them. */
function described(word: string, description: string): string {
  return quoted(`${word}:${description.replaceAll(":", String.raw`\:`)}`);
}

function quotedWords(list: readonly string[]): string {
  return list.map(quoted).join(" ");
}

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
${commands.map(bashCase).join("\n")}
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

function bashCase({ path, commands, options, operand }: CompletedCommand): string {
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
