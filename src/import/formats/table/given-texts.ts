import { nameList } from "../../../model/messages.ts";
import { SourceFault } from "../../read/fault.ts";
import { listOf, type TableMapping } from "../../translate/table-mapping.ts";

/** Two columns whose equality is a score. */
export interface Match {
  readonly output: string;
  readonly expected: string;
}

/** The columns that are compared, from `OUTPUT=EXPECTED`. */
export function matchOf({ match }: TableMapping): Match | null {
  if (match === undefined) return null;
  const at = match.indexOf("=");
  const [output, expected] = [match.slice(0, at).trim(), match.slice(at + 1).trim()];
  if (at < 0 || output === "" || expected === "")
    throw ambiguous(`--match: ${JSON.stringify(match)} is not OUTPUT=EXPECTED, such as pred=answer`);
  return { output, expected };
}

/** The scores of which one text is true, with that text. */
export function trueValues({ trueValue }: TableMapping): (readonly [score: string, text: string])[] {
  return listOf(trueValue).map((given) => {
    const at = given.indexOf("=");
    const [score, text] = [given.slice(0, at).trim(), given.slice(at + 1).trim()];
    if (at >= 0 && score !== "" && text !== "") return [score, text];
    throw ambiguous(`--true-value: ${JSON.stringify(given)} is not SCORE=TEXT, such as grade=CORRECT`);
  });
}

export function ambiguous(reason: string): SourceFault {
  return new SourceFault("ambiguous_mapping", null, reason);
}

export function noColumn(flag: string, name: string, columns: readonly string[]): SourceFault {
  return ambiguous(`${flag}: there is no column ${JSON.stringify(name)}; there are ${nameList(columns)}`);
}
