import { Option } from "commander";
import {
  comparingOptions,
  confidenceOption,
  editedRowsOption,
  memberOption,
  readNumber,
  scorerOption,
} from "../request/request-options.ts";

/** The request of commands that compare evaluations with a baseline. */
export const REQUEST_WITH_MEMBERS = [
  "[request]",
  "a JSON file, or - for standard input, with filters and other members of the request",
] as const;

/** The options of these commands. */
export function comparisonOptions(): Option[] {
  return [
    ...judgingOptions(),
    new Option(
      "--fail-on <gate...>",
      "end with status 3 where it is met: regressed, slice-regressed, not-equivalent, not-shown-as-good, errors>5%, coverage<90%, correct<0.8, cost>10%, latency>10%, tokens>10%; quoted for the shell",
    ),
  ];
}

/** `--margin`. */
export function marginOption(): Option {
  return memberOption("margin", "--margin <difference>", "differences within it count as none").argParser(
    readNumber,
  );
}

/** What is compared, and how. */
export function judgingOptions(): Option[] {
  return [
    scorerOption("compare, as judge or judge.score; without it all"),
    confidenceOption("intervals and verdicts"),
    marginOption(),
    editedRowsOption(),
    ...comparingOptions("many comparisons", ["holm", "benjamini-hochberg", "none"]),
  ];
}
