import type { Option } from "commander";
import type { LeaderboardAnswer, LeaderboardRequest } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import {
  type EvalcubeCommand,
  formatFor,
  formatOption,
  type ProjectOptions,
  type ReportFormat,
} from "../options/options.ts";
import { type AskedCommand, asking } from "../request/flagged-request.ts";
import {
  comparingOptions,
  evaluationOption,
  filterOption,
  memberOption,
  scorerOption,
} from "../request/request-options.ts";
import { costOptions } from "../request/prices.ts";
import { modelOptions } from "../request/by-model.ts";
import {
  leaderboardCells,
  leaderboardNotes,
  leaderboardTable,
  type ShownLeaderboard,
} from "../tables/leaderboard-cells.ts";
import { tableView } from "../tables/screen-table.ts";
import { parseEntrySort } from "../../request/parse-filter.ts";
import { UsageError } from "../terminal/failure.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";
import { escapeMarkdown, markdownTable } from "../reports/markdown.ts";
import { REQUEST_WITH_MEMBERS } from "./comparison-options.ts";

type Entry = LeaderboardAnswer["entries"][number];

interface LeaderboardOptions extends ProjectOptions {
  readonly format?: ReportFormat;
}

export function leaderboardCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("leaderboard")
    .description("put evaluations or models in order, the best first")
    .onProject(...leaderboardOptions())
    .argument(...REQUEST_WITH_MEMBERS)
    .example(
      "evalcube leaderboard --db evals.duckdb --project acme/qa --scorer correct --where attributes.branch=main",
    )
    .action(asking(terminal, leaderboard));
}

function leaderboardOptions(): Option[] {
  return [
    scorerOption("show, as judge or judge.score; the first one decides"),
    ...modelOptions("model: an entry is a model, shown by its latest evaluation; and ", true),
    evaluationOption(),
    filterOption(),
    memberOption(
      "sort_by",
      "--sort <field...>",
      "scores.<name>, cost, latency, started_at, …, with :asc or :desc",
      (texts: readonly string[]) => texts.map(parseEntrySort),
    ),
    ...costOptions(),
    formatOption(undefined, ["table", "json", "markdown"]),
    ...comparingOptions("the pairs of all evaluations", ["ranges", "holm", "benjamini-hochberg", "none"]),
  ];
}

async function leaderboard({ options, terminal, ask }: AskedCommand<LeaderboardOptions>): Promise<void> {
  const { signal } = terminal;
  const shown = await ask(async (engine, project, members) => {
    const request = members as LeaderboardRequest;
    const answer = await engine.leaderboard(project, request, { signal });
    refuseUnknownOrder(answer, request);
    const ids = new Set(answer.entries.map((one) => one.evaluation_call_id));
    const list = await engine.listEvaluations(project);
    return { answer, request, names: evaluationLabels(list.filter(({ id }) => ids.has(id))) };
  });
  await printLeaderboard(shown, formatFor(options.format, terminal.stdout), terminal);
}

/** What entries may be ordered by that nothing may be known of. */
const MEASURED: Readonly<
  Record<string, { readonly of: (entry: Entry) => number | null; readonly fault: string }>
> = {
  cost: { of: ({ cost }) => cost?.total ?? null, fault: "no cost is known; give --prices FILE, or --costs" },
  tokens: { of: ({ tokens }) => tokens.total, fault: "no tokens are known" },
  latency: { of: ({ latency }) => latency.p50_seconds, fault: "no latency is known" },
};

function refuseUnknownOrder({ entries }: LeaderboardAnswer, { sort_by: keys }: LeaderboardRequest): void {
  for (const { field } of entries.length === 0 ? [] : (keys ?? [])) {
    const measured = MEASURED[field];
    if (measured === undefined || entries.some((entry) => measured.of(entry) !== null)) continue;
    throw new UsageError(`--sort ${field}: ${measured.fault}`);
  }
}

async function printLeaderboard(
  shown: ShownLeaderboard,
  format: ReportFormat,
  terminal: Terminal,
): Promise<void> {
  const { answer } = shown;
  const { stdout } = terminal;
  if (format === "markdown") return await print(stdout, `${leaderboardMarkdown(shown)}\n`);
  await noteAll(terminal, answer.warnings);
  if (format === "json") return await print(stdout, `${JSON.stringify(answer)}\n`);
  return await print(stdout, `${leaderboardTable(shown, tableView(stdout))}\n`);
}

/** Formats a leaderboard as Markdown, with its warnings. */
function leaderboardMarkdown(shown: ShownLeaderboard): string {
  const { columns, rows } = leaderboardCells(shown);
  const notes = [...leaderboardNotes(shown), ...shown.answer.warnings];
  return [
    ...(rows.length === 0 ? [] : [markdownTable(columns, rows)]),
    notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n"),
  ].join("\n\n");
}
