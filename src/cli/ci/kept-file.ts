import path from "node:path";
import { git, MOST_BYTES, repositoryOf } from "../../programs/git.ts";
import { realFolder } from "../../programs/start-program.ts";
import { usageFault } from "../../request/meaningless.ts";
import type { Job } from "./job.ts";

/** As what a file is read, and what a reader should know of that. */
type KeptFile = { readonly notes: readonly string[] } & (
  | { readonly as: "it-is" }
  /** As it was at the merge base; `bytes` is null where it was not there. */
  | { readonly as: "it-was"; readonly commit: string; readonly bytes: Buffer | null }
  /** Nothing tells how it was. */
  | { readonly as: "unknown" }
);

/** What git says of a file that a command was given. Throws `RequestError` where it was too large at the merge base. */
export async function findKept(file: string, job: Job): Promise<KeptFile> {
  const { dir, base } = path.parse(path.resolve(file));
  const [folder, here] = [realFolder(dir), realFolder(process.cwd())];
  const [own, top] = [repositoryOf(folder), repositoryOf(here)];
  const name = path.relative(top ?? here, path.join(folder, base));
  const isOutside = path.isAbsolute(name) || name.startsWith(`..${path.sep}`);
  const isOther = own !== null && own !== top;
  const notes = isOther ? [`${file} lies in another repository than the working folder`] : [];
  const commit = isOutside || top === null ? null : await mergeBase(job);
  const before = commit === null ? null : await entryAt(commit, name);
  if (commit !== null && isEntry(before)) {
    const bytes = await bytesOf(file, before);
    return bytes === null ? unknown(file, job) : { as: "it-was", commit, bytes, notes };
  }
  if (isOther || isOutside) return { as: "it-is", notes };
  const now = await entryAt("HEAD", name);
  if (now === "none") return { as: "it-is", notes };
  if (commit !== null && before === "none" && isEntry(now))
    return { as: "it-was", commit, bytes: null, notes };
  return top === null ? { as: "unknown", notes } : unknown(file, job);
}

function unknown(file: string, { base }: Job): KeptFile {
  const unreached = `the history at hand does not reach the merge base with ${base}`;
  return {
    as: "unknown",
    notes: [`${unreached}: ${file} is as the checkout has it, which may have changed it`],
  };
}

interface Entry {
  readonly id: string;
  readonly size: number;
}

function isEntry(one: Entry | "none" | null): one is Entry {
  return one !== null && one !== "none";
}

async function bytesOf(file: string, { id, size }: Entry): Promise<Buffer | null> {
  // The size of a missing object is no number.
  if (size > MOST_BYTES)
    throw usageFault(["--baseline"], `${file} has more than 1 GiB at the merge base, the most of a baseline`);
  return await git("cat-file", "blob", id);
}

/** A file at a commit, by its name from the top on; null where git fails. */
async function entryAt(commit: string, name: string): Promise<Entry | "none" | null> {
  const slashed = name.replaceAll(path.sep, "/");
  const listed = await git("ls-tree", "-z", "-l", "--full-tree", commit, "--", slashed);
  if (listed === null) return null;
  const [, id = "", size] = /^100\d{3} blob ([0-9a-f]+) +(\S+)\t/.exec(listed.toString()) ?? [];
  return id === "" ? "none" : { id, size: Number(size) };
}

/**
 * The commit at which a checkout left the branch of a job, or one of its commits; null where the history at hand does
 * not tell, as that of a shallow clone in the job of a pull request.
 */
export async function mergeBase({ base, commits, deepening }: Job): Promise<string | null> {
  const isShallow = deepening !== null && (await git("rev-parse", "--is-shallow-repository"))?.toString();
  if (isShallow === "true\n") return null;
  for (const ref of [`refs/remotes/origin/${base}`, `refs/heads/${base}`, ...commits]) {
    const found = await git("merge-base", ref, "HEAD");
    if (found !== null) return found.toString().trim();
  }
  return null;
}
