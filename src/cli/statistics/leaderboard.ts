import { Option, type Command } from "commander";
import type { LeaderboardRequest, WhereValue } from "../../index.ts";
import { isJsonObject } from "../../model/json.ts";
import { withProject } from "../options/database.ts";
import {
  withExample,
  databaseOption,
  projectOption,
  reportFormatOption,
  type ProjectOptions,
  type ReportFormat,
} from "../options/options.ts";
import { leaderboardMarkdown } from "../reports/leaderboard-markdown.ts";
import { askRequest, filtersFlag, withFlags } from "../request/flagged-request.ts";
import {
  countErrorsOption,
  evaluationOption,
  filterOption,
  type CountErrors,
} from "../request/request-options.ts";
import { usageFault } from "../terminal/failure.ts";
import { leaderboardTable, type ShownLeaderboard } from "../tables/leaderboard-cells.ts";
import { tableView } from "../tables/screen-table.ts";
import { readRequest } from "../terminal/input.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";

interface LeaderboardOptions extends ProjectOptions {
  readonly evaluation?: readonly string[];
  readonly by?: "evaluation" | "model";
  readonly where?: readonly string[];
  readonly filter?: readonly string[];
  readonly scorer?: readonly string[];
  readonly lowerIsBetter?: readonly string[];
  readonly higherIsBetter?: readonly string[];
  readonly adjust?: "ranges" | "holm" | "benjamini-hochberg" | "none";
  readonly clusterBy?: string;
  readonly sort?: readonly string[];
  readonly countErrorsAs?: CountErrors;
  readonly prices?: string;
  readonly costs?: true;
  readonly format: ReportFormat;
}

export function leaderboardCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("leaderboard")
    .description("put evaluations or models in order, the best first")
    .addOption(databaseOption())
    .addOption(projectOption())
    .option("--scorer <name...>", "scores to show, as judge or judge.score; the first one decides")
    .addOption(
      new Option(
        "--by <what>",
        "what an entry stands for: a model is shown by its latest evaluation",
      ).choices(["evaluation", "model"]),
    )
    .addOption(evaluationOption())
    .option("--where <field=value...>", "evaluations to keep, such as attributes.branch=main")
    .addOption(filterOption())
    .option("--sort <field...>", "scores.<name>, cost, latency, started_at, …, with :asc or :desc")
    .option("--prices <file>", "a JSON file: money per million input and output tokens by model")
    .option("--costs", "show the costs that calls carry")
    .addOption(countErrorsOption())
    .addOption(reportFormatOption())
    .argument(
      "[request]",
      "a JSON file, or - for standard input, with filters and other members of the request",
    )
    .action((path: string | undefined, options: LeaderboardOptions) => leaderboard(path, options, terminal));
  for (const option of statisticsOptions()) command.addOption(option);
  withExample(
    command,
    "evalcube leaderboard --db evals.duckdb --project acme/qa --scorer correct --where attributes.branch=main",
  );
}

function statisticsOptions(): Option[] {
  return [
    new Option("--lower-is-better <name...>", "scores of which lower values are better"),
    new Option("--higher-is-better <name...>", "scores of numbers of which higher values are better"),
    new Option("--adjust <method>", "for the pairs of all evaluations (ranges)").choices([
      "ranges",
      "holm",
      "benjamini-hochberg",
      "none",
    ]),
    new Option("--cluster-by <field>", "inputs.<path>: rows of one value depend on each other"),
  ];
}

async function leaderboard(
  path: string | undefined,
  options: LeaderboardOptions,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal;
  const named = withPrices(await readRequest(path, terminal), await readPrices(options.prices, terminal));
  const asked = withFlags(named, membersOf(options));
  await withProject(terminal, options, async (engine, project) => {
    const shown = await askRequest(engine, project, asked, async (members) => {
      const request = members as LeaderboardRequest;
      const answer = await engine.leaderboard(project, request, { signal });
      return { answer, request };
    });
    await printLeaderboard(shown, options.format, terminal);
  });
}

async function printLeaderboard(
  shown: ShownLeaderboard,
  format: ReportFormat,
  terminal: Terminal,
): Promise<void> {
  const { answer } = shown;
  const { stdout } = terminal;
  if (format === "json") return await print(stdout, `${JSON.stringify(answer)}\n`);
  if (format === "markdown") return await print(stdout, `${leaderboardMarkdown(shown)}\n`);
  await note(terminal, answer.warnings.map((warning) => `note: ${warning}\n`).join(""));
  return await print(stdout, `${leaderboardTable(shown, tableView(stdout))}\n`);
}

async function readPrices(path: string | undefined, terminal: Terminal): Promise<unknown> {
  return path === undefined ? undefined : await readRequest(path, terminal);
}

/** Adds the prices to the request itself, so that an error names the place inside of them. */
function withPrices(request: unknown, prices: unknown): unknown {
  return prices !== undefined && isJsonObject(request) ? { ...request, prices } : request;
}

function membersOf(options: LeaderboardOptions) {
  const { evaluation, by, where, filter, scorer, sort, costs, countErrorsAs } = options;
  return {
    evaluations: ["--evaluation", evaluation],
    by: ["--by", by],
    where: ["--where", where === undefined ? undefined : conditions(where)],
    filters: filtersFlag(filter),
    scorers: ["--scorer", scorer],
    lower_is_better: ["--lower-is-better", options.lowerIsBetter],
    higher_is_better: ["--higher-is-better", options.higherIsBetter],
    adjust: ["--adjust", options.adjust],
    cluster_by: ["--cluster-by", options.clusterBy],
    sort_by: ["--sort", sort?.map(sortKey)],
    costs: ["--costs", costs],
    count_errors_as: ["--count-errors-as", countErrorsAs],
  } as const;
}

/** Reads conditions such as `attributes.branch=main`; a field that is named twice may have either value. */
function conditions(texts: readonly string[]): Record<string, WhereValue[]> {
  const fields = new Map<string, WhereValue[]>();
  for (const [i, text] of texts.entries()) {
    const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (field === undefined || value === undefined)
      throw usageFault(
        ["--where", i],
        `it takes FIELD=VALUE, such as attributes.branch=main, not ${JSON.stringify(text)}`,
      );
    fields.set(field, [...(fields.get(field) ?? []), scalar(value)]);
  }
  return Object.fromEntries(fields);
}

/** A JSON number, boolean, null or string, otherwise the text itself. */
function scalar(text: string): WhereValue {
  try {
    const value: unknown = JSON.parse(text);
    const isScalar = value === null || ["string", "number", "boolean"].includes(typeof value);
    return isScalar ? (value as WhereValue) : text;
  } catch {
    return text;
  }
}

function sortKey(text: string): { readonly field: string; readonly direction?: "asc" | "desc" } {
  const [, field = text, direction] = /^(.*):(asc|desc)$/s.exec(text) ?? [];
  return direction === "asc" || direction === "desc" ? { field, direction } : { field };
}
