import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { findEvaluation } from "../../request/find-evaluation.ts";
import { shortCommit } from "../../model/labels.ts";
import { withReader } from "../options/database.ts";
import { usageFault } from "../../request/meaningless.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { git } from "../../runners/checkout.ts";
import { baselineAmong, othersThan, type Runs, unfinished } from "./find-runs.ts";
import type { Job } from "./job.ts";
import { type Place, readSuites } from "./read-suites.ts";
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
}

/** What a baseline is searched with. */
export interface Search {
  readonly place: Place;
  readonly runs: Runs;
  readonly job: Job;
  readonly terminal: Terminal;
}

const SAVED = "evals.baseline.parquet";

/** The baseline that is named, or that of the first usual place that has one; otherwise what was tried. Throws `RequestError` on a name that stands for none. */
export async function findBaseline(
  search: Search,
  named: string | undefined,
): Promise<Baseline | { readonly tried: readonly string[] }> {
  const places = named === undefined ? [SAVED, "merge-base", `branch:${search.job.base}`] : [named];
  const tried: string[] = [];
  for (const text of places) {
    const found = await findAt(search, text);
    if ("suites" in found) return found;
    tried.push(found.missing);
  }
  return { tried };
}

async function findAt(search: Search, text: string): Promise<Baseline | Missing> {
  const { job, runs } = search;
  const [, kind, value = ""] = /^(branch|commit):(.+)$/s.exec(text) ?? [];
  const ofBranch = runs.others.filter(({ branch }) => branch === value);
  if (kind === "branch") return await inDatabase(search, `branch ${value}`, ofBranch);
  const base = text === "merge-base" ? await mergeBase(".", job.base, job.commits) : null;
  const commit = kind === "commit" ? value : base;
  if (commit !== null) {
    const list = runs.others.filter((one) => one.commit?.startsWith(commit));
    const said = base === null ? "" : ", the merge base";
    return await inDatabase(search, `commit ${shortCommit(commit)}${said}`, list);
  }
  if (text === "merge-base") return { missing: `the history at hand has no merge base with ${job.base}` };
  const there = await stat(text).catch(() => null);
  if (there?.isDirectory() === true) return await inFolder(search, text);
  if (/\.parquet$/i.test(text)) return await inFile(search, text);
  if (there === null && /(\.duckdb|[/\\])$/i.test(text)) return { missing: `there is no ${text}` };
  if (/\.duckdb$/i.test(text)) return await inOtherDatabase(search, text);
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

/** A file that git keeps is read as it was before the pull request. */
async function inFile({ job }: Search, file: string): Promise<Baseline | Missing> {
  const folder = path.dirname(path.resolve(file));
  const kept = await isKept(file);
  const commit = kept ? await mergeBase(folder, job.base, job.commits) : null;
  if (commit === null) {
    if ((await stat(file).catch(() => null)) === null) return { missing: `there is no ${file}` };
    const note = `the history at hand does not reach the merge base with ${job.base}: ${file} is as the pull request has it, which may have changed it`;
    return { place: file, suites: await readBaseline(file, file), notes: kept ? [note] : [] };
  }
  const place = `${file} at the merge base ${shortCommit(commit)}`;
  const bytes = await fileAt(file, commit);
  if (bytes === null) return { missing: `there is no ${place}` };
  const { inTemporaryFile } = await import("../on-use/on-use.ts");
  const suites: Suite[] = [];
  await inTemporaryFile(async (temporary) => {
    await writeFile(temporary, bytes);
    suites.push(...(await readBaseline(temporary, place)));
  });
  return { place, suites, notes: [] };
}

async function inOtherDatabase({ place, runs, terminal }: Search, file: string): Promise<Baseline | Missing> {
  return await withReader(terminal, file, async (engine) => {
    const list = await engine.listEvaluations(place.project);
    const others = othersThan(runs.candidates, list);
    return await inDatabase({ place: { ...place, engine }, runs }, file, others);
  });
}

async function inDatabase(
  { place, runs }: Pick<Search, "place" | "runs">,
  where: string,
  list: Runs["others"],
): Promise<Baseline | Missing> {
  const entries = baselineAmong(runs.candidates, list);
  if (entries.length === 0)
    return { missing: `there is no finished evaluation of the same name in ${where}` };
  return { place: where, suites: await readSuites(place, entries), notes: [] };
}

/** The commit at which a checkout left a branch, or one of some commits; null where the history at hand does not tell. */
async function mergeBase(folder: string, branch: string, commits: readonly string[]): Promise<string | null> {
  for (const ref of [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`, ...commits]) {
    const found = await git(folder, "merge-base", ref, "HEAD");
    if (found !== null) return found.toString().trim();
  }
  return null;
}

/** Whether git keeps a file. */
async function isKept(file: string): Promise<boolean> {
  const { dir, base } = path.parse(path.resolve(file));
  return (await git(dir, "ls-files", "--error-unmatch", "--", base)) !== null;
}

/** A file as it was at a commit; null where it was not there. */
async function fileAt(file: string, commit: string): Promise<Buffer | null> {
  const { dir, base } = path.parse(path.resolve(file));
  return await git(dir, "show", `${commit}:./${base}`);
}
