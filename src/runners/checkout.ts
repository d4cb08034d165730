import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { at } from "../model/json.ts";

/** The commit and the branch of code; absent where nothing tells. */
interface Checkout {
  readonly commit?: string;
  readonly branch?: string;
}

/** What the variables of a CI job say of the code that it runs, else the checkout around a file. */
export async function readCheckout(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Checkout> {
  // A job of a pull request runs a merge that is made for it.
  const sha = String(at(readEvent(env["GITHUB_EVENT_PATH"]), "pull_request", "head", "sha"));
  const head = isCommit(sha) ? sha : null;
  const merged = env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"];
  const commit = head || env["GITHUB_SHA"] || merged || env["CI_COMMIT_SHA"];
  const source = env["GITHUB_HEAD_REF"] || env["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"];
  const branch = source || env["GITHUB_REF_NAME"] || env["CI_COMMIT_REF_NAME"];
  const told = commit && branch ? {} : await readGit(path.dirname(path.resolve(file)));
  return { ...told, ...(commit ? { commit } : {}), ...(branch ? { branch } : {}) };
}

/** What a job on GitHub was started by; null where nothing tells. */
export function readEvent(file: string | undefined): unknown {
  try {
    return JSON.parse(readFileSync(file ?? "", "utf8"));
  } catch {
    return null;
  }
}

async function readGit(folder: string): Promise<Checkout> {
  const git = await findGit(folder);
  const head = git === null ? null : await textOf(path.join(git, "HEAD"));
  if (git === null || head === null) return {};
  const [, ref] = /^ref: (refs\/.+)$/.exec(head) ?? [];
  if (ref === undefined) return isCommit(head) ? { commit: head } : {};
  const branch = ref.replace(/^refs\/heads\//, "");
  const common = await textOf(path.join(git, "commondir"));
  const commit = await commitOf(ref, [git, ...(common === null ? [] : [path.resolve(git, common)])]);
  return commit === null ? { branch } : { branch, commit };
}

/** The folder of git's data of the checkout around a folder; of a worktree, `.git` is a file that names it. */
async function findGit(folder: string): Promise<string | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    if ((await textOf(path.join(git, "HEAD"))) !== null) return git;
    const [, other] = /^gitdir: (.+)$/.exec((await textOf(git)) ?? "") ?? [];
    if (other !== undefined) return path.resolve(at, other);
    if (path.dirname(at) === at) return null;
  }
}

async function commitOf(ref: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const loose = await textOf(path.join(folder, ref));
    if (loose !== null && isCommit(loose)) return loose;
    const packed = await textOf(path.join(folder, "packed-refs"));
    const line = packed?.split("\n").find((one) => one.endsWith(` ${ref}`));
    const [commit = ""] = line?.split(" ") ?? [];
    if (isCommit(commit)) return commit;
  }
  return null;
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

async function textOf(file: string): Promise<string | null> {
  return await readFile(file, "utf8").then(
    (text) => text.trim(),
    () => null,
  );
}
