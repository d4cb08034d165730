import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import type { Engine, EvaluationRun, Summary } from "../../index.ts";
import { RequestError } from "../../errors.ts";
import { oneLine } from "../../model/plain-line.ts";
import { findEvaluation, PREVIOUS } from "../../request/find-evaluation.ts";
import { usageFault } from "../../request/meaningless.ts";
import { EvalcubeCommand, type ProjectOptions } from "../options/options.ts";
import type { PricesOption } from "../request/prices.ts";
import type { CountAs } from "../request/request-options.ts";
import { note, noteAll, print, type Terminal } from "../terminal/terminal.ts";
import type { JudgedAlone } from "../gates/judge-alone.ts";
import { compareCommand } from "./compare.ts";

export interface RunOptions extends ProjectOptions, PricesOption {
  readonly costs?: true;
  readonly name?: string;
  readonly baseline: string;
  readonly git: boolean;
  readonly trials?: number;
  readonly concurrency?: number;
  readonly limit?: number;
  readonly filter?: readonly string[];
  readonly retries?: number;
  readonly resume?: true;
  readonly failOn?: readonly string[];
  readonly by?: readonly string[];
  readonly byOf?: string;
  readonly margin?: number;
  readonly countErrorsAs?: CountAs;
  readonly countNullsAs?: CountAs;
  readonly format: "text" | "table" | "json";
  readonly notComparable: "fail" | "warn";
}

/** What was run, and in which project. */
export interface Ran {
  readonly project: string;
  /** What to compare with: `previous`, or an id. */
  readonly baseline: string;
  /** Those of the evaluations that can be compared with it. */
  readonly compared: readonly string[];
  /** Of each evaluation that ran nothing, failed in all trials, or has no score, a sentence that says so. */
  readonly failed: readonly string[];
  /** What gates say of those that are compared with nothing. */
  readonly alone: JudgedAlone;
  /** `attributes.run` of the evaluations that do not name one themselves. */
  readonly run: string;
  readonly runs: readonly EvaluationRun[];
  readonly summary: Summary | null;
}

/** `--baseline none`. */
export const NONE = "none";

export async function judgeRun(ran: Ran, options: RunOptions, terminal: Terminal): Promise<void> {
  const { failOn: gates = [] } = options;
  if (ran.compared.length === 0) return;
  await compareAll(ran, options, terminal).catch(async (error: unknown) => {
    const unlike = error instanceof RequestError && /^--(baseline|candidate)$/.test(String(error.path[0]));
    // Nobody asked for this comparison, and what ran is stored.
    if (!unlike || options.baseline !== PREVIOUS || gates.length > 0) throw error;
    await note(terminal, `not compared with the run before: ${error.issues[0]?.msg}\n`);
  });
}

/** Prints what was run and compared as one JSON object, whatever the gates say. */
export async function judgeAsJson(ran: Ran, options: RunOptions, terminal: Terminal): Promise<void> {
  const stdout = new PassThrough();
  const compared = textOf(stdout);
  try {
    await judgeRun(ran, options, { ...terminal, stdout });
  } finally {
    stdout.end();
    const comparison = (await compared).trim() || "null";
    const told = JSON.stringify({ run: ran.run, runs: ran.runs, summary: ran.summary }).slice(0, -1);
    await print(terminal.stdout, `${told},"comparison":${comparison}}\n`);
  }
}

/** The evaluations that have a baseline; notes the others. */
export async function comparable(
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
export async function baselineOf(
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

/** As the command `compare` does it, with its texts, its gates and its exit statuses. */
async function compareAll(
  { project, compared, baseline }: Ran,
  { db, failOn = [], by = [], byOf, margin, countErrorsAs, countNullsAs, prices, costs, format }: RunOptions,
  terminal: Terminal,
): Promise<void> {
  const program = new EvalcubeCommand().exitOverride();
  compareCommand(program, terminal);
  const fields = [
    ...by.flatMap((field) => ["--by", field]),
    ...(byOf === undefined ? [] : ["--by-of", byOf]),
  ];
  const gates = failOn.length === 0 ? [] : ["--fail-on", ...failOn];
  const names = ["--db", db, "--project", project, "--baseline", baseline, "--candidate", ...compared];
  const counted = [
    ...countFlags("--count-errors-as", countErrorsAs),
    ...countFlags("--count-nulls-as", countNullsAs),
  ];
  const spent = [
    ...(prices === undefined ? [] : ["--prices", prices]),
    ...(costs === true ? ["--costs"] : []),
  ];
  const within = margin === undefined ? [] : ["--margin", String(margin)];
  const flags = [...names, "--format", format, ...gates, ...fields, ...within, ...counted, ...spent];
  await program.parseAsync(["compare", ...flags], { from: "user" });
}

function countFlags(flag: string, as: CountAs | undefined): string[] {
  if (as === undefined) return [];
  if (typeof as === "number") return [flag, String(as)];
  return [flag, ...Object.entries(as).map(([name, number]) => `${name}=${number}`)];
}
