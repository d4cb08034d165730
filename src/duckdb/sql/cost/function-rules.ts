import { packageFile } from "../../../package-files.ts";
import { isRule, type Rule } from "./calls.ts";

/** The heading of the functions whose results have no bound; they have no rule. */
const UNBOUNDED = "unbounded";

interface Functions {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly unbounded: ReadonlySet<string>;
}

let read: Functions | null = null;

/**
 * The functions that `functions-allowed.txt` lists, each with the rule that bounds the size of its results, and those
 * without a bound.
 */
export function allowedFunctions(): Functions {
  read ??= parseFunctions(packageFile("sql/duckdb/views/functions-allowed.txt"));
  return read;
}

/** Parses the file, where a line `[rule] …` is the heading of the names on the lines below it. */
function parseFunctions(file: string): Functions {
  const rules = new Map<string, Rule>();
  const unbounded = new Set<string>();
  let heading = "";
  for (const line of file.split("\n").filter((one) => !one.startsWith("# "))) {
    if (line.startsWith("[")) heading = line.slice(1, line.indexOf("]"));
    else
      for (const name of line.split(" ").filter((one) => one !== "")) {
        if (heading === UNBOUNDED) unbounded.add(name);
        else if (isRule(heading)) rules.set(name, heading);
        else throw new TypeError(`functions-allowed.txt: there is no rule [${heading}]`);
      }
  }
  return { rules, unbounded };
}
