import { createHash } from "node:crypto";
import path from "node:path";
import { EvalcubeError } from "../errors.ts";
import type { EvaluationRun } from "../logging/api.ts";
import { createContext, evaluationFrom, newRun, type LoggingContext, type Run } from "../logging/run.ts";
import { beginRun, writeEnd } from "../logging/trials.ts";
import { logTogether } from "../logging/whole-trials.ts";
import { directionIn, directionsOf, statedDirections, type Directions } from "../model/direction.ts";
import type { JsonObject } from "../model/json.ts";
import { countOf, shellWord } from "../model/messages.ts";
import { oneLine } from "../model/plain-line.ts";
import { parseReference } from "../model/references.ts";
import { readCheckout } from "./checkout.ts";
import { keptName } from "./kept-runs.ts";
import { isService, type RunnerSettings } from "./options.ts";
import { createPatience, openSink, type Patience, type Sink } from "./sink.ts";
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
  /** Resolves when what was added to a suite is durable. */
  readonly save: (suite: Suite) => Promise<void>;
  /**
   * Writes what was added, and ends to all evaluations but those of suites under way; closes the database until more is
   * added.
   */
  readonly end: (underWay?: readonly Suite[]) => Promise<void>;
  /** What people are to read of the run: a line, and another one on trouble; nothing where nothing was added. */
  readonly lines: () => string;
}

/**
 * So long a trial waits for others, since a transaction costs as much as a hundred of them; whoever dies loses what
 * waits.
 */
const GATHERING_MS = 600;
/** So many do not wait. */
const MOST_GATHERED = 2000;

/** Where an open database takes calls. */
interface Place extends Sink {
  readonly context: LoggingContext;
  /** What is found out of the code. */
  readonly checkout: JsonObject;
}

/** An evaluation since the database was opened, and the trials that are to be written next. */
interface Open {
  readonly run: Promise<Run>;
  told: ToldTrial[];
  /** Which way is good, as what gave the scores says. */
  directions: Directions;
  /** Resolves when what was written of it is durable. */
  written: Promise<unknown>;
}

interface State {
  readonly settings: RunnerSettings;
  readonly runner: string;
  /** Says where refused calls go, and why; empty if the database takes all. */
  readonly spill: string;
  spilled: string;
  /** The files that calls went into, where they are complete. */
  readonly files: Set<string>;
  opening: { readonly patience: Patience; readonly place: Promise<Place> } | null;
  readonly open: Map<string, Open>;
  gathered: number;
  timer: NodeJS.Timeout | undefined;
  /** By id of the evaluation, what has become of it. */
  readonly ended: Map<string, Pick<EvaluationRun, "trials" | "errors">>;
  leftOut: number;
  readonly runs: Run[];
  /** Trials that the database had when calls began to go elsewhere. */
  storedBefore: number;
  readonly faults: string[];
}

/** `runner` is the name of a runner with its version. */
export function createRecorder(settings: RunnerSettings, runner: string): Recorder {
  const run = settings.attributes?.["run"];
  const spill = keptName(settings.beside, typeof run === "string" ? run : settings.run);
  const maps = { open: new Map(), ended: new Map(), faults: [], files: new Set<string>(), runs: [] };
  const none = { opening: null, spilled: "", gathered: 0, timer: undefined, leftOut: 0, storedBefore: 0 };
  const state: State = { settings, runner, spill, ...maps, ...none };
  return {
    add: (suite, read) => {
      try {
        add(state, suite, read());
      } catch (error) {
        note(state, error);
      }
    },
    save: async (suite) => {
      const calm = state.opening?.patience.hurry();
      await save(state, state.open.get(keyOf(suite)));
      calm?.();
    },
    end: (underWay = []) => end(state, new Set(underWay.map(keyOf))),
    lines: () => linesOf(state),
  };
}

function add(state: State, suite: Suite, told: ToldTrial): void {
  const key = keyOf(suite);
  const open = state.open.get(key) ?? opened(state, suite);
  state.open.set(key, open);
  state.leftOut += told.leftOut;
  open.told.push(told);
  const said = (told.higher ?? []).filter((name) => directionIn(state.settings.directions, [name]) === null);
  open.directions = { ...open.directions, ...directionsOf(said.map((name) => [name, true])) };
  state.gathered++;
  state.timer ??= setTimeout(() => writeAll(state), GATHERING_MS);
  if (state.gathered >= MOST_GATHERED) writeAll(state);
}

function keyOf({ file, name }: Suite): string {
  return JSON.stringify([file, name]);
}

function opened(state: State, suite: Suite): Open {
  const run = begin(state, suite);
  // Whoever awaits it reports its error.
  run.catch(() => undefined);
  return { run, told: [], directions: state.settings.directions, written: run };
}

function writeAll(state: State): void {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.gathered = 0;
  for (const open of state.open.values()) write(state, open);
}

function write(state: State, open: Open): void {
  const { run, told, written } = open;
  open.told = [];
  if (told.length > 0) open.written = Promise.all([written, log(state, run, told)]);
}

async function log(state: State, begun: Promise<Run>, told: readonly ToldTrial[]): Promise<void> {
  try {
    const run = await begun;
    // Until then nobody knows which trials an earlier run has stored.
    await run.opening;
    for (const error of await logTogether(run, told))
      if (!(error instanceof EvalcubeError && error.code === "already_logged")) note(state, error);
  } catch (error) {
    note(state, error);
  }
}

