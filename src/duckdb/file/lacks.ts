import { StoreError } from "../../errors.ts";

/**
 * What DuckDB says where memory or open files are too few, and what to do. Values of users may stand behind the
 * beginnings.
 */
const LACKS: readonly { readonly says: RegExp; readonly code: string; readonly advice: string }[] = [
  {
    // The second spelling is that of a fault within a table function, the third that of a commit, which frees nothing.
    says: /^Out of Memory Error|"exception_type":"Out of Memory"|^TransactionContext Error: Failed to commit: (?:could not|failed to) (?:allocate|pin|reserve|offload)|^IO Error: [^]*replaying WAL[^]*Out of Memory Error|^(?:[A-Z]\w+ Error: )?(?:std::)?bad[_ ]alloc/i,
    code: "out_of_memory",
    advice:
      "this needs more memory than DuckDB may take: give it more (option memoryLimit; for a command EVALCUBE_MEMORY_LIMIT=4GiB), or shorten texts of many megabytes; of a write, nothing is stored",
  },
  {
    says: /^IO Error: [^]*Too many open files/,
    code: "too_many_files",
    advice:
      "too many files are open; let the process open more, such as by ulimit -n 1024; of a write, nothing is stored",
  },
];

/** The error of a lack of memory or of open files; null of any other. */
export function lackOf(error: unknown): StoreError | null {
  const message = error instanceof Error ? error.message : String(error);
  const lack = LACKS.find(({ says }) => says.test(message));
  if (lack === undefined) return null;
  const [said = ""] = message.split("\n");
  return new StoreError(lack.code, `${lack.advice} (DuckDB: ${said})`, { cause: error });
}
