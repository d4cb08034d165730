import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
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

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

async function readGit(folder: string): Promise<Checkout> {
  const commit = await git(folder, "rev-parse", "--verify", "HEAD");
  // Of a checkout of a commit alone there is none.
  const branch = await git(folder, "symbolic-ref", "--short", "HEAD");
  return {
    ...(commit === null ? {} : { commit: String(commit).trim() }),
    ...(branch === null ? {} : { branch: String(branch).trim() }),
  };
}

const run = promisify(execFile);
const MOST_BYTES = 2 ** 30;

/** What git prints in a folder; null where it fails, or there is no git. */
export async function git(folder: string, ...args: readonly string[]): Promise<Buffer | null> {
  const options = { cwd: folder, encoding: "buffer", maxBuffer: MOST_BYTES } as const;
  return await run("git", args, options).then(
    ({ stdout }) => stdout,
    () => null,
  );
}
