import { InvalidArgumentError, Option } from "commander";
import type { EvaluationDeletion } from "../../index.ts";
import { DURATION_RULE, readDuration } from "../../model/duration.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { cellsOf, type CellColumn } from "../../text/text-table.ts";
import { counted, countText } from "../../words/figures.ts";
import { checkThere } from "../options/address.ts";
import { withEngine, withLatest, withProject } from "../options/database.ts";
import { formatOption, userOption, type Format, type ProjectOptions } from "../options/options.ts";
import { countOption } from "../request/request-options.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { UsageError } from "../terminal/failure.ts";
import { confirmed } from "../terminal/input.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";

/** What names old evaluations instead of ids. */
export interface OldOptions {
  readonly olderThan?: string;
  readonly keepLatest?: number;
  readonly name?: string;
  readonly user?: string;
  readonly all?: true;
  readonly dryRun?: true;
  readonly format: Format;
}

export function oldOptions(): Option[] {
  return [
    new Option(
      "--older-than <duration>",
      "evaluations that began so long ago: a whole number and h, d or w",
    ).argParser(parseDuration),
    countOption("--keep-latest <n>", "how many of each name stay", 0, 999_999_999),
    new Option("--name <name>", "only evaluations of this name"),
    userOption(),
    new Option("--all", "also baselines and those with feedback"),
    new Option("--dry-run", "tell what would go, and delete nothing"),
    formatOption("table"),
  ];
}

/** Whether a command line is about old evaluations; throws `UsageError` where it is about ids too, or about nothing. */
export function asksForOld(ids: readonly string[], options: OldOptions): boolean {
  const { olderThan, keepLatest, name, user, all, dryRun, format } = options;
  if (olderThan !== undefined && ids.length === 0) return true;
  if (olderThan !== undefined) throw new UsageError("name ids or give --older-than, not both");
  const beside = [keepLatest, name, user, all, dryRun, format === "json" ? format : undefined];
  if (beside.some((one) => one !== undefined))
    throw new UsageError("--keep-latest, --name, --user, --all, --dry-run and --format are for --older-than");
  if (ids.length === 0) throw new UsageError("name what to delete: ids, or --older-than 90d");
  return false;
}

/** Deletes what was shown, even if more is old enough meanwhile. */
export async function deleteOld(
  options: OldOptions & ProjectOptions & { readonly yes?: true },
  terminal: Terminal,
): Promise<void> {
  const { olderThan = "", keepLatest, name, user, all, dryRun } = options;
  const { stdout, signal } = terminal;
  const request = { older_than: olderThan, keep_latest: keepLatest, name, user, all };
  const tell = async (answer: EvaluationDeletion, text: string) =>
    print(stdout, options.format === "json" ? `${JSON.stringify(answer)}\n` : text);
  checkThere(options.db);
  await withProject(
    terminal,
    options,
    async (engine, project) => {
      const found = await engine.deleteEvaluations(project, { ...request, dry_run: true }, { signal });
      const { evaluations, kept } = found;
      const what = told(evaluations);
      const table = evaluations.length === 0 ? "" : `${deletedTable(evaluations, tableView(stdout))}\n`;
      const stays = kept.map(({ id, reason }) => `${id} stays: ${STAYS[reason]}`);
      const asks = dryRun !== true && evaluations.length > 0 && options.yes !== true;
      if (asks && stdout.isTTY !== true) throw new UsageError(`this hides ${what} for good; add --yes`);
      if (options.format !== "json") await noteAll(terminal, stays);
      if (dryRun === true) return tell(found, `${table}this would hide ${what}\n`);
      if (asks) {
        await print(terminal.stderr, table);
        if (!(await confirmed(terminal, `hide ${what} for good?`)))
          return print(stdout, "nothing was hidden\n");
      }
      const ids = evaluations.map(({ id }) => id);
      const done = await engine.deleteEvaluations(project, { ids }, { signal });
      await tell(
        { ...done, kept },
        `${options.yes === true ? table : ""}hidden: ${told(done.evaluations)}\n`,
      );
    },
    dryRun === true ? withLatest : withEngine,
  );
}

function told(evaluations: EvaluationDeletion["evaluations"]): string {
  const trials = evaluations.reduce((sum, one) => sum + one.trial_count, 0);
  return `${counted(evaluations.length, "evaluation")} with ${counted(trials, "trial")}`;
}

const STAYS: Readonly<Record<EvaluationDeletion["kept"][number]["reason"], string>> = {
  baseline: "it is a baseline (--all takes it too)",
  feedback: "it has feedback (--all takes it too)",
  latest: "it is among the latest of its name",
};

function deletedTable(list: EvaluationDeletion["evaluations"], view: TableView): string {
  const labels = evaluationLabels(
    list.map((one) => ({ ...one, model_ref: null, commit: null, branch: null, file: null })),
  );
  const columns: readonly CellColumn<(typeof list)[number]>[] = [
    { head: "id", whole: true, cell: ({ id }) => id },
    { head: "name", labels: true, telling: 4, cell: ({ id }) => labels.get(id) ?? id },
    { head: "started at", whole: true, telling: 3, cell: ({ started_at: at }) => at?.slice(0, 19) ?? "–" },
    { head: "trials", align: "right", telling: 2, cell: ({ trial_count: count }) => countText(count) },
    { head: "user", telling: 1, cell: ({ user }) => user ?? "–" },
  ];
  return screenTable(columns, cellsOf(columns, list).rows, view);
}

function parseDuration(text: string): string {
  if (readDuration(text) === null) throw new InvalidArgumentError(`It ${DURATION_RULE}.`);
  return text;
}
