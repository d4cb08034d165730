import { packageFile } from "../../package-files.ts";
import { isRule, type Rule } from "./cost/calls.ts";

type FunctionRules = ReadonlyMap<string, Rule>;

let read: FunctionRules | null = null;

/** Returns the functions that a statement may call, each with the rule that bounds the size of its results. */
export function functionRules(): FunctionRules {
  read ??= parseRules(packageFile("sql/duckdb/views/functions-allowed.txt"));
  return read;
}

/** Parses the file, where a line `[rule] …` is the heading of the names on the lines below it. */
function parseRules(file: string): FunctionRules {
  const rules = new Map<string, Rule>();
  let heading = "";
  for (const line of file.split("\n").filter((one) => !one.startsWith("# "))) {
    if (line.startsWith("[")) heading = line.slice(1, line.indexOf("]"));
    else
      for (const name of line.split(" ").filter((one) => one !== "")) {
        if (!isRule(heading)) throw new TypeError(`functions-allowed.txt: there is no rule [${heading}]`);
        rules.set(name, heading);
      }
  }
  return rules;
}
