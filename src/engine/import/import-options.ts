import type { IngestProgress } from "../../ingest/load.ts";
import type { ImportResult } from "../../import/translate/import-result.ts";
import type { TableMapping } from "../../import/translate/table-mapping.ts";
import { mappingFault } from "../../import/formats/table/check-mapping.ts";
import type { SettledMapping } from "../../import/translate/tally.ts";
import { IMPORT_FORMATS } from "../../import/formats/formats.ts";
import { PROJECT_ID } from "../../model/project-id.ts";
import {
  checkOptions,
  invalidOption,
  isObject,
  oneOf,
  RULE,
  type OptionRules,
} from "../../flow/check-options.ts";

/** Options of `importEvaluations`. */
export interface ImportOptions {
  /** The project, `entity/project`. Only exports of Weave, whose calls say it, do without. */
  readonly project?: string | undefined;
  /** The format of the sources. Default: `auto`, what each file's content shows. */
  readonly format?: string | undefined;
  /**
   * What happens where figures that a log states differ from those of its trials: `warn` (default) reports them, `fail`
   * stores nothing of the source, `off` does not compare.
   */
  readonly check?: "warn" | "fail" | "off" | undefined;
  /**
   * `fail` (default): when a trial is refused, nothing of the source is stored. `skip`: the sound trials are stored.
   */
  readonly onInvalid?: "fail" | "skip" | undefined;
  /** Reads, recognises and checks, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /**
   * Whether a file that was imported before with other content takes the place of what was imported then; default
   * false, it is a new run. Only of logs that do not say which run they are, such as tables; of a run that is named
   * (`table.evaluationName`) in any case.
   */
  readonly replace?: boolean | undefined;
  /** Also the tools' bookkeeping numbers as scores. */
  readonly allMetrics?: boolean | undefined;
  /**
   * What of a row's value identifies the row, as a path such as `doc.question` or `input.0.content`. Sources of which
   * it is equal share rows, whatever tool wrote them. Default: what the format says was asked. Exports of Weave have
   * rows of their own.
   */
  readonly rowBy?: string | undefined;
  /** The roles of a table's columns; see `docs/importing.md`. */
  readonly table?: TableMapping | undefined;
  /** Stops the import; nothing of the source that is under way is stored. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each part of a source that was read. */
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Called with the roles of a table's columns before anything of it is stored. */
  readonly onMapping?: ((settled: SettledMapping) => void) | undefined;
  /** Called with the result of each source when it is stored. */
  readonly onSource?: ((result: ImportResult) => void) | undefined;
  /** Called with what is to be said of files that belong to no source. */
  readonly onNote?: ((note: string) => void) | undefined;
}

const RULES: OptionRules = {
  project: {
    allowed: "ENTITY/PROJECT, without control characters",
    fits: (value) => typeof value === "string" && PROJECT_ID.test(value),
  },
  format: oneOf("auto", ...IMPORT_FORMATS.map(({ name }) => name)),
  check: oneOf("warn", "fail", "off"),
  onInvalid: oneOf("fail", "skip"),
  dryRun: RULE.flag,
  replace: RULE.flag,
  allMetrics: RULE.flag,
  rowBy: {
    allowed: "a path such as doc.question",
    fits: (value) => typeof value === "string" && value !== "",
  },
  table: { allowed: "an object", fits: isObject },
  signal: RULE.signal,
  onProgress: RULE.callback,
  onMapping: RULE.callback,
  onSource: RULE.callback,
  onNote: RULE.callback,
};

/** Throws on options that are unknown or of a wrong value, and without a project. */
export function checkImport(options: unknown): void {
  checkOptions(options, RULES);
  const fault = isObject(options) && isObject(options["table"]) ? mappingFault(options["table"]) : null;
  if (fault !== null) throw invalidOption(`table ${fault}`);
}
