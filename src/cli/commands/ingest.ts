import { basename } from "node:path";
import { Option } from "commander";
import { formatPath, type InputPath } from "../../errors.ts";
import { findFiles } from "../../ingest/sources/find-files.ts";
import { FORMATS } from "../../ingest/sources/formats.ts";
import type { Engine } from "../../index.ts";
import { withEngine } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { standardInput, STDIN } from "../terminal/input.ts";
import {
  databaseOption,
  formatFor,
  formatOption,
  type EvalcubeCommand,
  type Format,
} from "../options/options.ts";
import { ingestTable, type LoadedSource } from "../tables/import-lines.ts";
import { tableView } from "../tables/screen-table.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import { countText } from "../../words/figures.ts";

interface IngestOptions {
  readonly db: string;
  readonly kind?: "calls" | "rows";
  readonly skipInvalid?: boolean;
  readonly format?: Format;
}

type FileResult = Awaited<ReturnType<Engine["ingestFile"]>>;

const REJECTIONS_SHOWN = 10;

export function ingestCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const endings = FORMATS.flatMap((format) => format.endings).join(" ");
  program
    .command("ingest")
    .description("load call records and dataset rows")
    .with(
      databaseOption(),
      new Option("--kind <kind>", "what the files hold; recognised without it").choices(["calls", "rows"]),
      new Option("--skip-invalid", "store the valid records of a file and report the others"),
      formatOption(),
    )
    .argument("<files...>", `${endings}, folders of these, or - for NDJSON on standard input`)
    .example("evalcube ingest --db evals.duckdb calls.ndjson")
    .action((files: string[], options: IngestOptions) => ingest(files, options, terminal));
}

async function ingest(files: readonly string[], options: IngestOptions, terminal: Terminal): Promise<void> {
  if (files.filter((file) => file === STDIN).length > 1)
    throw new UsageError("standard input (-) is given twice");
  const sources: string[] = [];
  for (const file of files) sources.push(...(file === STDIN ? [STDIN] : await findFiles(file)));
  const isTable = formatFor(options.format, terminal.stdout) === "table";
  const loaded: LoadedSource[] = [];
  try {
    await withEngine(terminal, options.db, async (engine) => {
      for (const file of sources) {
        terminal.signal.throwIfAborted();
        const result = await ingestOne(engine, file, options, terminal);
        if (isTable) loaded.push(result);
        else await print(terminal.stdout, `${JSON.stringify(result)}\n`);
      }
    });
  } finally {
    // What was loaded before a file that fails is stored.
    if (loaded.length > 0)
      await print(terminal.stdout, `${ingestTable(loaded, tableView(terminal.stdout))}\n`);
  }
}

async function ingestOne(
  engine: Engine,
  file: string,
  options: IngestOptions,
  terminal: Terminal,
): Promise<LoadedSource> {
  const name = file === STDIN ? "standard input" : file;
  const progress = progressOf(terminal, basename(name));
  try {
    const result = await engine.ingestFile(
      file === STDIN ? { ndjson: standardInput(terminal), name } : file,
      {
        ...(options.kind === undefined ? {} : { kind: options.kind }),
        onInvalid: options.skipInvalid === true ? "skip" : "fail",
        signal: terminal.signal,
        onProgress: progress.update,
      },
    );
    progress.stop();
    await note(terminal, notes(name, result));
    return { source: name, ...result };
  } finally {
    progress.stop();
  }
}

function placeOf(path: InputPath): string {
  return path.length === 0 ? "" : `, ${formatPath(path)}`;
}

/** Notes for the reader: refused records, members that no rule knows, calls that belong to nothing. */
function notes(name: string, result: FileResult): string {
  const { rejected } = result;
  const lines = rejected
    .slice(0, REJECTIONS_SHOWN)
    .map(({ position, path, reason }) => `${name}, record ${position}${placeOf(path)}: ${reason}`);
  const more = rejected.length - lines.length;
  if (more > 0) lines.push(`${name}: ${more} more refused records`);
  for (const [member, count] of Object.entries(result.unknown_members)) {
    lines.push(`${name}: kept the unknown member ${JSON.stringify(member)} of ${count} records`);
  }
  for (const [unit, count] of Object.entries(result.epoch_times)) {
    lines.push(`${name}: read times that are whole numbers as ${unit} since 1970 in ${count} records`);
  }
  lines.push(...countNotes(result).map((line) => `${name}: ${line}`));
  return lines.map((line) => `note: ${line}\n`).join("");
}

function countNotes({ unattached, unused_ops }: FileResult): string[] {
  const lines: string[] = [];
  if (unattached > 0) {
    lines.push(
      `${countText(unattached)} calls name a parent_id that is not stored; they join it when it is loaded`,
    );
  }
  for (const [op, count] of Object.entries(unused_ops)) {
    const calls = `${countText(count)} calls with the op name ${JSON.stringify(op)}`;
    lines.push(
      `${calls} look like trials and are none; trials have the op name Evaluation.predict_and_score`,
    );
  }
  return lines;
}
