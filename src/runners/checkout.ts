import { readFileSync } from "node:fs";
import path from "node:path";
import { at } from "../model/json.ts";
import { git, repositoryOf } from "../programs/git.ts";

/** The commit and the branch of code; absent where nothing tells. */
interface Checkout {
  readonly commit?: string;
  readonly branch?: string;
}

/**
 * What the variables of a CI job say of the code that it runs, else the checkout that a file and the working folder
 * share.
 */
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
  const isHere = repositoryOf(path.dirname(path.resolve(file))) === repositoryOf(process.cwd());
  const told = (commit && branch) || !isHere ? {} : await readGit();
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

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

async function readGit(): Promise<Checkout> {
  const commit = await git("rev-parse", "--verify", "HEAD");
  // A checkout of a bare commit has none.
  const branch = await git("symbolic-ref", "--short", "HEAD");
  return {
    ...(commit === null ? {} : { commit: String(commit).trim() }),
    ...(branch === null ? {} : { branch: String(branch).trim() }),
  };
}
