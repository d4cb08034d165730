import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { CompareRequest, Engine, LeaderboardRequest } from "../../index.ts";
import { counted } from "../../words/figures.ts";
import { scorePlace } from "../../model/field-path.ts";
import { isAmong } from "../../words/score.ts";
import { undirected } from "../gates/judge-gates.ts";
import { stepsNamed } from "../gates/step-gates.ts";
import { needsTest } from "../gates/paired-usage.ts";
import {
  type Gate,
  type PairGate,
  parseCiGates,
  refuseJudgeGates,
  refuseWithoutMargin,
} from "../gates/parse-gate.ts";
import { loadKept, unloadedText, withProject, withReader } from "../options/database.ts";
import type { UnloadedRun } from "../../runners/kept-runs.ts";
import type { EvalcubeCommand, ProjectOptions } from "../options/options.ts";
import { askRequest, type FlaggedRequest, withFlags } from "../request/flagged-request.ts";
import { pricesOption, type PricesOption, readPrices } from "../request/prices.ts";
import { countOption } from "../request/request-options.ts";
import { judgingOptions } from "../statistics/comparison-options.ts";
import { FileError, GateFailure, NotComparable, RunFailure } from "../terminal/failure.ts";
import { usageFault } from "../../request/meaningless.ts";
import { noteAll, print, type Terminal } from "../terminal/terminal.ts";
import type { Judged } from "./ci-report.ts";
import { comparePairs, loadPairs } from "./compare-pairs.ts";
import { findBaseline } from "./find-baseline.ts";
import { chooseRuns, unfinished } from "./find-runs.ts";
import { attemptNotes, readJob } from "./job.ts";
import { judgedNames, type JudgedNames } from "./judged-names.ts";
import { promote } from "./promote.ts";
import { judgePairs } from "./judge-pairs.ts";
import { failureOf, type Incomparable, pairSuites } from "./pair-suites.ts";
import { nameOf, type ReadFrom, readSuites } from "./read-suites.ts";
import { noteBaseline, type SavedRuns } from "./note-baseline.ts";
import { saveBaseline } from "./saved-baseline.ts";
import { isNamed, type Suite, unknownScore } from "./suite.ts";
import { tell, type TellOptions } from "./tell.ts";

interface CiOptions extends ProjectOptions, PricesOption, TellOptions {
  readonly baseline?: string;
  readonly baselineFromHead?: true;
  readonly candidate?: readonly string[];
  readonly failOn: readonly string[];
  readonly notComparable: "fail" | "warn";
  readonly save?: string;
  readonly promote?: string;
  readonly looks?: number;
}

const GATES = ["regressed", "errors>5%", "coverage<90%"];

export function ciCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("ci")
    .description("judge the evaluations of a job against a baseline, and tell the pull request")
    .onProject(
      new Option(
        "--baseline <place>",
        "a saved baseline, another database, a folder that holds one, branch:NAME, commit:SHA, merge-base or an evaluation (the first of evals.baseline.parquet, merge-base and the branch that the pull request is for)",
      ),
      new Option(
        "--baseline-from-head",
        "take the file of the baseline as the checkout has it, also where a pull request may have changed it",
      ),
      new Option("--candidate <id...>", "evaluations to judge (all of the latest run)"),
      ...judgingOptions(),
      new Option(
        "--fail-on <gate...>",
        "end with status 3 where it is met: those of compare, flaky>2%, dataset-changed; quoted for the shell",
      ).default(GATES),
      new Option("--not-comparable <what>", "what becomes of what cannot be compared: status 4, or 0")
        .choices(["fail", "warn"])
        .default("fail"),
      pricesOption(),
      looksOption(),
      new Option("--save <file>", "write the evaluations to a Parquet file, as a baseline; judge nothing"),
      new Option("--promote <file>", "add the rows that passed before and fail now to a file of JSON lines"),
      new Option("--comment", "comment on the pull request, or edit the comment that is there"),
      new Option("--out <file>", "where to write the Markdown"),
      new Option("--junit <file>", "where to write the gates and comparisons as JUnit XML"),
      new Option("--format <format>", "what to print").choices(["markdown", "json"]).default("markdown"),
    )
    .example(
      `evalcube ci --db evals.duckdb --scorer correct --fail-on regressed "errors>5%"`,
      "evalcube ci --db evals.duckdb --save evals.baseline.parquet",
    )
    .action((options: CiOptions, command: Command) => ci(options, command, terminal));
}

