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
  /** The files of a run of many, in the order of their paths; none of any other source. */
  readonly parts: readonly SourcePart[];
}

/** A file of a run of many. Whoever opens a file closes it. */
export interface SourcePart {
  /** From the folder of the run, for messages. */
  readonly path: string;
  /** Names of the folders around it, the nearest last. */
  readonly folders: readonly string[];
  /** What it is to the run. */
  readonly role: string;
  readonly open: () => Promise<SourceFile>;
  /** Opens another file of its folder or below; null where there is none. A file may have said the path. */
  readonly other: (path: string) => Promise<SourceFile | null>;
}

/** How files make a run. */
export interface RunFiles {
  /** What a file is to a run, by its content; null where it is nothing. */
  readonly roleOf: (head: Head) => string | null;
  /** The folder of the run of such a file, or the file, which is then a run; null where it tells of others. */
  readonly runOf: (file: string, role: string, head: Head) => string | null;
  /** The roles of files whose content is that of the run. */
  readonly counts: readonly string[];
  /** The roles of files that runs of this format take from elsewhere. */
  readonly takes?: readonly string[];
  /** Names of files in the folder of the run that are part of it and say nothing. */
  readonly owns: RegExp;
  /** Whether a file may be cut in its last line. */
  readonly isLines?: boolean;
  /** Whether the format itself reads a file that is cut. */
  readonly readsCut?: boolean;
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
  /** Whether a run is one attempt at its rows, so that several of them may be meant as one evaluation. */
  readonly isOneAttempt?: boolean;
  /** Of a format whose runs are several files. */
  readonly files?: RunFiles;
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
  "harbor",
  "tau-bench",
  "tau2-bench",
  "swe-agent",
  "mini-swe-agent",
  "openhands",
  "terminal-bench",
  "otlp",
  "table",
] as const;
