import path from "node:path";
import { git } from "../../runners/checkout.ts";

/** The commit at which a checkout left a branch, or one of some commits; null where the history at hand does not tell. */
export async function mergeBase(
  folder: string,
  branch: string,
  commits: readonly string[],
): Promise<string | null> {
  for (const ref of [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`, ...commits]) {
    const found = await git(folder, "merge-base", ref, "HEAD");
    if (found !== null) return found.toString().trim();
  }
  return null;
}

/** Whether git keeps a file. */
export async function isKept(file: string): Promise<boolean> {
  const { dir, base } = path.parse(path.resolve(file));
  return (await git(dir, "ls-files", "--error-unmatch", "--", base)) !== null;
}

/** A file as it was at a commit; null where it was not there. */
export async function fileAt(file: string, commit: string): Promise<Buffer | null> {
  const { dir, base } = path.parse(path.resolve(file));
  return await git(dir, "show", `${commit}:./${base}`);
}
