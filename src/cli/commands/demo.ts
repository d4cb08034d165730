import { writeFile } from "node:fs/promises";
import { Option } from "commander";
import { type EvalcubeCommand, textOption } from "../options/options.ts";
import { evaluationLabels } from "../../model/labels.ts";
import type { Engine } from "../../index.ts";
import { agentCalls } from "../../demo/agents.ts";
import { demoCalls } from "../../demo/calls.ts";
import { shellWord } from "../../model/messages.ts";
import { support, supportCalls } from "../../demo/support.ts";
import { strong } from "../../text/text-table.ts";
import { wrapped } from "../../text/text-width.ts";
import { zeroEvalGsm } from "../../demo/zeroeval-gsm.ts";
import { isService, readAddress } from "../options/address.ts";
import { tableView } from "../tables/screen-table.ts";
import { askPublished, publishedParts } from "./published.ts";
import { withEngine } from "../options/database.ts";
import { UsageError } from "../terminal/failure.ts";
import { progressOf } from "../terminal/progress.ts";
import { print, showsColour, type Terminal } from "../terminal/terminal.ts";
import { countText } from "../../words/figures.ts";
import { errorLines } from "../../words/errors.ts";
import { historySentence } from "../../words/history.ts";
import { plainText } from "../../words/sentence.ts";
import { comparedSides, conclusionLines } from "../../words/comparison-words.ts";

const DEFAULT_DATABASE = "evalcube-demo.duckdb";
const LAST_TWO = "--baseline latest~1 --candidate latest --by inputs.topic";
/** Cells of a line, behind its indentation. */
const WIDTH = 95;

export function demoCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("demo")
    .description("show what changed in an assistant, and compare published evaluations")
    .with(
      new Option("--db <path>", "the DuckDB file that keeps them").default(DEFAULT_DATABASE),
      textOption(),
    )
    .example("evalcube demo")
    .action((options: DemoOptions) => demo(options, terminal));
}

interface DemoOptions {
  readonly db: string;
  readonly format: "text" | "json";
}

async function demo({ db: database, format }: DemoOptions, terminal: Terminal): Promise<void> {
  if ("clickhouse" in readAddress(database))
    throw new UsageError("the demo makes a file, or asks a service; name one with --db");
  const { stdout, signal } = terminal;
  await withEngine(terminal, database, async (engine) => {
    const { received, stored } = await load(engine, terminal);
    signal.throwIfAborted();
    const page = await writePage(engine, database, signal);
    if (format === "json") {
      const answers = {
        support: await askSupport(engine, signal),
        published: await askPublished(engine, signal),
      };
      return await print(stdout, `${JSON.stringify({ database, received, stored, page, ...answers })}\n`);
    }
    const there = stored === 0 ? "were there already" : "are there now";
    await print(stdout, `${database}: ${countText(received)} calls of 23 evaluations ${there}.\n`);
    await print(stdout, `${page} shows the published ones in a browser.\n\n`);
    await print(stdout, await supportText(engine, database, terminal));
    await print(stdout, await publishedText(engine, database, terminal));
    await print(stdout, `npx evalcube view --db ${shellWord(database)} --open\n`);
  });
}

async function load(engine: Engine, terminal: Terminal): Promise<{ received: number; stored: number }> {
  const progress = progressOf(terminal, "demo");
  const options = { signal: terminal.signal, onProgress: progress.update };
  try {
    const own = await engine.ingestCalls(supportCalls(), options);
    const ofAgents = await engine.ingestCalls(agentCalls(), options);
    const published = await engine.ingestCalls(demoCalls(), options);
    const all = [own, ofAgents, published];
    return {
      received: all.reduce((sum, { received }) => sum + received, 0),
      stored: all.reduce((sum, { stored }) => sum + stored, 0),
    };
  } finally {
    progress.stop();
  }
}

