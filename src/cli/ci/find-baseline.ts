import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { findEvaluation } from "../../request/find-evaluation.ts";
import { shortCommit } from "../../model/labels.ts";
import { withReader } from "../options/database.ts";
import { usageFault } from "../../request/meaningless.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { baselineAmong, othersThan, type Runs, unfinished } from "./find-runs.ts";
import type { Job } from "./job.ts";
import { findKept, mergeBase } from "./kept-file.ts";
import type { Incomparable } from "./pair-suites.ts";
import { nameOf, type ReadFrom, readSuites } from "./read-suites.ts";
import { readBaseline } from "./saved-baseline.ts";
import type { Suite } from "./suite.ts";

/** What candidates are compared with. */
export interface Baseline {
  /** Where it was found, in words. */
  readonly place: string;
  readonly suites: readonly Suite[];
  /** What a reader should know of it. */
  readonly notes: readonly string[];
}

/** Why there is none. */
interface Missing {
  readonly missing: string;
  /** Whether there is one that the job of a pull request cannot trust, so that no other may stand for it. */
  readonly isUnknown?: true;
}

/** What a baseline is searched with. */
export interface Search {
  readonly place: ReadFrom;
  readonly runs: Runs;
  readonly job: Job;
  readonly terminal: Terminal;
  /** Whether files are taken as the checkout has them. */
  readonly fromHead: boolean;
}

const SAVED = "evals.baseline.parquet";

/**
 * The baseline that is named, or that of the first usual place that has one; otherwise why nothing can be compared.
 * Throws `RequestError` on a name that stands for none, and on a file that is none.
 */
export async function findBaseline(
  search: Search,
  named: string | undefined,
): Promise<Baseline | Incomparable> {
  const { job } = search;
  const places = named === undefined ? [SAVED, "merge-base", `branch:${job.base}`] : [named];
  const tried: string[] = [];
  for (const text of places) {
    const found = await findAt(search, text);
    if ("suites" in found) return found;
    if (found.isUnknown === true) return { reason: "merge-base", evaluation: null, text: found.missing };
    tried.push(found.missing);
  }
  const text = `no baseline was found: ${tried.join("; ")}. On the main branch, evalcube ci --save evals.baseline.parquet writes one`;
  return { reason: "no-baseline", evaluation: null, text };
}

async function findAt(search: Search, text: string): Promise<Baseline | Missing> {
  const { job, runs } = search;
  const [, kind, value = ""] = /^(branch|commit):(.+)$/s.exec(text) ?? [];
  const ofBranch = runs.others.filter(({ branch }) => branch === value);
  if (kind === "branch") return await inDatabase(search, `branch ${value}`, ofBranch);
  const base = text === "merge-base" ? await mergeBase(job) : null;
  const commit = kind === "commit" ? value : base;
  if (commit !== null) {
    const list = runs.others.filter((one) => one.commit?.startsWith(commit));
    const said = base === null ? "" : ", the merge base";
    return await inDatabase(search, `commit ${shortCommit(commit)}${said}`, list);
  }
  if (text === "merge-base")
    return { missing: `the history at hand has no merge base with ${job.base}${deeper(job)}` };
  const there = await stat(text).catch(() => null);
  if (there?.isDirectory() === true) return await inFolder(search, text);
  if (there?.isFile() === false) throw usageFault(["--baseline"], `${text} is no regular file`);
  if (/\.parquet$/i.test(text)) return await inFile(search, text, inSaved);
  if (/\.duckdb$/i.test(text)) return await inFile(search, text, inOtherDatabase);
  if (there === null && /[/\\]$/.test(text)) return { missing: `there is no ${text}` };
  // A name means its latest of the others, but runs are counted as everywhere.
  const found = findEvaluation(text, /~\d+$/.test(text) ? runs.all : runs.others);
  const entries = runs.others.filter(({ id }) => "id" in found && id === found.id);
  if ("fault" in found && !("id" in findEvaluation(text, runs.candidates)))
    throw usageFault(["--baseline"], found.fault);
  if ("fault" in found || entries.length === 0)
    throw usageFault(["--baseline"], `${JSON.stringify(text)} is what is judged`);
  const notes = [...(found.note === null ? [] : [found.note]), ...unfinished(entries)];
  return { place: text, suites: await readSuites(search.place, entries), notes };
}

