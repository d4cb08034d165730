import { EvalcubeError, isLack, StoreError } from "../../errors.ts";
import { checkThere, readAddress } from "../options/address.ts";
import { withEngine, withReader, withUntouched } from "../options/database.ts";
import { databaseOption, formatOption, type EvalcubeCommand, type Format } from "../options/options.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import { countText } from "../../words/figures.ts";
import type { CheckResult } from "../../index.ts";
import { countOf, nameList } from "../../model/messages.ts";
import { Undetermined } from "../terminal/failure.ts";
import { mayOpenFewFiles, TOO_FEW_FILES } from "../terminal/open-files.ts";

/** The commands that look after a database as a whole. */
export function upkeepCommands(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("check")
    .description(
      "read all of the database and tell what is wrong; exit status 1 if anything is, 4 where that is not known",
    )
    .with(databaseOption(), formatOption("table"))
    .example("evalcube check --db evals.duckdb")
    .action((options: { readonly db: string; readonly format: Format }) => check(options, terminal));
  program
    .command("backup")
    .description("copy the database to a new file")
    .with(databaseOption())
    .requiredOption("--out <path>", "the copy; nothing may be there yet")
    .example("evalcube backup --db evals.duckdb --out copy.duckdb")
    .action((options: { readonly db: string; readonly out: string }) => backup(options, terminal));
  program
    .command("migrate")
    .description("copy a database: from a file to a server of ClickHouse, back, or to another one")
    .with(databaseOption())
    .requiredOption(
      "--to <path>",
      "a file that is not there yet, or an empty database on a server",
      parseTarget,
    )
    .example("evalcube migrate --db evals.duckdb --to clickhouse://evalcube@ch.example/evals")
    .action((options: { readonly db: string; readonly to: string }) => migrate(options, terminal));
  program
    .command("maintain")
    .description("delete superseded records on a ClickHouse server; files need no maintenance")
    .with(databaseOption())
    .example("evalcube maintain --db clickhouse://evalcube@ch.example/evals")
    .action((options: { readonly db: string }) => maintain(options.db, terminal));
}

async function check(
  { db, format }: { readonly db: string; readonly format: Format },
  terminal: Terminal,
): Promise<void> {
  const { stdout, signal } = terminal;
  const result = await withUntouched(terminal, db, (engine) => engine.check({ signal })).catch(
    (error: unknown) => {
      const isShort = !(error instanceof EvalcubeError) && mayOpenFewFiles();
      if (isShort) throw new Undetermined(`${db}: ${TOO_FEW_FILES}; nothing is known of it`);
      if (!isLack(error)) throw error;
      throw new Undetermined(`${error.message}; nothing is known of what is stored`);
    },
  );
  const { tables, problems, unknown, last_write_at } = result;
  const records = tables.reduce((sum, table) => sum + table.records, 0);
  const lines = [...problems, ...unknown].map(({ message }) => `${message}\n`).join("");
  await print(stdout, format === "json" ? `${JSON.stringify(result)}\n` : lines);
  if (problems.length > 0)
    throw new StoreError(
      "damaged_database",
      `${db}: ${countOf(problems.length, "problem")} found; restore a backup, or load the calls into a new database`,
    );
  if (unknown.length > 0)
    throw new Undetermined(
      `${db}: ${lackText(unknown)}, so nothing is known of ${nameList([...new Set(unknown.map(({ table }) => table))])}; no damage was found in the rest`,
    );
  const last = last_write_at === null ? "" : `; last write ${last_write_at}`;
  await note(
    terminal,
    `${db}: ${countText(records)} records in ${tables.length} tables, nothing wrong${last}\n`,
  );
}

const LACKING: Readonly<Record<string, string>> = {
  out_of_memory: "memory was too little (EVALCUBE_MEMORY_LIMIT=4GiB gives more)",
  memory_limit: "memory was too little (max_memory_usage of the server gives more)",
  too_many_files: "open files were too few (ulimit -n 1024 allows more)",
  timeout: "time was too short",
  storage_full: "the disk was full",
};

function lackText(unknown: CheckResult["unknown"]): string {
  const texts = unknown.map(({ code }) => LACKING[code] ?? `the database did not answer (${code})`);
  return [...new Set(texts)].join(" and ");
}

async function backup(
  { db, out }: { readonly db: string; readonly out: string },
  terminal: Terminal,
): Promise<void> {
  checkThere(db);
  await withEngine(terminal, db, (engine) => engine.backup(out));
  await note(terminal, `${db} is copied to ${out}\n`);
}

function parseTarget(text: string): string {
  readAddress(text);
  return text;
}

async function migrate(
  { db, to }: { readonly db: string; readonly to: string },
  terminal: Terminal,
): Promise<void> {
  checkThere(db);
  const { migrate: copy } = await import("../on-use/on-use.ts");
  // Recovers the file, and brings it up to date, where either is needed.
  await withReader(terminal, db, () => Promise.resolve());
  const progress = progressOf(terminal, "migrate");
  const copied = await copy({ ...readAddress(db), readOnly: true }, readAddress(to), {
    signal: terminal.signal,
    onProgress: (written, total) => {
      progress.update({ records: written, bytes: written, totalBytes: total });
    },
  }).finally(() => progress.stop());
  await print(terminal.stdout, `${JSON.stringify(copied)}\n`);
}

async function maintain(db: string, terminal: Terminal): Promise<void> {
  checkThere(db);
  const result = await withEngine(terminal, db, (engine) => engine.maintain());
  await print(terminal.stdout, `${JSON.stringify(result)}\n`);
}
