import { Option } from "commander";
import type { Engine, EvaluationRun, Summary } from "../../index.ts";
import type { JsonObject } from "../../model/json.ts";
import { PREVIOUS } from "../../request/find-evaluation.ts";
import { RequestError } from "../../errors.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { parseGates, refuseJudgeGates } from "../gates/parse-gate.ts";
import { isMissing } from "../options/address.ts";
import { loadKept, onlyProject, withEngine } from "../options/database.ts";
import { textOption, type EvalcubeCommand } from "../options/options.ts";
import { byOption } from "../request/by-model.ts";
import { costOptions } from "../request/prices.ts";
import { countingOptions } from "../request/request-options.ts";
import { errorLines } from "../../view/words/errors.ts";
import { usageFault } from "../../request/meaningless.ts";
import { GateFailure, RunFailure, UsageError } from "../terminal/failure.ts";
import { counted, countText } from "../../view/words/figures.ts";
import { titledSummary } from "../tables/result-tables.ts";
import { oneLine } from "../../model/plain-line.ts";
import { tableView } from "../tables/screen-table.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import { readCheckout } from "../../runners/checkout.ts";
import { readEvaluations, renamed, type Evaluation } from "./evaluation-module.ts";
import { baselineOf, comparable, judge, judgeAsJson, NONE, type Ran, type RunOptions } from "./judge-run.ts";

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
      byOption("auto, or ", false),
      ...countingOptions(),
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
  const { checkEvaluate, runName } = await import("../on-use/on-use.ts");
  for (const [i, one] of evaluations.entries()) checkEvaluate(one, evaluations.length > 1 ? [i] : []);
  if (isMissing(options.db)) checkWithoutDatabase(options);
  const named = runName();
  const attributed = evaluations.map(withAttributes({ ...checkout, run: named }));
  await loadKept(terminal, options.db);
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
  { db, project: named, baseline: asked, countErrorsAs, countNullsAs, format }: RunOptions,
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
    count_nulls_as: countNullsAs,
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