function note({ faults }: State, error: unknown): void {
  faults.push(error instanceof Error ? error.message : String(error));
}

/** Writes what waits of an evaluation. */
async function save(state: State, open: Open | undefined): Promise<void> {
  if (open === undefined) return;
  write(state, open);
  await open.written.catch((error: unknown) => note(state, error));
}

/** Writes what waits of an evaluation, and its end unless more of it is under way. */
async function settle(state: State, open: Open, isUnderWay: boolean): Promise<void> {
  try {
    write(state, open);
    await open.written;
    const run = await open.run;
    const own = { ...open.directions, ...statedDirections(run.evaluation.attributes) };
    const told = Object.keys(own).length === 0 ? {} : { directions: own };
    const ended = isUnderWay ? { ...run.counts } : await writeEnd(run, { status: "finished" }, {}, told);
    state.ended.set(run.evaluation.id, ended);
  } catch (error) {
    note(state, error);
  }
}

async function end(state: State, underWay: ReadonlySet<string>): Promise<void> {
  const { opening } = state;
  const calm = opening?.patience.hurry();
  writeAll(state);
  const settled = Promise.all(
    Array.from(state.open, ([key, open]) => settle(state, open, underWay.has(key))),
  );
  // What is added from now on opens the database again.
  state.opening = null;
  state.open.clear();
  await settled;
  try {
    const file = await (await opening?.place)?.close();
    if (file != null) state.files.add(file);
  } catch (error) {
    note(state, error);
  }
  calm?.();
}

async function begin(state: State, suite: Suite): Promise<Run> {
  const { project, run, root, directions, attributes: own, rowKey } = state.settings;
  const { place } = (state.opening ??= openPlace(state));
  const { context, checkout } = await place;
  const whole = suite.model || "unnamed";
  const model = parseReference(whole) === null ? whole.replace(/[/:\p{Cc}\p{Cs}]/gu, "-") : whole;
  const file = path.relative(root, path.resolve(root, suite.file)).replaceAll(path.sep, "/");
  const id = idOf([run, file, suite.name]);
  const told = { runner: state.runner, file, run, ...checkout, ...(model === whole ? {} : { model: whole }) };
  const options = {
    id,
    name: suite.name || file,
    model: { name: model },
    attributes: { ...told, ...own },
    directions,
  };
  const evaluation = evaluationFrom(project, options, context.store.conventions);
  const silent = { onWarning: () => undefined, onStored: () => undefined };
  const begun = newRun(context, evaluation, silent, rowKey);
  beginRun(begun, true, true);
  state.runs.push(begun);
  return begun;
}

/** A runner whose service has gone ends with status 1. */
function tellSpilled(state: State, reason: string): void {
  if (state.spilled !== "") return;
  state.spilled = reason;
  state.storedBefore = state.runs.reduce((sum, { counts }) => sum + counts.trials, 0);
  if (isService(state.settings.db)) process.exitCode = 1;
}

function openPlace(state: State): NonNullable<State["opening"]> {
  const { settings, spill } = state;
  const { db, beside, root } = settings;
  const patience = createPatience(db);
  const sinking = openSink(db, spill, patience, (reason) => tellSpilled(state, reason), beside);
  const reading = readCheckout(path.join(root, "package.json"), process.env);
  const place = Promise.all([sinking, reading]).then(([sink, checkout]) => ({
    ...sink,
    context: createContext(sink.store),
    checkout: { ...checkout },
  }));
  return { patience, place };
}

/** The same for the same run, file and name, so that a run can go on. */
function idOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function linesOf(state: State): string {
  const { settings, ended, spill, spilled, files, leftOut, faults } = state;
  if (ended.size + faults.length === 0) return "";
  const { db, project, run } = settings;
  const sum = (count: (one: Pick<EvaluationRun, "trials" | "errors">) => number) =>
    Array.from(ended.values(), count).reduce((total, one) => total + one, 0);
  const left = leftOut === 0 ? "" : `, ${countOf(leftOut, "value")} left out`;
  const figures = `${countOf(ended.size, "evaluation")}, ${countOf(
    sum(({ trials }) => trials),
    "trial",
  )}, ${sum(({ errors }) => errors)} in error${left}`;
  const names = files.size === 0 ? [spill] : [...files];
  const load = `evalcube ingest --db ${shellWord(db)} ${names.map(shellWord).join(" ")}`;
  const first =
    spilled === ""
      ? `${figures} → ${db} (${project})`
      : `${figures} → ${names.join(", ")} (${project}); ${spilled}; ${goneOn(state)}load them with: ${load}`;
  const [fault, ...others] = faults;
  const isQuiet = process.env["EVALCUBE_QUIET"] === "1" && spilled === "";
  if (fault === undefined) return isQuiet ? "" : lineOf(first);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${lineOf(first)}${lineOf(`not all is stored: ${fault}${more}; run again with EVALCUBE_RUN=${shellWord(run)} to store what is missing`)}`;
}

/** Of a service: what it has, and how to go on. */
function goneOn({ settings: { db, run }, storedBefore }: State): string {
  if (!isService(db)) return "";
  const stored = `${countOf(storedBefore, "trial")} ${storedBefore === 1 ? "is" : "are"} stored`;
  return `${stored}, go on with EVALCUBE_RUN=${shellWord(run)}, or `;
}

function lineOf(text: string): string {
  return `evalcube: ${oneLine(text)}\n`;
}