/** What changed in the assistant, and the command that says so too. */
async function supportText(engine: Engine, database: string, { stdout, signal }: Terminal): Promise<string> {
  const title = "An assistant of a shop answers 110 questions, once a week. What changed?";
  const lines = (await supportLines(engine, signal)).flatMap((line) => wrapped(line, WIDTH));
  const command = `npx evalcube compare --db ${shellWord(database)} --project ${support.project} \\\n  ${LAST_TWO}`;
  return `${strong(title, showsColour(stdout))}\n\n${indent([...lines, "", command].join("\n"))}\n\n`;
}

/** The published evaluations: which is best, by how much two differ, and how often one succeeds. */
async function publishedText(
  engine: Engine,
  database: string,
  { stdout, signal }: Terminal,
): Promise<string> {
  const parts = await publishedParts(engine, database, { ...tableView(stdout), width: null }, signal);
  const texts = parts.flatMap(({ title, lines, table, after = [] }) => {
    const wide = lines.flatMap((line) => wrapped(line, WIDTH));
    const blocks = [wide.join("\n"), ...(table === undefined ? [] : [table]), after.join("\n")];
    const text = blocks.filter((block) => block !== "").join("\n\n");
    return [strong(title, showsColour(stdout)), indent(text)];
  });
  const goOn = [
    "Your own evaluations, call records with one JSON object a line:",
    `  npx evalcube ingest --db ${shellWord(database)} calls.ndjson`,
  ].join("\n");
  return `${[...texts, strong("Go on", showsColour(stdout)), indent(goOn)].join("\n\n")}\n\n`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "   ");
}

/** Writes a report beside the database, and replaces an older one; resolves to its name. */
async function writePage(engine: Engine, database: string, signal: AbortSignal): Promise<string> {
  const { renderReport: renderPage, replaceFile } = await import("../on-use/on-use.ts");
  const { project } = zeroEvalGsm;
  const html = await renderPage(engine, project, { scorers: ["correct"], title: "ZeroEval GSM", signal });
  const file = isService(database) ? DEFAULT_DATABASE : database;
  const page = `${file.replace(/\.duckdb$/, "")}-report.html`;
  await replaceFile(page, (temporary) => writeFile(temporary, html));
  return page;
}

const SCORE = { scorers: ["correct"] } as const;

/**
 * The comparison of the last run of the demo's assistant with the one before, and its history; null where it has not
 * run twice.
 */
async function askSupport(engine: Engine, signal: AbortSignal) {
  const { project, name } = support;
  const runs = await engine.listEvaluations(project, { signal });
  const [baseline, candidate] = runs.slice(-2).map(({ id }) => id);
  if (baseline === undefined || candidate === undefined) return null;
  const candidates: readonly [string] = [candidate];
  const request = { ...SCORE, baseline, candidates, by: "inputs.topic" } as const;
  const comparison = await engine.compareEvaluations(project, request, { signal });
  const history = await engine.history(project, { ...SCORE, name }, { signal });
  return { request, comparison, history };
}

/**
 * What the last run of the demo's assistant changed, in lines: by how much it is worse, where, since when, and what
 * failed.
 */
async function supportLines(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const asked = await askSupport(engine, signal);
  if (asked === null) return [];
  const { request, comparison, history } = asked;
  const [candidate] = request.candidates;
  const names = evaluationLabels(await engine.listEvaluations(support.project, { signal }));
  return [
    ...conclusionLines({ answer: comparison, request, sides: comparedSides(comparison), names }),
    plainText(historySentence(history, SCORE)),
    ...(await failedLines(engine, candidate, names.get(candidate) ?? candidate)),
  ];
}

async function failedLines(engine: Engine, id: string, label: string): Promise<string[]> {
  const { summary } = await engine.queryEvalResults(support.project, {
    evaluation_call_ids: [id],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    include_errors: true,
  });
  const [told] = summary.evaluations;
  return told === undefined ? [] : errorLines(label, told.scorer_stats[0]?.error_count ?? 0, told);
}
