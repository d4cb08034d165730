import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { Option } from "commander";
import { v7 as uuidv7 } from "uuid";
import type { Engine, EvaluationRun, Summary } from "../../index.ts";
import type { JsonObject } from "../../model/json.ts";
import { findEvaluation, PREVIOUS } from "../../request/find-evaluation.ts";
import { RequestError } from "../../errors.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { parseGates, refuseJudgeGates } from "../gates/parse-gate.ts";
import { isMissing } from "../options/address.ts";
import { onlyProject, withEngine } from "../options/database.ts";
import { textOption, type ProjectOptions, EvalcubeCommand } from "../options/options.ts";
import { byOption } from "../request/by-model.ts";
import { costOptions, type PricesOption } from "../request/prices.ts";
import { countErrorsOption, type CountErrors } from "../request/request-options.ts";
import { errorLines } from "../../view/words/errors.ts";
import { usageFault } from "../../request/meaningless.ts";
import { GateFailure, RunFailure, UsageError } from "../terminal/failure.ts";
import { counted, countText } from "../../view/words/figures.ts";
import { titledSummary } from "../tables/result-tables.ts";
import { oneLine } from "../../model/plain-line.ts";
import { tableView } from "../tables/screen-table.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, noteAll, print, type Terminal } from "../terminal/terminal.ts";
import { readCheckout } from "../../runners/checkout.ts";
import { compareCommand } from "./compare.ts";
import { readEvaluations, renamed, type Evaluation } from "./evaluation-module.ts";

interface RunOptions extends ProjectOptions, PricesOption {
  readonly costs?: true;
  readonly name?: string;
  readonly baseline: string;
  readonly git: boolean;
  readonly failOn?: readonly string[];
  readonly by?: readonly string[];
  readonly countErrorsAs?: CountErrors;
  readonly format: "text" | "json";
}

/** What was run, and in which project. */
interface Ran {
  readonly project: string;
  /** What to compare with: `previous`, or an id. */
  readonly baseline: string;
  /** Those of the evaluations that can be compared with it. */
  readonly compared: readonly string[];
  /** Of each evaluation whose trials or scores all failed, a sentence that says so. */
  readonly failed: readonly string[];
  /** `attributes.run` of the evaluations that do not name one themselves. */
  readonly run: string;
  readonly runs: readonly EvaluationRun[];
  readonly summary: Summary | null;
}

const NONE = "none";

export function runCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("run")
    .description("run the evaluations that a module exports, and compare them")
    .onProject(
      new Option("--name <name>", "what to call the evaluation instead of its own name"),
      new Option(
        "--baseline <id>",
        "what to compare with: previous, the run before of the name; none; or an evaluation",
      ).default(PREVIOUS),
      new Option("--compare <id>", "the old word for --baseline"),
      new Option("--fail-on <gate...>", "gates as those of evalcube compare"),
      new Option("--no-git", "store no commit and branch of the checkout"),
      byOption("auto, or "),
      countErrorsOption(),
      ...costOptions(),
      textOption(),
    )
    .argument(
      "<file>",
      "a module in TypeScript or JavaScript; its default export is one evaluation or a list",
    )
    .example("evalcube run sums.eval.ts --db evals.duckdb --project acme/qa --fail-on regressed")
    .action((file: string, { compare, ...options }: RunOptions & { readonly compare?: string }) =>
      run(file, { ...options, baseline: compare ?? options.baseline }, terminal),
    );
}

async function run(file: string, options: RunOptions, terminal: Terminal): Promise<void> {
  if (options.failOn !== undefined && options.baseline === NONE)
    throw new UsageError("--fail-on needs a baseline, and --baseline none is none");
  const gates = parseGates(options.failOn ?? []);
  refuseJudgeGates(gates);
  if (options.by === undefined && gates.some(({ kind }) => kind === "slice-regressed"))
    throw usageFault(["--fail-on"], "slice-regressed needs --by, a field whose values are the slices");
  const checkout = options.git ? await readCheckout(file, process.env) : {};
  const evaluations = renamed(await readEvaluations(file), options.name);
  const { checkEvaluate } = await import("../on-use/on-use.ts");
  for (const [i, one] of evaluations.entries()) checkEvaluate(one, evaluations.length > 1 ? [i] : []);
  if (isMissing(options.db)) checkWithoutDatabase(options);
  const named = process.env["EVALCUBE_RUN"] || uuidv7();
  const attributed = evaluations.map(withAttributes({ ...checkout, run: named }));
  const stored = await withEngine(terminal, options.db, (engine) =>
    runAll(engine, attributed, options, terminal),
  );
  const ran = { ...stored, run: named };
  const { failed } = ran;
  const judging = options.format === "json" ? judgeAsJson : judge;
  await judging(ran, options, terminal).catch((error: unknown) => {
    if (failed.length === 0 || !(error instanceof GateFailure || error instanceof RequestError)) throw error;
    throw new RunFailure([error.message, ...failed]);
  });
  if (failed.length > 0) throw new RunFailure(failed);
}

