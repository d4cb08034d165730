export const TOO_FEW_FILES = "too many files are open; let it open more, such as by ulimit -n 1024";

/** So many suffice to load everything that any command needs. */
const ENOUGH = 256;
const SAID = /\bE[MN]FILE\b|too many (?:open files|files are open)/i;

/** Whether an error says that too few files may be open. */
export function saysTooFewFiles(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++)
    if (SAID.test(one.message) || ("code" in one && SAID.test(String(one.code)))) return true;
  return false;
}

/**
 * Whether few files may be open: Node takes a module that it cannot open for one that is not there, or breaks off
 * elsewhere.
 */
export function mayOpenFewFiles(): boolean {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return Number(userLimits?.open_files?.soft) < ENOUGH;
}
