import { basename } from "node:path";
import { Option } from "commander";
import { EvalcubeError, ImportError } from "../../errors.ts";
import type { Engine, ImportOptions, ImportResult } from "../../index.ts";
import { FORMAT_NAMES } from "../../import/format.ts";
import { withEngine } from "../options/database.ts";
import { fileNames } from "../../import/translate/file-names.ts";
import { tableMapping, tableOptions, type TableFlags } from "../options/import-options.ts";
import {
  databaseOption,
  formatFor,
  projectOption,
  type EvalcubeCommand,
  type Format,
} from "../options/options.ts";
import { firstNames, groupedNotes, importTable, lookCommand, noteLines } from "../tables/import-lines.ts";
import { tableView } from "../tables/screen-table.ts";
import { nameList } from "../../model/messages.ts";
import { FileError, UsageError } from "../terminal/failure.ts";
import { standardInput, STDIN } from "../terminal/input.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";

interface Flags extends TableFlags {
  readonly db?: string;
  readonly project?: string;
  readonly format: string;
  readonly check: "warn" | "fail" | "off";
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly allMetrics?: boolean;
  readonly rowBy?: string;
  readonly printMapping?: boolean;
  readonly print?: Format;
}

export function importCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("import")
    .description("load logs of evaluation tools and tables: files, folders, patterns")
    .with(
      databaseOption().makeOptionMandatory(false),
      projectOption(),
      new Option("--format <format>", "what the sources are")
        .choices(["auto", ...FORMAT_NAMES])
        .default("auto"),
      new Option(
        "--print <format>",
        "how to print the results (a table on a terminal, json elsewhere)",
      ).choices(["json", "table"]),
      new Option("--check <check>", "figures that a log states against those of its trials")
        .choices(["warn", "fail", "off"])
        .default("warn"),
      new Option("--skip-invalid", "store what is sound and report the rest"),
      new Option("--dry-run", "read, recognise, check and print; store nothing"),
      new Option(
        "--replace",
        "of a file that was imported with other content: replace it instead of adding a run",
      ),
      new Option("--all-metrics", "also the tools' bookkeeping numbers"),
      new Option("--row-by <path>", "what of a row identifies it, as doc.question: rows that tools share"),
      ...tableOptions(),
      new Option("--print-mapping", "print the roles of a table's columns as JSON; store nothing"),
    )
    .argument("<sources...>", "files, folders, patterns, or - for standard input")
    .example("evalcube import --db evals.duckdb --project acme/qa logs answers.csv")
    .action((sources: string[], flags: Flags) => importSources(sources, flags, terminal));
}

async function importSources(sources: readonly string[], flags: Flags, terminal: Terminal): Promise<void> {
  const isDry = flags.dryRun === true || flags.printMapping === true;
  if (flags.db === undefined && !isDry)
    throw new UsageError("name the database with --db, or use --dry-run, which stores nothing");
  if (sources.filter((name) => name === STDIN).length > 1)
    throw new UsageError("standard input (-) is given twice");
  const table = await tableMapping(flags);
  const options = {
    ...(flags.project === undefined ? {} : { project: flags.project }),
    format: flags.format,
    check: flags.check,
    onInvalid: flags.skipInvalid === true ? "skip" : "fail",
    dryRun: isDry,
    replace: flags.replace === true,
    allMetrics: flags.allMetrics === true,
    ...(flags.rowBy === undefined ? {} : { rowBy: flags.rowBy }),
    table,
    signal: terminal.signal,
  } as const;
  await withEngine(terminal, isDry ? ":memory:" : (flags.db ?? ""), async (engine) => {
    const done: Done = { sources: [], evaluations: [], shown: [], notes: new Map(), refused: [] };
    const at = sources.includes(STDIN) ? sources.indexOf(STDIN) : sources.length;
    // Files are imported together: they may have one name, or be parts of one run.
    for (const some of [sources.slice(0, at), sources.slice(at, at + 1), sources.slice(at + 1)])
      if (some.length > 0) await importFrom(engine, some, options, flags, done, terminal);
    await note(terminal, linesOf(groupedNotes(done.notes)));
    await printTable(done.shown, terminal);
    const { db = "", project } = flags;
    const look = isDry || project === undefined ? null : lookCommand(done.evaluations, db, project);
    if (look !== null) await note(terminal, `${look}\n`);
    const [only] = done.refused;
    if (only !== undefined && done.sources.length === 1) throw only.error;
    if (only !== undefined) throw await refusal(done, terminal);
  });
}

