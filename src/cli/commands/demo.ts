import type { EvalcubeCommand } from "../options/options.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { writeFile } from "node:fs/promises";
import { Option } from "commander";
import type { Engine } from "../../index.ts";
import { askDemo } from "../../demo/answers.ts";
import { demoCalls } from "../../demo/calls.ts";
import { renderReport, shellWord } from "../../demo/report.ts";
import { strong } from "../../demo/text-table.ts";
import { zeroEvalGsm } from "../../demo/zeroeval-gsm.ts";
import { readAddress } from "../options/address.ts";
import { leaderboardTable } from "../tables/leaderboard-cells.ts";
import { tableView } from "../tables/screen-table.ts";
import { withEngine } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { progressOf } from "../terminal/progress.ts";
import { print, showsColour, type Terminal } from "../terminal/terminal.ts";
import { countText } from "../../view/words/figures.ts";

const DEFAULT_DATABASE = "evalcube-demo.duckdb";

export function demoCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("demo")
    .description("compare published evaluations, bundled")
    .with(new Option("--db <path>", "the DuckDB file that keeps them").default(DEFAULT_DATABASE))
    .example("evalcube demo")
    .action((options: { readonly db: string }) => demo(options.db, terminal));
}

async function demo(database: string, terminal: Terminal): Promise<void> {
  if (!("path" in readAddress(database))) throw new UsageError("the demo makes a file; name one with --db");
  const { stdout, signal } = terminal;
  const colour = showsColour(stdout);
  await withEngine(terminal, database, async (engine) => {
    const progress = progressOf(terminal, "demo");
    const loaded = await engine
      .ingestCalls(demoCalls(), { signal, onProgress: progress.update })
      .finally(() => progress.stop());
    signal.throwIfAborted();
    const stored = loaded.stored === 0 ? "were there already" : "are there now";
    await print(
      stdout,
      `${database}: ${countText(loaded.received)} calls of 15 published evaluations ${stored}.\n`,
    );
    await print(stdout, `${await writePage(engine, database, signal)} shows them in a browser.\n\n`);
    const report = renderReport(await askDemo(engine), { database, colour });
    const request = { scorers: ["correct"] };
    const answer = await engine.leaderboard(zeroEvalGsm.project, request, { signal });
    const names = evaluationLabels(await engine.listEvaluations(zeroEvalGsm.project));
    const table = leaderboardTable({ answer, request, names }, tableView(stdout));
    const command = `npx evalcube leaderboard --db ${shellWord(database)} --project ${zeroEvalGsm.project} --scorer correct`;
    const title = strong("Leaderboard", colour);
    await print(stdout, `${report}\n\n${title}\n\n   ${command}\n\n${table}\n`);
  });
}

/** Writes a report beside the database, and replaces an older one; resolves to its name. */
async function writePage(engine: Engine, database: string, signal: AbortSignal): Promise<string> {
  const { renderReport: renderPage, replaceFile } = await import("../on-use/on-use.ts");
  const { project } = zeroEvalGsm;
  const html = await renderPage(engine, project, { scorers: ["correct"], title: "ZeroEval GSM", signal });
  const page = `${database.replace(/\.duckdb$/, "")}-report.html`;
  await replaceFile(page, (temporary) => writeFile(temporary, html));
  return page;
}
