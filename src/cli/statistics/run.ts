import { type Command, Option } from "commander";
import type { Engine, EvaluationEntry, EvaluationRun, Summary } from "../../index.ts";
import type { JsonObject } from "../../model/json.ts";
import { shellWord } from "../../model/messages.ts";
import { PREVIOUS } from "../../request/find-evaluation.ts";
import { evaluationLabels } from "../../model/labels.ts";
import {
  type Gate,
  needsBaseline,
  parseGates,
  refuseJudgeGates,
  refuseWithoutMargin,
} from "../gates/parse-gate.ts";
import { isMissing } from "../options/address.ts";
import { loadKept, onlyProject, withEngine } from "../options/database.ts";
import { textOption, type EvalcubeCommand } from "../options/options.ts";
import { byOptions } from "../request/by-model.ts";
import { costOptions } from "../request/prices.ts";
import { countingOptions, countOption, filterOption } from "../request/request-options.ts";
import { usageFault } from "../../request/meaningless.ts";
import { UsageError } from "../terminal/failure.ts";
import { counted, countText } from "../../words/figures.ts";
import { titledSummary } from "../tables/result-tables.ts";
import { oneLine } from "../../model/plain-line.ts";
import { tableView } from "../tables/screen-table.ts";
import { progressOf } from "../terminal/progress.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";
import { readCheckout } from "../../runners/checkout.ts";
import { partialOf, withChosenRows } from "./chosen-rows.ts";
import { marginOption } from "./comparison-options.ts";
import { conclude, isToldLater, judgeFirst, tellErrors, tellWayOn } from "./end-run.ts";
import { readEvaluations, renamed, type Evaluation } from "./evaluation-module.ts";
import {
  baselineOf,
  comparable,
  judgeRun,
  judgeAsJson,
  NONE,
  type Ran,
  type RunOptions,
} from "./judge-run.ts";
import { resumed, type Going } from "./resumed-runs.ts";

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
      countOption("--trials <count>", "trials a row, instead of those of the module", 1, 1000),
      countOption("--concurrency <count>", "trials at a time, instead of those of the module", 1, 1000),
      countOption("--limit <count>", "the first so many rows", 1, 1_000_000_000),
      filterOption("the rows that pass: 'inputs.<path> OP VALUE'"),
      countOption("--retries <count>", "how often a task or scorer that throws is called again", 0, 10),
      new Option(
        "--resume",
        "go on with the latest evaluation of each name: what is stored without error stays",
      ),
      new Option("--fail-on <gate...>", "gates as those of evalcube compare"),
      new Option("--not-comparable <what>", "what becomes of gates without an earlier run: status 4, or 0")
        .choices(["fail", "warn"])
        .default("fail"),
      new Option("--no-git", "store no commit and branch of the checkout"),
      ...byOptions("auto, or ", false),
      ...valueOptions(),
      textOption(["text", "table", "json"]),
    )
    .argument(
      "<file>",
      "a module in TypeScript or JavaScript; its default export is one evaluation or a list",
    )
    .example("evalcube run sums.eval.ts --db evals.duckdb --project acme/qa --fail-on regressed")
    .action(
      (file: string, { compare, ...options }: RunOptions & { readonly compare?: string }, command: Command) =>
        runModule({ file, command }, { ...options, baseline: compare ?? options.baseline }, terminal),
    );
}

/** What values count as, and how far they may differ. */
function valueOptions(): Option[] {
  return [marginOption(), ...countingOptions(), ...costOptions()];
}

async function runModule({ file, command }: Started, options: RunOptions, terminal: Terminal): Promise<void> {
  const gates = parseGates(options.failOn ?? []);
  refuseJudgeGates(gates);
  refuseWithoutMargin(gates, options.margin);
  if (options.margin !== undefined && options.margin <= 0)
    throw usageFault(["--margin"], `a margin is above 0, not ${options.margin}`);
  const gate = gates.find(needsBaseline);
  if (gate !== undefined && options.baseline === NONE)
    throw new UsageError(`--fail-on ${gate.text} needs a baseline, and --baseline none is none`);
  if (options.by === undefined && gates.some(({ kind }) => kind === "slice-regressed"))
    throw usageFault(["--fail-on"], "slice-regressed needs --by, a field whose values are the slices");
  const checkout = options.git ? await readCheckout(file, process.env) : {};
  const evaluations = renamed(await readEvaluations(file), options.name).map((one) => flagged(one, options));
  const { checkEvaluate, misspeltMember } = await import("../on-use/on-use.ts");
  for (const [i, one] of evaluations.entries()) {
    const misspelt = misspeltMember(one);
    if (misspelt !== null) throw new UsageError(misspelt);
    checkEvaluate(one, evaluations.length > 1 ? [i] : []);
  }
  if (isMissing(options.db)) checkWithoutDatabase(options);
  const chosen = await withChosenRows(evaluations, options, terminal.signal);
  const attributed = chosen.map(withAttributes({ ...checkout, ...partialOf(options) }));
  await loadKept(terminal, options.db);
  const ran = await withEngine(terminal, options.db, (engine) =>
    runAll(
      engine,
      attributed,
      gates,
      { ...options, wayOn: (project) => wayOnOf(file, command, project) },
      terminal,
    ),
  );
  const met = [...ran.alone.reasons];
  const judging = options.format === "json" ? judgeAsJson : judgeRun;
  await judging(ran, options, terminal).catch((error: unknown) => {
    if (!isToldLater(error, ran)) throw error;
    met.push(...error.message.split("\nevalcube: "));
  });
  await conclude(ran, met, options, terminal);
}