async function ci(options: CiOptions, command: Command, terminal: Terminal): Promise<void> {
  const { flagged, looks } = lookedAt(withFlags({}, command), options.looks);
  const gates = checkGates(parseCiGates(options.failOn), flagged);
  const prices = await readPrices(options, terminal);
  const { signal } = terminal;
  const left = (await loadKept(terminal, options.db)).filter(mayBeOf(options.project));
  if (left.length > 0) return await leaveUndetermined(left, flagged, options, terminal);
  const judgeIn = async (engine: Engine, project: string): Promise<SavedRuns | null> => {
    const withUsage = options.save !== undefined || gates.some(needsTest);
    const asked = flagged.request as CompareRequest;
    const clusterBy = asked.cluster_by ?? undefined;
    const steps = stepsNamed(asked, gates);
    const place = { engine, project, prices, signal, withUsage, clusterBy, counts: asked, steps };
    const runs = chooseRuns(await engine.listEvaluations(project, { signal }), options.candidate);
    await refuseUnknownClusters(place, runs.candidates, flagged);
    const candidates = await readSuites(place, runs.candidates);
    if (options.save !== undefined) {
      await noteAll(terminal, unfinished(runs.candidates));
      return { project, ids: await save(options.save, candidates, terminal) };
    }
    const job = readJob(process.env);
    const { baseline, baselineFromHead: fromHead = false } = options;
    const found = await findBaseline({ place, runs, job, terminal, fromHead }, baseline);
    const leftOut = new Set(runs.leftOut.map(nameOf));
    const told = await judge(candidates, leftOut, found, gates, flagged, signal);
    const named = judgedNames(runs, told.baseline?.suites.map(({ id }) => id) ?? []);
    const beyond = told.gates.flatMap((one) => one.notes ?? []);
    const notes = [attemptNotes(job), runs.notes, unfinished(runs.candidates), told.notes, beyond].flat();
    const judged = { ...told, ...named, looks, notes };
    if (options.promote !== undefined) await promote(options.promote, judged, place);
    await tell(judged, project, job, options, terminal);
    await conclude(judged, options, terminal);
    return null;
  };
  const saved = await withProject(terminal, options, judgeIn, withReader);
  if (saved !== null) await noteBaseline(options.db, saved, terminal);
}

/** Throws `RequestError` where no row of the candidates has the field of the clusters. */
async function refuseUnknownClusters(
  { engine, project, clusterBy, signal }: ReadFrom,
  candidates: readonly { readonly id: string }[],
  flagged: FlaggedRequest,
): Promise<void> {
  if (clusterBy === undefined || candidates.length === 0) return;
  const asked = { evaluations: candidates.map(({ id }) => id), cluster_by: clusterBy } as LeaderboardRequest;
  await askRequest(flagged, () => engine.leaderboard(project, asked, { signal }));
}

function looksOption(): Option {
  return countOption(
    "--looks <n>",
    "how often the job is looked at: each is judged at its part of the level",
    1,
    100,
  );
}

/** Judges each of several looks at its part of the level, so that all of them together keep it. */
function lookedAt(flagged: FlaggedRequest, looks: number | undefined) {
  if (looks === undefined) return { flagged, looks: null };
  const asked = flagged.request as CompareRequest;
  const level = (1 - (asked.confidence ?? 0.95)) / looks;
  const request = { ...asked, confidence: 1 - level };
  return { flagged: { ...flagged, request }, looks: { looks, level } };
}

/** Ends the command as what was found out says. */
async function conclude(judged: Judged, options: CiOptions, terminal: Terminal): Promise<void> {
  const met = judged.gates.flatMap(({ reasons }) => reasons.map(({ text }) => text));
  const faults = judged.faults.map(({ text }) => text);
  if (faults.length > 0)
    throw new RunFailure([
      ...met,
      ...judged.incomparable.map(({ text }) => `not comparable: ${text}`),
      ...faults,
    ]);
  if (met.length > 0) throw new GateFailure(met);
  const texts = judged.incomparable.map(({ text }) => `not comparable: ${text}`);
  if (options.notComparable === "warn") await noteAll(terminal, texts);
  else if (texts.length > 0) throw new NotComparable(texts);
}

function mayBeOf(project: string | undefined): (run: UnloadedRun) => boolean {
  return (run) => project === undefined || run.project === null || run.project === project;
}

/** Judges nothing: a run that is not in the database may be the latest. */
async function leaveUndetermined(
  left: readonly UnloadedRun[],
  flagged: FlaggedRequest,
  options: CiOptions,
  terminal: Terminal,
): Promise<void> {
  const incomparable = left.map((one): Incomparable => {
    return { reason: "not-loaded", evaluation: null, text: unloadedText(one) };
  });
  if (options.save !== undefined) throw new NotComparable(incomparable.map(({ text }) => text));
  const unasked = { ...flagged, request: {} };
  const nothing = await judge([], new Set(), NO_CANDIDATE, [], unasked, terminal.signal);
  const judged: Judged = { ...nothing, incomparable, judged: [], notJudged: [], looks: null };
  const project = options.project ?? left[0]?.project ?? "";
  await tell(judged, project, readJob(process.env), options, terminal);
  await conclude(judged, options, terminal);
}

