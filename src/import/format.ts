import type { ScoreBook } from "./check/score-book.ts";
import type { SourceFault } from "./read/fault.ts";
import type { SourceFile } from "./read/source-file.ts";
import type { Head } from "./recognise/head.ts";
import type { LogItem } from "./translate/log-parts.ts";
import type { TableMapping } from "./translate/table-mapping.ts";

/**
 * Reads the records of a Parquet file as JSON texts, with bare NaN and infinities; the engine has the reader. Throws
 * `SourceFault`.
 */
type ReadParquet = (file: SourceFile) => AsyncIterable<string>;

/** What a format reads: the file that was recognised, and the files beside it. */
export interface LogSource {
  readonly file: SourceFile;
  readonly head: Head;
  /** Opens another file of the same folder by its name; it is closed with the source. */
  readonly beside: (name: string) => Promise<SourceFile>;
  /**
   * Opens the first of these files that there is, by paths from the source's folder; null where there is none, and for
   * bytes from elsewhere. The paths are never what a file says.
   */
  readonly nearby: (paths: readonly string[]) => Promise<SourceFile | null>;
}

/** What a format needs besides the source. */
export interface ReadContext {
  /** The scores of the trials that were given out so far. */
  readonly book: ScoreBook;
  /** Reports a refused trial; throws unless refused trials are skipped. */
  readonly refuse: (fault: SourceFault) => void;
  /** How many were refused so far. */
  readonly refused: () => number;
  /** Also the tool's bookkeeping numbers. */
  readonly allMetrics: boolean;
  readonly table: TableMapping;
  /** The project that the caller names; null where the source has its own. */
  readonly project: string | null;
  /** Checks the text of a call or a dataset row as a load does. Throws `SourceFault`. */
  readonly checkRecord: (text: string, kind: "call" | "row") => void;
  readonly readParquet: ReadParquet;
}

/** A format of logs: an entry of the table of formats. */
export interface Format {
  readonly name: string;
  /** Whether its logs state no figures, so that scores need not be kept to compute them. */
  readonly statesNoFigures?: (head: Head) => boolean;
  /** Whether its records say their projects, so that the caller need not name one. */
  readonly keepsProjects?: boolean;
  /** Whether what is stored of its calls and rows stays as it is. */
  readonly keepsStored?: boolean;
  /** Whether a file is of this format, by its content. */
  readonly recognises: (head: Head) => boolean;
  /** Whether a file holds one trial, so that several of them are one source. */
  readonly holdsOneTrial?: (head: Head) => boolean;
  /**
   * Paths, from the folder of the source, of other files that belong to it if they are there; they are then no sources
   * themselves.
   */
  readonly claims?: (head: Head) => readonly string[];
  /**
   * Reads a source: an evaluation begins with its first trial, figures come after the trials from which they are
   * computed. Throws `SourceFault`.
   */
  readonly read: (source: LogSource, context: ReadContext) => AsyncIterable<LogItem>;
}

/** Names of the formats that can be imported, as `--format` takes them. */
export const FORMAT_NAMES = [
  "inspect",
  "promptfoo",
  "lm-eval",
  "openai-evals",
  "helm",
  "weave",
  "deepeval",
  "eee",
  "lighteval",
  "evalcube",
  "table",
] as const;
