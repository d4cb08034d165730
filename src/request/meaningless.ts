import { RequestError, type InputPath } from "../errors.ts";

/** The error for a well-formed request that cannot be answered. */
export function meaningless(loc: InputPath, msg: string): RequestError {
  return new RequestError("meaning", [{ loc, msg, type: "unsupported" }]);
}

/** An error of a flag that has a wrong form. */
export function usageFault(loc: InputPath, msg: string): RequestError {
  return new RequestError("schema", [{ loc, msg, type: "usage" }]);
}