async function judge(ran: Ran, options: RunOptions, terminal: Terminal): Promise<void> {
  const { failOn: gates = [] } = options;
  if (ran.compared.length === 0)
    return await note(terminal, gates.map((gate) => `${gate}: not judged\n`).join(""));
  await compareAll(ran, options, terminal).catch(async (error: unknown) => {
    const unlike = error instanceof RequestError && /^--(baseline|candidate)$/.test(String(error.path[0]));
    // Nobody asked for this comparison, and what ran is stored.
    if (!unlike || options.baseline !== PREVIOUS || gates.length > 0) throw error;
    await note(terminal, `not compared with the run before: ${error.issues[0]?.msg}\n`);
  });
}

/** Prints what was run and compared as one JSON object, whatever the gates say. */
async function judgeAsJson(ran: Ran, options: RunOptions, terminal: Terminal): Promise<void> {
  const stdout = new PassThrough();
  const compared = textOf(stdout);
  try {
    await judge(ran, options, { ...terminal, stdout });
  } finally {
    stdout.end();
    const comparison = (await compared).trim() || "null";
    const told = JSON.stringify({ run: ran.run, runs: ran.runs, summary: ran.summary }).slice(0, -1);
    await print(terminal.stdout, `${told},"comparison":${comparison}}\n`);
  }
}

/** What an evaluation says of itself wins. Its shape is checked already. */
function withAttributes(attributes: JsonObject) {
  return (one: Evaluation): Evaluation => ({ ...one, attributes: { ...attributes, ...one.attributes } });
}

/** Refuses what needs a database, before one is made. */
function checkWithoutDatabase({ db, project, baseline }: RunOptions): void {
  if (project === undefined) onlyProject([], db, "name one with --project");
  if (baseline !== PREVIOUS && baseline !== NONE)
    throw usageFault(["--baseline"], `evaluation ${JSON.stringify(baseline)} is not in this project`);
}

async function runAll(
  engine: Engine,
  evaluations: readonly Evaluation[],
  { db, project: named, baseline: asked, countErrorsAs, format }: RunOptions,
  terminal: Terminal,
): Promise<Omit<Ran, "run">> {
  const project = named ?? onlyProject(await engine.listProjects(), db, "name one with --project");
  const baseline = await baselineOf(engine, project, asked, terminal);
  const runs: EvaluationRun[] = [];
  const failed: string[] = [];
  for (const evaluation of evaluations) {
    const result = await runOne(engine, project, evaluation, terminal);
    runs.push(result);
    const { trials, errors, scorer_errors: scorerErrors, skipped } = result;
    const left = skipped > 0 ? `, ${countText(skipped)} stored before` : "";
    const failures = `${countText(errors)} in error, ${counted(scorerErrors, "score")} failed`;
    await note(terminal, `${oneLine(result.name)}: ${counted(trials, "trial")}, ${failures}${left}\n`);
    failed.push(...(await tellErrors(engine, project, result, terminal)));
  }
  const ids = runs.map(({ id }) => id);
  const request = { evaluation_call_ids: ids, include_rows: false, include_summary: true } as const;
  const { summary } = await engine.queryEvalResults(project, {
    ...request,
    include_uncertainty: true,
    count_errors_as: countErrorsAs,
  });
  if (format === "text") await printSummary(engine, project, summary, terminal);
  const compared = await comparable(engine, project, ids, baseline, terminal);
  return { project, baseline, compared, failed, runs, summary };
}

async function printSummary(
  engine: Engine,
  project: string,
  summary: Summary,
  { stdout }: Terminal,
): Promise<void> {
  const ids = new Set(summary.evaluations.map((one) => one.evaluation_call_id));
  const list = await engine.listEvaluations(project);
  const names = evaluationLabels(list.filter(({ id }) => ids.has(id)));
  await print(stdout, `${titledSummary(summary, names, tableView(stdout))}\n`);
}

