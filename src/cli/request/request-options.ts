import { InvalidArgumentError, Option } from "commander";
import { collect } from "../options/options.ts";
import { parseFilter, parseSort } from "../../request/parse-filter.ts";

export const REQUEST_ARGUMENT = [
  "[request]",
  "a JSON file, or - for standard input; flags replace its members, and --filter adds to its filters",
] as const;

/** An option that gives a member of the request. */
export class MemberOption extends Option {
  readonly member: string;
  /** The member, from what commander has read. Throws `RequestError`. */
  readonly read: (value: unknown) => unknown;

  constructor(member: string, flags: string, help: string, read: (value: unknown) => unknown) {
    super(flags, help);
    this.member = member;
    this.read = read;
  }
}

/** `read` makes the member of what commander has read: a text, a list of texts, or what the option's parser gives. */
export function memberOption(
  member: string,
  flags: string,
  help: string,
  read: (value: never) => unknown = (value) => value,
): MemberOption {
  return new MemberOption(member, flags, help, (value) => read(value as never));
}

/** The options of a command that asks for rows. */
export function requestOptions(): Option[] {
  return [
    evaluationOption("evaluation_call_ids"),
    filterOption(),
    memberOption(
      "sort_by",
      "--sort <field[:order]>",
      "asc (default), desc or difference, the greatest first; repeatable",
      (texts: readonly string[]) => texts.map((text, i) => parseSort(text, ["--sort", i])),
    ).argParser(collect),
    ...pageOptions(),
  ];
}

/** `--limit` and `--offset`. */
export function pageOptions(): Option[] {
  return [
    memberOption("limit", "--limit <count>", "number of rows").argParser(numberOrText),
    memberOption("offset", "--offset <count>", "number of rows to skip").argParser(numberOrText),
  ];
}

/** `--evaluation`, repeatable. */
export function evaluationOption(member = "evaluations"): Option {
  return memberOption(
    member,
    "--evaluation <id>",
    "an id, a name, latest, latest~1 or model:<name>; repeatable",
  ).argParser(collect);
}

/** `--filter`, repeatable. */
export function filterOption(of = "'FIELD OP VALUE'"): Option {
  return memberOption(
    "filters",
    "--filter <condition>",
    `${of} with = != < <= > >= contains in; VALUE is JSON or text; repeatable, all must hold`,
    (texts: readonly string[]) => texts.map((text, i) => parseFilter(text, ["--filter", i])),
  ).argParser(collect);
}

/** `--scorer`; `use` is what the scores are for. */
export function scorerOption(use: string): Option {
  return memberOption("scorers", "--scorer <name...>", `scores to ${use}`);
}

/** `--confidence`. */
export function confidenceOption(of: string): Option {
  return memberOption("confidence", "--confidence <share>", `of the ${of} (0.95)`).argParser(readNumber);
}

/** Which side of scores is better, how p values are adjusted, and which rows depend on each other. */
export function comparingOptions(what: string, adjustments: readonly [usual: string, ...string[]]): Option[] {
  return [
    memberOption("adjust", "--adjust <method>", `for ${what} (${adjustments[0]})`).choices(adjustments),
    memberOption("lower_is_better", "--lower-is-better <name...>", "scores of which lower values are better"),
    memberOption(
      "higher_is_better",
      "--higher-is-better <name...>",
      "scores of numbers of which higher values are better",
    ),
    memberOption(
      "cluster_by",
      "--cluster-by <field>",
      "inputs.<path>: rows of one value depend on each other",
    ),
    ...countingOptions(),
  ];
}

/** `--edited-rows`. */
export function editedRowsOption(): Option {
  return memberOption(
    "edited_rows",
    "--edited-rows <what>",
    "what is done with rows of one key that the two sides hold differently (compare)",
    (what: string) => what.replace("-", "_"),
  ).choices(["compare", "leave-out"]);
}

/** What `--count-errors-as` gives, as the member of a request. */
export type CountAs = number | Readonly<Record<string, number>>;

/** `--count-errors-as` and `--count-nulls-as`. */
export function countingOptions(): Option[] {
  return [
    memberOption(
      "count_errors_as",
      "--count-errors-as <number...>",
      "what failed trials without a value count as: 0, or correct=0 judge.score=1",
    ).argParser(readCountAs),
    memberOption(
      "count_nulls_as",
      "--count-nulls-as <number...>",
      "what trials with null, which is no verdict, count as: 0, or as above",
    ).argParser(readCountAs),
  ];
}

function readCountAs(text: string, before: CountAs | undefined): CountAs {
  const at = Math.max(0, text.lastIndexOf("="));
  const [name, digits] = at === 0 ? [undefined, text] : [text.slice(0, at), text.slice(at + 1)];
  const number = Number(digits);
  if (digits.trim() === "" || !Number.isFinite(number))
    throw new InvalidArgumentError("It takes a number, or SCORE=NUMBER for each of some scores.");
  if (before === undefined) return name === undefined ? number : { [name]: number };
  if (name === undefined || typeof before === "number" || Object.hasOwn(before, name))
    throw new InvalidArgumentError("It takes one number, or SCORE=NUMBER once for each score.");
  return { ...before, [name]: number };
}

/** An option that takes a whole number. */
export function countOption(flags: string, help: string, least: number, most: number): Option {
  return new Option(flags, help).argParser((text) => {
    const count = Number(text);
    if (/^\d{1,15}$/.test(text) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
  });
}

export function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError("It takes a number, such as 0.05.");
  return value;
}

/** The engine refuses what is no number, as it does in a file. */
function numberOrText(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