/** What came of the sources so far. */
interface Done {
  /** Names of all, also of those that were refused. */
  readonly sources: string[];
  readonly evaluations: string[];
  /** Those that a table is printed of. */
  readonly shown: ImportResult[];
  /** What is to be said, with the sources that it holds for. */
  readonly notes: Map<string, string[]>;
  readonly refused: { readonly name: string; readonly error: EvalcubeError }[];
}

/** Tells why each source was refused; gives the error with which the command ends. */
async function refusal({ sources, refused }: Done, terminal: Terminal): Promise<Error> {
  await note(terminal, linesOf(refused.map(({ error }) => `refused: ${error.message}`)));
  const shown = fileNames(sources);
  const names = firstNames(
    refused.map(({ name }) => shown.get(name)?.shown ?? name),
    REFUSED_SHOWN,
  );
  const were = refused.length === 1 ? "was" : "were";
  return new FileError(`${refused.length} of ${sources.length} files ${were} refused: ${names}`);
}

const REFUSED_SHOWN = 12;

const linesOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** `names`: paths, or standard input alone. */
async function importFrom(
  engine: Engine,
  names: readonly string[],
  options: ImportOptions,
  flags: Flags,
  done: Done,
  terminal: Terminal,
): Promise<void> {
  const progress = progressOf(terminal, nameList(names.map((name) => basename(name))));
  const printed: Promise<void>[] = [];
  const told = new Set<string>();
  const show = (result: ImportResult) => {
    progress.stop();
    done.sources.push(result.source);
    done.evaluations.push(...result.evaluations.map((one) => one.evaluation_call_id));
    printed.push(report(result, told, flags, done, terminal));
  };
  const tell = (text: string) => printed.push(note(terminal, `${text}\n`));
  const source = names[0] === STDIN ? { stream: standardInput(terminal), name: "standard input" } : names;
  try {
    await engine.importEvaluations(source, {
      ...options,
      onProgress: progress.update,
      onSource: show,
      onNote: (text) => tell(`note: ${text}`),
      onMapping: ({ text }) => {
        told.add(text);
        tell(text);
      },
    });
  } catch (error) {
    const refused = refusedOf(nameList(names), error);
    done.refused.push(...refused);
    done.sources.push(...refused.map((one) => one.name));
  } finally {
    progress.stop();
    await Promise.all(printed);
  }
}

/** The sources that an error is about; throws an error that stops the others as well. */
function refusedOf(name: string, error: unknown): Done["refused"] {
  if (error instanceof ImportError && error.refused.length > 0)
    return error.refused.map((one) => ({ name: one.source, error: one }));
  if (error instanceof ImportError || (error instanceof EvalcubeError && error.code === "no_source"))
    return [{ name, error }];
  throw error;
}

/** `told`: notes that were printed before. */
async function report(
  result: ImportResult,
  told: ReadonlySet<string>,
  flags: Flags,
  { shown, notes }: Done,
  terminal: Terminal,
): Promise<void> {
  if (flags.printMapping === true) {
    await print(terminal.stdout, `${JSON.stringify(result.mapping ?? {}, null, 2)}\n`);
    return;
  }
  for (const line of noteLines(result))
    if (!told.has(line))
      notes
        .set(line, notes.get(line) ?? [])
        .get(line)
        ?.push(result.source);
  if (formatFor(flags.print, terminal.stdout) === "table") shown.push(result);
  else await print(terminal.stdout, `${JSON.stringify(result)}\n`);
}

async function printTable(shown: readonly ImportResult[], { stdout }: Terminal): Promise<void> {
  if (shown.every(({ evaluations }) => evaluations.length === 0)) return;
  await print(stdout, `${importTable(shown, tableView(stdout))}\n`);
}