/** Notes what went wrong; a sentence where all trials or all scores failed. */
async function tellErrors(
  engine: Engine,
  project: string,
  { id, name: given, scorer_errors: failedScores }: EvaluationRun,
  terminal: Terminal,
): Promise<string[]> {
  const request = { evaluation_call_ids: [id], include_rows: false, include_summary: true } as const;
  const { summary } = await engine.queryEvalResults(project, { ...request, include_errors: true });
  const [told] = summary?.evaluations ?? [];
  const count = (await engine.listEvaluations(project)).find((one) => one.id === id)?.error_count ?? 0;
  if (told === undefined) return [];
  const name = oneLine(given);
  const lines = errorLines(name, count, told);
  await note(terminal, lines.map((one) => `${one}\n`).join(""));
  const all = (what: string, n: number) => [`${name}: ${countText(n)} of ${countText(n)} ${what} failed`];
  if (count > 0 && count === told.trial_count) return all("trials", count);
  return failedScores > 0 && told.scorer_stats.length === 0 ? all("scores", failedScores) : [];
}

/** The evaluations that have a baseline; notes the others. */
async function comparable(
  engine: Engine,
  project: string,
  ids: readonly string[],
  baseline: string,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (baseline === NONE) return [];
  if (baseline !== PREVIOUS) return ids;
  const list = await engine.listEvaluations(project);
  const found: string[] = [];
  for (const id of ids) {
    const error = await engine.compareEvaluations(project, { candidates: [id] }).then(
      () => null,
      (reason: unknown) => reason,
    );
    const isFirst = error instanceof RequestError && error.issues[0]?.type === "no_earlier_run";
    const name = list.find((one) => one.id === id)?.display_name ?? id;
    if (isFirst) await note(terminal, `${oneLine(name)}: no earlier run to compare with\n`);
    else found.push(id);
  }
  return found;
}

/** Found before anything runs, so that `latest` is no run of this command, and a misspelt name costs no run. */
async function baselineOf(
  engine: Engine,
  project: string,
  text: string,
  terminal: Terminal,
): Promise<string> {
  if (text === PREVIOUS || text === NONE) return text;
  const found = findEvaluation(text, await engine.listEvaluations(project));
  if ("fault" in found) throw usageFault(["--baseline"], found.fault);
  if (found.note !== null) await noteAll(terminal, [found.note]);
  return found.id;
}

async function runOne(
  engine: Engine,
  project: string,
  evaluation: Evaluation,
  terminal: Terminal,
): Promise<EvaluationRun> {
  const { signal } = terminal;
  const { onProgress, onWarning, signal: own } = evaluation;
  const progress = progressOf(terminal, evaluation.name, "trials");
  let stored = 0;
  try {
    return await engine.evaluate(project, {
      ...evaluation,
      signal: own === undefined ? signal : AbortSignal.any([own, signal]),
      onWarning: onWarning ?? ((message) => void print(terminal.stderr, `evalcube: ${message}\n`)),
      onProgress: (now) => {
        stored = now.done;
        progress.update({ records: now.done, bytes: now.done, totalBytes: now.total });
        onProgress?.(now);
      },
    });
  } finally {
    progress.stop();
    if (signal.aborted)
      await note(terminal, `${oneLine(evaluation.name)}: interrupted; ${counted(stored, "trial")} stored\n`);
  }
}

/** As the command `compare` does it, with its table, its gates and its exit statuses. */
async function compareAll(
  { project, compared, baseline }: Ran,
  { db, failOn = [], by = [], countErrorsAs = {}, prices, costs, format }: RunOptions,
  terminal: Terminal,
): Promise<void> {
  const program = new EvalcubeCommand().exitOverride();
  compareCommand(program, terminal);
  const fields = by.flatMap((field) => ["--by", field]);
  const gates = failOn.length === 0 ? [] : ["--fail-on", ...failOn];
  const names = ["--db", db, "--project", project, "--baseline", baseline, "--candidate", ...compared];
  const numbers =
    typeof countErrorsAs === "number"
      ? [String(countErrorsAs)]
      : Object.entries(countErrorsAs).map(([name, number]) => `${name}=${number}`);
  const errors = numbers.length === 0 ? [] : ["--count-errors-as", ...numbers];
  const spent = [
    ...(prices === undefined ? [] : ["--prices", prices]),
    ...(costs === true ? ["--costs"] : []),
  ];
  const printed = ["--format", format === "json" ? "json" : "table"];
  const flags = [...names, ...printed, ...gates, ...fields, ...errors, ...spent];
  await program.parseAsync(["compare", ...flags], { from: "user" });
}
