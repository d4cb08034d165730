import { Option } from "commander";

/** Flags that stand for members of a request. */
export interface RequestFlags {
  readonly evaluation?: readonly string[];
  readonly filter?: readonly string[];
  readonly sort?: readonly string[];
  readonly limit?: unknown;
  readonly offset?: unknown;
}

export const REQUEST_ARGUMENT = [
  "[request]",
  "a JSON file, or - for standard input; flags replace its members, and --filter adds to its filters",
] as const;

/** The options of a command that asks for rows. */
export function requestOptions(): Option[] {
  return [
    evaluationOption(),
    filterOption(),
    new Option(
      "--sort <field[:order]>",
      "asc (default), desc or difference, the greatest first; repeatable",
    ).argParser(collect),
    new Option("--limit <count>", "number of rows").argParser(numberOrText),
    new Option("--offset <count>", "number of rows to skip").argParser(numberOrText),
  ];
}

/** `--evaluation`, repeatable. */
export function evaluationOption(): Option {
  return new Option(
    "--evaluation <id>",
    "an id, a name, latest, latest~1 or model:<name>; repeatable",
  ).argParser(collect);
}

/** `--filter`, repeatable. */
export function filterOption(): Option {
  return new Option(
    "--filter <condition>",
    "'FIELD OP VALUE' with = != < <= > >= contains in; VALUE is JSON or text; repeatable, all must hold",
  ).argParser(collect);
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** The engine refuses what is no number, as it does in a file. */
function numberOrText(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
