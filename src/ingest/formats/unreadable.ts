import { EvalcubeError } from "../../errors.ts";
import { fileFault } from "../../model/messages/file-fault.ts";

/** An error of the file system becomes `EvalcubeError`; others stay. */
export function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new EvalcubeError("no_source", `${path}: cannot be read: ${fileFault(error)}`, { cause: error });
}