/** Throws `RequestError` on a gate that the other options do not allow. */
function checkGates(gates: readonly (Gate | PairGate)[], { request }: FlaggedRequest) {
  refuseJudgeGates(gates.filter((gate) => gate.kind === "judge"));
  if (gates.some(({ kind }) => kind === "slice-regressed"))
    throw usageFault(
      ["--fail-on"],
      "slice-regressed needs compare with --by: a saved baseline has no inputs",
    );
  refuseWithoutMargin(gates, (request as CompareRequest).margin);
  return gates;
}

async function save(
  file: string,
  suites: readonly Suite[],
  { stdout }: Terminal,
): Promise<readonly string[]> {
  const tried = suites.filter(({ rows }) => rows.length > 0);
  if (tried.length === 0) throw new FileError(`there is no trial to save in ${file}`);
  await saveBaseline(file, tried);
  const rows = tried.reduce((sum, one) => sum + one.rows.length, 0);
  const { size } = await stat(file);
  await print(
    stdout,
    `${file}: ${counted(tried.length, "evaluation")}, ${counted(rows, "row")}, ${size} bytes\n`,
  );
  return tried.map(({ id }) => id);
}

/** Gates that judge a run without any score. */
const WITHOUT_SCORE = new Set<string>(["errors", "usage", "coverage", "dataset-changed"]);

/** Compares candidates with the baseline, and judges the gates; what cannot be compared is told. */
export async function judge(
  candidates: readonly Suite[],
  leftOut: ReadonlySet<string>,
  found: Awaited<ReturnType<typeof findBaseline>>,
  gates: readonly (Gate | PairGate)[],
  flagged: FlaggedRequest,
  signal: AbortSignal,
): Promise<Omit<Judged, keyof JudgedNames | "looks">> {
  const baseline = "reason" in found ? null : found;
  checkNames(flagged, [...candidates, ...(baseline?.suites ?? [])]);
  const asked = flagged.request as CompareRequest;
  const { pairs, incomparable, notes } = pairSuites(candidates, baseline?.suites ?? null, leftOut, asked);
  const tried = candidates.filter(({ rows }) => rows.length > 0);
  const needsScore = gates.some(({ kind }) => !WITHOUT_SCORE.has(kind));
  const faults = candidates.flatMap((one) => failureOf(one, needsScore) ?? []);
  const { openEngine } = await import("../on-use/on-use.ts");
  const engine = await openEngine();
  try {
    const loaded = await loadPairs(engine, tried, pairs, flagged);
    const compared = await comparePairs(engine, loaded, flagged, signal);
    const { flakiness, judged } = await judgePairs(engine, gates, loaded, compared, signal);
    const { fault, notes: left } = undirected(gates, compared);
    const directionless: Incomparable[] =
      fault === null ? [] : [{ reason: "direction", evaluation: null, text: fault }];
    const all = [...("reason" in found ? [found] : []), ...incomparable, ...directionless];
    return {
      baseline,
      loaded,
      compared,
      flakiness,
      gates: judged,
      incomparable: candidates.length === 0 ? [NO_CANDIDATE] : all,
      faults,
      notes: baseline === null ? [] : [...notes, ...left],
    };
  } finally {
    await engine.close();
  }
}

const NO_CANDIDATE: Incomparable = {
  reason: "no-candidate",
  evaluation: null,
  text: "the project has no evaluation",
};

const NAMING = {
  scorers: "--scorer",
  lower_is_better: "--lower-is-better",
  higher_is_better: "--higher-is-better",
};

/** Throws `RequestError` on the name of a score that is nowhere. */
function checkNames({ request }: FlaggedRequest, suites: readonly Suite[]): void {
  const places = suites.flatMap(({ scores }) => scores.map(({ path }) => scorePlace(path)));
  if (places.length === 0) return;
  const members = request as Record<string, readonly string[] | undefined>;
  for (const [member, flag] of Object.entries(NAMING))
    for (const [i, name] of (members[member] ?? []).entries())
      if (!places.some((one) => isAmong(one, [name]))) throw unknownScore([flag, i], name, suites);
  const paths = suites.flatMap(({ scores }) => scores.map(({ path }) => path));
  const { count_errors_as: errors, count_nulls_as: nulls } = request as CompareRequest;
  for (const [flag, as] of [["--count-errors-as", errors] as const, ["--count-nulls-as", nulls] as const])
    for (const name of typeof as === "object" ? Object.keys(as ?? {}) : [])
      if (!paths.some((path) => isNamed(path, name))) throw unknownScore([flag], name, suites);
}
