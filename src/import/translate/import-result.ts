import type { ImportChecks } from "../check/agreement.ts";
import type { TableMapping } from "./table-mapping.ts";

/** One evaluation of an imported source. */
export interface ImportedEvaluation {
  /** The id by which queries name it. */
  readonly evaluation_call_id: string;
  /** Its display name, by which questions may name it too; the id where it has none. */
  readonly name: string;
  /** The task that was run; null where the log says none. */
  readonly task: string | null;
  /** The model that was run. */
  readonly model: string;
  /** The prompt's label, where the tool compares prompts; else null. */
  readonly label: string | null;
  /** ISO 8601 in UTC: of the log, else of its file, else of the import. */
  readonly started_at: string | null;
  /** Distinct dataset rows. */
  readonly rows: number;
  /** Answers of the model. */
  readonly trials: number;
  /** Trials that ended in an error. */
  readonly errors: number;
  /** Keys of its scores. */
  readonly scorers: readonly string[];
}

/** A trial that was not stored, and why. */
export interface RejectedTrial {
  /** Name of the source. */
  readonly source: string;
  /** Where in the source, such as `line 37`; null where the whole source is meant. */
  readonly place: string | null;
  /** What is wrong with it. */
  readonly reason: string;
}

/** What the import of one source did. */
export interface ImportResult {
  /** Name of the source. */
  readonly source: string;
  /** The format that it was read as. */
  readonly format: string;
  /** Version of the tool that wrote it; null where the log does not say. */
  readonly tool_version: string | null;
  /** The evaluations that it holds. */
  readonly evaluations: readonly ImportedEvaluation[];
  /** Calls and dataset rows that were made of it. */
  readonly received: number;
  /** Records that added or changed something. */
  readonly stored: number;
  /** Records that changed nothing. */
  readonly unchanged: number;
  /** Trials that were refused; empty unless `onInvalid` is `skip`. */
  readonly rejected: readonly RejectedTrial[];
  /** The figures that the log itself states, compared with those of the imported trials. */
  readonly checks: ImportChecks;
  /** What was left out or assumed. */
  readonly notes: readonly string[];
  /** The roles of a table's columns. */
  readonly mapping?: TableMapping;
}
