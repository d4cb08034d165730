import { commandCases, quoted, type CompletedCommand } from "./completed-commands.ts";

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
        ? `compadd -- ${words(value.choices)}`
        : value.kind === "file"
          ? "_files"
          : ":";
    return [`        --${name}) ${offer} ;;`];
  });
  const offers = options.map(({ name, description }) => described(`--${name}`, description));
  const below = commands.map(({ name, description }) => described(name, description));
  const operands = [
    ...(below.length > 0 ? [`offers=(${below.join(" ")}); _describe command offers`] : []),
    ...(operand.kind === "choices" ? [`compadd -- ${words(operand.choices)}`] : []),
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

function words(list: readonly string[]): string {
  return list.map(quoted).join(" ");
}
