import { RequestError } from "../../../errors.ts";

/** The error for a statement that cannot be read. `position` counts its characters from 0. */
export function invalidStatement(message: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("schema", [{ loc: ["statement"], msg: `${message}${where}`, type: "sql_invalid" }]);
}

/**
 * The error for a statement that does, reads or costs something that is not allowed: `what` names it, `allowed` names
 * the alternative.
 */
export function refusedStatement(what: string, allowed: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("meaning", [
    { loc: ["statement"], msg: `${what} is not allowed${where}; ${allowed}`, type: "sql_refused" },
  ]);
}
