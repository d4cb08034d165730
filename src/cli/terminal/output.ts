import { extname } from "node:path";
import { Option } from "commander";
import type { ExportFormat } from "../../index.ts";
import { UsageError } from "./failure.ts";
import { isClosedPipe, type Screen, type Terminal } from "./terminal.ts";

/** The name of standard output on the command line. */
const STDOUT = "-";

export function outOption(): Option {
  return new Option(
    "--out <file>",
    "where to write it, replacing a file of that name; its ending says the format; - for standard output",
  );
}

export function csvSafeOption(): Option {
  return new Option(
    "--csv-safe",
    "for spreadsheets: an apostrophe before each text in CSV that they would take for a formula",
  );
}

/** Formats that the ending of a file says. */
const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  ".csv": "csv",
  ".parquet": "parquet",
  ".arrow": "arrow",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".json": "json",
};

/** The format that is named or that the ending of the file says. Throws `UsageError` where they differ, or say none. */
export function formatOf(named: ExportFormat | undefined, out: string): ExportFormat {
  const ending = extname(out).toLowerCase();
  if (ending === ".html") throw new UsageError("an export is no HTML; evalcube report writes it");
  const said = ENDINGS[ending];
  if (named === undefined && said === undefined)
    throw new UsageError(
      out === STDOUT
        ? `--out - needs --format`
        : `--out ${out} says no format; end it in one of ${Object.keys(ENDINGS).join(" ")}, or add --format`,
    );
  if (named !== undefined && said !== undefined && named !== said)
    throw new UsageError(`--format ${named} contradicts --out ${out}; leave one of them out`);
  return named ?? said ?? "json";
}

type Target = { readonly format: ExportFormat } & ({ readonly path: string } | { readonly stream: Screen });

/** Resolves the target of an export; throws `UsageError` where bytes would be sent to a terminal. */
export function exportTarget(format: ExportFormat, out: string, { stdout }: Terminal): Target {
  if (out !== STDOUT) return { format, path: out };
  if (stdout.isTTY === true && (format === "parquet" || format === "arrow")) {
    throw new UsageError(`${format} cannot be written to a terminal; use --out or a pipe`);
  }
  return { format, stream: stdout };
}

/** Stops writing without an error when the reader of a pipe has closed it (`| head`). */
export async function untilClosed(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && isClosedPipe(error))) throw error;
  }
}
