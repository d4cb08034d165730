import { RequestError, type InputPath, requestFault } from "../errors.ts";

/** The error for a well-formed request that cannot be answered. */
export function meaningless(loc: InputPath, msg: string): RequestError {
  return requestFault("meaning", loc, msg, "unsupported");
}

/** The error for a request that cannot be read. */
export function malformed(loc: InputPath, msg: string, type: string): RequestError {
  return requestFault("schema", loc, msg, type);
}

/** An error of a flag that has a wrong form. */
export function usageFault(loc: InputPath, msg: string): RequestError {
  return malformed(loc, msg, "usage");
}
