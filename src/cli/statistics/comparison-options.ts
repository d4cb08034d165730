import { InvalidArgumentError, Option } from "commander";
import { countErrorsOption, type CountErrors } from "../request/request-options.ts";

/** Flags of commands that compare evaluations with a baseline. */
export interface ComparisonFlags {
  readonly scorer?: readonly string[];
  readonly confidence?: number;
  readonly adjust?: "benjamini-hochberg" | "holm" | "none";
  readonly margin?: number;
  readonly lowerIsBetter?: readonly string[];
  readonly higherIsBetter?: readonly string[];
  readonly clusterBy?: string;
  readonly countErrorsAs?: CountErrors;
  readonly failOn?: readonly string[];
}

/** The request of these commands. */
export const REQUEST = "a JSON file, or - for standard input, with filters and other members of the request";

/** The options of these commands. */
export function comparisonOptions(): Option[] {
  return [
    new Option("--scorer <name...>", "scores to compare, as judge or judge.score; without it all"),
    new Option("--confidence <share>", "of the intervals and verdicts (0.95)").argParser(readNumber),
    new Option("--adjust <method>", "for many comparisons (holm)").choices([
      "holm",
      "benjamini-hochberg",
      "none",
    ]),
    new Option("--margin <difference>", "differences within it count as none").argParser(readNumber),
    new Option("--lower-is-better <name...>", "scores of which lower values are better"),
    new Option("--higher-is-better <name...>", "scores of numbers of which higher values are better"),
    new Option("--cluster-by <field>", "inputs.<path>: rows of one value depend on each other"),
    countErrorsOption(),
    new Option(
      "--fail-on <gate...>",
      "end with status 3 where it is met: regressed, not-equivalent, errors>5%, coverage<90%, correct<0.8; quoted for the shell",
    ),
  ];
}

function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It takes a number.");
  return value;
}
