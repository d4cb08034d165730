import { RequestError } from "../../../errors.ts";

/** The statement is no SQL, or SQL that means nothing here. `position` counts its characters from 0. */
export function invalidStatement(message: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("schema", [{ loc: ["statement"], msg: `${message}${where}`, type: "sql_invalid" }]);
}

/** The statement would do or read what it may not. */
export function refusedStatement(what: string, allowed: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return new RequestError("meaning", [
    { loc: ["statement"], msg: `${what} is not allowed${where}; ${allowed}`, type: "sql_refused" },
  ]);
}
