import { RequestError } from "../../../errors.ts";

/** The statement cannot be read. `position` counts its characters from 0. */
export function invalidStatement(message: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("schema", [{ loc: ["statement"], msg: `${message}${where}`, type: "sql_invalid" }]);
}

/** The statement does, reads or costs what it may not: `what` it is, and what is `allowed` instead. */
export function refusedStatement(what: string, allowed: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("meaning", [
    { loc: ["statement"], msg: `${what} is not allowed${where}; ${allowed}`, type: "sql_refused" },
  ]);
}