/** A module to run, and the command line that named it. */
interface Started {
  readonly file: string;
  readonly command: Command;
}

/** What flags say stands over what the module says. */
function flagged(one: Evaluation, { trials, concurrency: maxConcurrency, retries }: RunOptions): Evaluation {
  const given = Object.entries({ trials, maxConcurrency, retries }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...one, ...Object.fromEntries(given) };
}

/** The command line that goes on with what this one began. */
function wayOnOf(file: string, command: Command, project: string): string {
  const { db } = command.opts<RunOptions>();
  const own = command.options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === "cli" &&
      !["--db", "--project", "--resume"].includes(option.long ?? ""),
  );
  const flags = own.flatMap((option) => wordsOf(option, command.getOptionValue(option.attributeName())));
  const words = [file, "--db", db, "--project", project, ...flags, "--resume"];
  return `evalcube run ${words.map(shellWord).join(" ")}`;
}

function wordsOf({ long, variadic }: Option, value: unknown): string[] {
  const flag = long ?? "";
  if (typeof value === "boolean") return [flag];
  if (typeof value !== "object" || value === null) return [flag, String(value)];
  const texts = Array.isArray(value)
    ? value.map(String)
    : Object.entries(value).map(([name, number]) => `${name}=${String(number)}`);
  return variadic ? [flag, ...texts] : texts.flatMap((text) => [flag, text]);
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
  gates: readonly Gate[],
  options: RunOptions & { readonly wayOn: (project: string) => string },
  terminal: Terminal,
): Promise<Ran> {
  const { db, project: named, baseline: asked, format, resume } = options;
  const project = named ?? onlyProject(await engine.listProjects(), db, "name one with --project");
  const baseline = await baselineOf(engine, project, asked, terminal);
  const runs: EvaluationRun[] = [];
  const failed: string[] = [];
  const { going, run } = await begun(engine, project, evaluations, resume === true);
  for (const { evaluation, complete } of going) {
    if (complete !== null) {
      runs.push(storedRun(project, complete));
      await note(terminal, `${oneLine(evaluation.name)}: complete, nothing to go on with\n`);
      continue;
    }
    const result = await runOne(engine, project, evaluation, { terminal, wayOn: options.wayOn(project) });
    runs.push(result);
    const { trials, errors, scorer_errors: scorerErrors, skipped } = result;
    const left = skipped > 0 ? `, ${countText(skipped)} stored before` : "";
    const failures = `${countText(errors)} in error, ${counted(scorerErrors, "score")} failed`;
    await note(terminal, `${oneLine(result.name)}: ${counted(trials, "trial")}, ${failures}${left}\n`);
    failed.push(...(await tellErrors(engine, project, result, evaluation, terminal)));
  }
  const ids = runs.map(({ id }) => id);
  const summary = await summaryOf(engine, project, ids, options);
  if (format !== "json") await printSummary(engine, project, summary, terminal);
  const compared = await comparable(engine, project, ids, baseline, terminal);
  const first = ids.filter((id) => !compared.includes(id));
  const alone = await judgeFirst(engine, { project, failed }, first, gates, options, terminal);
  return { project, baseline, compared, failed, alone, run, runs, summary };
}

async function summaryOf(
  engine: Engine,
  project: string,
  ids: readonly string[],
  { countErrorsAs, countNullsAs }: RunOptions,
): Promise<Summary> {
  const { summary } = await engine.queryEvalResults(project, {
    evaluation_call_ids: ids,
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    count_errors_as: countErrorsAs,
    count_nulls_as: countNullsAs,
  });
  return summary;
}

/** What is to run, all of it under the name of one run, and what is complete. */
async function begun(
  engine: Engine,
  project: string,
  evaluations: readonly Evaluation[],
  resume: boolean,
): Promise<{ readonly going: readonly Going[]; readonly run: string }> {
  const { runName } = await import("../on-use/on-use.ts");
  const { run, going } = resume
    ? await resumed(engine, project, evaluations)
    : { run: null, going: evaluations.map((evaluation) => ({ evaluation, complete: null })) };
  const named = run ?? runName();
  const inRun = withAttributes({ run: named });
  return { run: named, going: going.map((one) => ({ ...one, evaluation: inRun(one.evaluation) })) };
}

function storedRun(project: string, { id, display_name: name, trial_count: trials }: EvaluationEntry) {
  const counts = { trials, errors: 0, scorer_errors: 0, skipped: trials };
  return { id, project_id: project, name: name ?? id, ...counts, status: "finished" } as const;
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

async function runOne(
  engine: Engine,
  project: string,
  evaluation: Evaluation,
  { terminal, wayOn }: { readonly terminal: Terminal; readonly wayOn: string },
): Promise<EvaluationRun> {
  const { signal } = terminal;
  const { onProgress, onWarning, signal: own } = evaluation;
  const progress = progressOf(terminal, evaluation.name, "trials");
  try {
    return await engine.evaluate(project, {
      ...evaluation,
      signal: own === undefined ? signal : AbortSignal.any([own, signal]),
      onWarning: onWarning ?? ((message) => void print(terminal.stderr, `evalcube: ${message}\n`)),
      onProgress: (now) => {
        progress.update({ records: now.done, bytes: now.done, totalBytes: now.total });
        onProgress?.(now);
      },
    });
  } catch (error) {
    progress.stop();
    await tellWayOn(evaluation, error, wayOn, terminal);
    throw error;
  } finally {
    progress.stop();
  }
}
