import { RequestError, type InputPath } from "../errors.ts";

/** The error for a well-formed request that cannot be answered. */
export function meaningless(loc: InputPath, msg: string): RequestError {
  return new RequestError("meaning", [{ loc, msg, type: "unsupported" }]);
}
