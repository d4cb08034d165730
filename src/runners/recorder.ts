import { createHash } from "node:crypto";
import path from "node:path";
import { EvalcubeError } from "../errors.ts";
import type { EvaluationRun } from "../logging/api.ts";
import { createOutbox, type Outbox } from "../logging/outbox.ts";
import { evaluationFrom, newRun, type Run } from "../logging/run.ts";
import { beginRun, logWhole, writeEnd } from "../logging/trials.ts";
import type { JsonObject } from "../model/json.ts";
import { parseReference } from "../model/references.ts";
import { readCheckout } from "./checkout.ts";
import type { RunnerSettings } from "./options.ts";
import { openSink, type Sink } from "./sink.ts";
import type { ToldTrial } from "./told.ts";

/** What becomes an evaluation. */
export interface Suite {
  /** Its file, absolute or from the root. */
  readonly file: string;
  readonly name: string;
  /** The name of its model, as the first trial says; undefined where nothing does. */
  readonly model?: string | undefined;
}

/** Stores one run of a runner. Nothing of it throws or rejects, nor keeps the runner from ending. */
export interface Recorder {
  readonly add: (suite: Suite, read: () => ToldTrial) => void;
  /** Resolves when what was added to a suite is durable, and its evaluation has an end; more may be added. */
  readonly settle: (suite: Suite) => Promise<void>;
  /** Settles all suites and closes the database, until more is added. */
  readonly end: () => Promise<void>;
  /** What people are to read of the run: a line, and another one on trouble; nothing where nothing was added. */
  readonly lines: () => string;
}

/** So long a trial waits for others, to be written with them; and so long a runner waits for a slow disk. */
const GATHERING_MS = 600;
const PATIENCE_MS = 60_000;

interface Place extends Sink {
  readonly outbox: Outbox;
  /** What is found out of the code. */
  readonly checkout: JsonObject;
}

interface State {
  readonly settings: RunnerSettings;
  readonly runner: string;
  /** Where calls go that the database does not take, and why; empty where it takes all. */
  readonly spill: string;
  spilled: string;
  place: Promise<Place> | null;
  /** By id of the evaluation, since the database was opened, and what has become of it. */
  readonly runs: Map<string, Promise<Run>>;
  readonly ended: Map<string, EvaluationRun>;
  leftOut: number;
  readonly faults: string[];
}

/** `runner` is the name of a runner with its version. */
export function createRecorder(settings: RunnerSettings, runner: string): Recorder {
  const spill = `${settings.db}.${settings.run.replace(/[^\w.-]/g, "-")}.ndjson`;
  const maps = { runs: new Map(), ended: new Map() };
  const state: State = { settings, runner, spill, spilled: "", place: null, ...maps, leftOut: 0, faults: [] };
  return {
    add: (suite, read) => void add(state, suite, read),
    settle: (suite) => inTime(state, settle(state, state.runs.get(idOf(state, suite)))),
    end: () => inTime(state, end(state)),
    lines: () => linesOf(state),
  };
}

async function add(state: State, suite: Suite, read: () => ToldTrial): Promise<void> {
  try {
    const { leftOut, ...trial } = read();
    state.leftOut += leftOut;
    await logWhole(await runOf(state, suite), trial);
  } catch (error) {
    // A trial that an earlier run stored without error stays as it is.
    if (!(error instanceof EvalcubeError && error.code === "already_logged")) note(state, error);
  }
}

function note({ faults }: State, error: unknown): void {
  faults.push(error instanceof Error ? error.message : String(error));
}

async function inTime(state: State, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the disk was too slow")), PATIENCE_MS);
  });
  await Promise.race([work, late]).catch((error: unknown) => note(state, error));
  clearTimeout(timer);
}

async function settle({ ended }: State, begun: Promise<Run> | undefined): Promise<void> {
  const run = await begun;
  if (run !== undefined) ended.set(run.evaluation.id, await writeEnd(run, { status: "finished" }));
}

async function end(state: State): Promise<void> {
  const { place } = state;
  const runs = [...state.runs.values()];
  // What is added from now on opens the database again.
  state.place = null;
  state.runs.clear();
  await Promise.all(runs.map((run) => settle(state, run)));
  await (await place)?.close();
}

function runOf(state: State, suite: Suite): Promise<Run> {
  const id = idOf(state, suite);
  const run = state.runs.get(id) ?? begin(state, suite, id);
  state.runs.set(id, run);
  return run;
}

async function begin(state: State, suite: Suite, id: string): Promise<Run> {
  const { project, run, root, attributes: own } = state.settings;
  const { store, outbox, checkout } = await (state.place ??= openPlace(state));
  const whole = suite.model || "unnamed";
  const model = parseReference(whole) === null ? whole.replace(/[/:\p{Cc}\p{Cs}]/gu, "-") : whole;
  const file = fileOf(root, suite);
  const told = { runner: state.runner, file, run, ...checkout, ...(model === whole ? {} : { model: whole }) };
  const options = { id, name: suite.name || file, model: { name: model }, attributes: { ...told, ...own } };
  const evaluation = evaluationFrom(project, options, store.conventions);
  const begun = newRun({ store, outbox }, evaluation, {
    onWarning: () => undefined,
    onStored: () => undefined,
  });
  beginRun(begun, true, true);
  return begun;
}

async function openPlace(state: State): Promise<Place> {
  const { db, root } = state.settings;
  const [checkout, sink] = await Promise.all([
    readCheckout(path.join(root, "package.json"), process.env),
    openSink(db, state.spill, (reason) => (state.spilled ||= reason)),
  ]);
  return { ...sink, outbox: createOutbox(sink.store.write, GATHERING_MS), checkout: { ...checkout } };
}

/** The same for the same run, file and name, so that a run can go on. */
function idOf({ settings: { run, root } }: State, suite: Suite): string {
  const parts = JSON.stringify([run, fileOf(root, suite), suite.name]);
  return createHash("sha256").update(parts).digest("base64url").slice(0, 22);
}

function fileOf(root: string, { file }: Suite): string {
  return path.relative(root, path.resolve(root, file)).replaceAll(path.sep, "/");
}

function linesOf({ settings, ended, spill, spilled, leftOut, faults }: State): string {
  if (ended.size + faults.length === 0) return "";
  const { db, project, run } = settings;
  const sum = (count: (one: EvaluationRun) => number) =>
    Array.from(ended.values(), count).reduce((total, one) => total + one, 0);
  const left = leftOut === 0 ? "" : `, ${counted(leftOut, "value")} left out`;
  const figures = `${counted(ended.size, "evaluation")}, ${counted(
    sum(({ trials }) => trials),
    "trial",
  )}, ${sum(({ errors }) => errors)} in error${left}`;
  const load = `evalcube ingest --db ${quoted(db)} ${quoted(spill)}`;
  const first =
    spilled === ""
      ? `${figures} → ${db} (${project})`
      : `${figures} → ${spill} (${project}); ${spilled}; load them with: ${load}`;
  const [fault, ...others] = faults;
  const isQuiet = process.env["EVALCUBE_QUIET"] === "1" && spilled === "";
  if (fault === undefined) return isQuiet ? "" : lineOf(first);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${lineOf(first)}${lineOf(`not all is stored: ${fault}${more}; run again with EVALCUBE_RUN=${quoted(run)} to store what is missing`)}`;
}

function lineOf(text: string): string {
  return `evalcube: ${text.replace(/\s+/g, " ")}\n`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** As a shell reads it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
