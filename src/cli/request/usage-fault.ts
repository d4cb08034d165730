import { RequestError, type InputPath } from "../../errors.ts";

/** An error of a flag that has a wrong form. */
export function usageFault(loc: InputPath, msg: string): RequestError {
  return new RequestError("schema", [{ loc, msg, type: "usage" }]);
}
