import { InvalidArgumentError, Option } from "commander";

/** Flags that stand for members of a request. */
export interface RequestFlags {
  readonly evaluation?: readonly string[];
  readonly filter?: readonly string[];
  readonly sort?: readonly string[];
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly countErrorsAs?: CountErrors;
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

/** What `--count-errors-as` gives, as the member of a request. */
export type CountErrors = number | Readonly<Record<string, number>>;

/** `--count-errors-as`. */
export function countErrorsOption(): Option {
  return new Option(
    "--count-errors-as <number...>",
    "what failed trials without a value count as: 0, or correct=0 judge.score=1",
  ).argParser(readCountErrors);
}

function readCountErrors(text: string, before: CountErrors | undefined): CountErrors {
  const [, name, digits = ""] = /^(?:(.+)=)?(.*)$/s.exec(text) ?? [];
  const number = Number(digits);
  if (digits.trim() === "" || !Number.isFinite(number))
    throw new InvalidArgumentError("It takes a number, or SCORE=NUMBER for each of some scores.");
  if (before === undefined) return name === undefined ? number : { [name]: number };
  if (name === undefined || typeof before === "number" || Object.hasOwn(before, name))
    throw new InvalidArgumentError("It takes one number, or SCORE=NUMBER once for each score.");
  return { ...before, [name]: number };
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** The engine refuses what is no number, as it does in a file. */
function numberOrText(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