async function inFolder(search: Search, folder: string): Promise<Baseline | Missing> {
  const names = (await readdir(folder)).filter((name) => /\.(parquet|duckdb)$/i.test(name)).toSorted();
  const [only, ...others] = names;
  if (only === undefined) return { missing: `there is no .parquet and no .duckdb file in ${folder}` };
  if (others.length === 0) return await findAt(search, path.join(folder, only));
  throw usageFault(["--baseline"], `${folder} holds several files; name one of ${names.join(", ")}`);
}

type Read = (search: Search, file: string, shown: string) => Promise<Baseline | Missing>;

/** A file that git keeps is read as it was before the pull request. */
async function inFile(search: Search, file: string, read: Read): Promise<Baseline | Missing> {
  const { job, fromHead } = search;
  const kept = fromHead ? ACCEPTED : await findKept(file, job);
  const noted = (found: Baseline | Missing) =>
    "suites" in found ? { ...found, notes: [...found.notes, ...kept.notes] } : found;
  if (kept.as === "it-was") {
    const place = `${file} at the merge base ${shortCommit(kept.commit)}`;
    if (kept.bytes === null) return { missing: `there is no ${place}` };
    return noted(await inCopy(kept.bytes, (copy) => read(search, copy, place)));
  }
  if ((await stat(file).catch(() => null)) === null) return { missing: `there is no ${file}` };
  if (kept.as === "it-is" || job.deepening === null) return noted(await read(search, file, file));
  const why = `the history at hand does not tell ${file} at the merge base with ${job.base}, and the pull request may have changed it`;
  return {
    missing: `${why}${deeper(job)}, and --baseline-from-head takes the file as it is`,
    isUnknown: true,
  };
}

const ACCEPTED = {
  as: "it-is",
  notes: [
    "the file of the baseline is as the checkout has it, which may have changed it (--baseline-from-head)",
  ],
} as const;

/** What to do for more history; empty where this is no job of a pull request. */
function deeper({ deepening }: Job): string {
  return deepening === null ? "" : `; a whole clone has it ("${deepening}")`;
}

/** Lets `read` have bytes as a file. */
async function inCopy<T>(bytes: Buffer, read: (copy: string) => Promise<T>): Promise<T> {
  const { inTemporaryFile } = await import("../on-use/on-use.ts");
  return await inTemporaryFile(async (copy) => {
    await writeFile(copy, bytes);
    return await read(copy);
  });
}

async function inSaved(_: Search, file: string, shown: string): Promise<Baseline> {
  return { place: shown, suites: await readBaseline(file, shown), notes: [] };
}

async function inOtherDatabase(
  { place, runs, terminal }: Search,
  file: string,
  shown: string,
): Promise<Baseline | Missing> {
  return await withReader(terminal, file, async (engine) => {
    const list = await engine.listEvaluations(place.project);
    const others = othersThan(runs.candidates, list);
    return await inDatabase({ place: { ...place, engine }, runs }, shown, others);
  });
}

/** The latest evaluations that have a value, of each name. */
async function inDatabase(
  { place, runs }: Pick<Search, "place" | "runs">,
  where: string,
  list: Runs["others"],
): Promise<Baseline | Missing> {
  const entries = baselineAmong(runs.candidates, list);
  if (entries.length === 0)
    return { missing: `there is no finished evaluation of the same name that has a value in ${where}` };
  const suites = await readSuites(place, entries);
  const wanted = new Set(runs.candidates.map(nameOf));
  const isEmpty = ({ name, scores }: Suite) => scores.length === 0 && wanted.has(name);
  const empty = new Set(suites.filter(isEmpty).map(({ id }) => id));
  if (empty.size === 0) return { place: where, suites, notes: [] };
  const others = list.filter(({ id }) => !empty.has(id));
  return await inDatabase({ place, runs }, where, others);
}
