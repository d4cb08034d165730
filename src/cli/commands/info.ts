import type { DatabaseInfo } from "../../index.ts";
import { cellsOf, figure, type CellColumn } from "../../text/text-table.ts";
import { counted, countText, sizeOfText } from "../../words/figures.ts";
import { withReader } from "../options/database.ts";
import { databaseOption, formatOption, type EvalcubeCommand, type Format } from "../options/options.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { oneLine } from "../../model/plain-line.ts";
import { print, type Terminal } from "../terminal/terminal.ts";

export function infoCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("info")
    .description("tell how large a database is, what takes the space, and when it was written last")
    .with(databaseOption(), formatOption("table"))
    .example("evalcube info --db evals.duckdb")
    .action((options: { readonly db: string; readonly format: Format }) => info(options, terminal));
}

async function info(
  { db, format }: { readonly db: string; readonly format: Format },
  terminal: Terminal,
): Promise<void> {
  const { stdout, signal } = terminal;
  const found = await withReader(terminal, db, (engine) => engine.info({ signal }));
  const text = format === "json" ? JSON.stringify(found) : infoText(found, tableView(stdout));
  await print(stdout, `${text}\n`);
}

type Project = DatabaseInfo["projects"][number];
type Large = DatabaseInfo["largest"][number];

const PROJECTS: readonly CellColumn<Project>[] = [
  { head: "project", labels: true, telling: 5, cell: ({ project_id: id }) => id },
  figure("evaluations", 2, ({ evaluation_count: count }) => countText(count)),
  figure("trials", 3, ({ trial_count: count }) => countText(count)),
  figure("calls", 1, ({ call_count: count }) => countText(count)),
  figure("size", 4, ({ bytes }) => sizeOfText(bytes)),
];

const LARGEST: readonly CellColumn<Large>[] = [
  { head: "largest evaluations", whole: true, cell: ({ id }) => id },
  { head: "name", labels: true, telling: 3, cell: ({ display_name: name }) => name ?? "–" },
  { head: "project", labels: true, telling: 1, cell: ({ project_id: id }) => id },
  figure("trials", 2, ({ trials }) => countText(trials)),
  figure("size", 4, ({ bytes }) => sizeOfText(bytes)),
];

function infoText(found: DatabaseInfo, view: TableView): string {
  const { database, format, bytes, log_bytes, last_write_at, calls, trials, oldest, newest } = found;
  const log = log_bytes === 0 ? "" : `, and ${sizeOfText(log_bytes)} of log`;
  const dated = [
    ["oldest evaluation", oldest],
    ["newest evaluation", newest],
  ] as const;
  const lines = [
    `${database}: format ${format}, ${sizeOfText(bytes)}${log}`,
    `last write ${last_write_at ?? "unknown"}`,
    `${counted(calls, "call")}, ${counted(trials, "trial")}`,
    ...dated.flatMap(([what, one]) =>
      one === null ? [] : [`${what} ${one.started_at.slice(0, 19)}Z, ${one.id}`],
    ),
  ];
  const tables = [
    ...(found.projects.length === 0
      ? []
      : [screenTable(PROJECTS, cellsOf(PROJECTS, found.projects).rows, view)]),
    ...(found.largest.length === 0 ? [] : [screenTable(LARGEST, cellsOf(LARGEST, found.largest).rows, view)]),
  ];
  return [lines.map(oneLine).join("\n"), ...tables].join("\n\n");
}
