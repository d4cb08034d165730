import { lstatSync } from "node:fs";
import path from "node:path";
import { realFolder, runProgram } from "./start-program.ts";

/** What git is told before all files of configuration: nothing that they name runs. */
const SETTINGS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "core.pager=cat",
  "core.editor=:",
  "core.askPass=",
  "core.sshCommand=false",
  "core.alternateRefsCommand=true",
  "credential.helper=",
  "diff.external=",
  "gpg.program=false",
  "log.showSignature=false",
];

/** Variables that git finds its user, and the owner of folders, by. */
const KEPT = [
  "HOME",
  "XDG_CONFIG_HOME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "SYSTEMROOT",
  "SUDO_UID",
  "TMPDIR",
  "TEMP",
];

const VARIABLES = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "",
  GIT_EDITOR: ":",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "",
};

const MILLISECONDS = 20_000;
/** The largest file that is read out of a repository. */
export const MOST_BYTES = 2 ** 30;

/**
 * What git prints of the repository around the working folder; null where there is none, or git fails. Commands read
 * objects and references, and neither files of the checkout nor the index.
 */
export async function git(
  command: "cat-file" | "ls-tree" | "merge-base" | "rev-parse" | "symbolic-ref",
  ...args: readonly string[]
): Promise<Buffer | null> {
  const folder = realFolder(process.cwd());
  const top = repositoryOf(folder);
  if (top === null) return null;
  const kept = KEPT.map((name) => [name, process.env[name]] as const);
  // An unset variable is none; of the root nothing is above.
  const ceiling = path.dirname(top) === top ? undefined : path.dirname(top);
  return await runProgram(
    "git",
    ["--no-pager", ...SETTINGS.flatMap((setting) => ["-c", setting]), command, ...args],
    {
      folder,
      env: { ...Object.fromEntries(kept), ...VARIABLES, GIT_CEILING_DIRECTORIES: ceiling },
      milliseconds: MILLISECONDS,
      bytes: MOST_BYTES,
    },
  );
}

/**
 * The top of the repository that a folder belongs to: the nearest folder with a `.git`, be it a folder or a file that
 * leads elsewhere; null where there is none.
 */
export function repositoryOf(folder: string): string | null {
  for (let top = realFolder(folder); ; top = path.dirname(top)) {
    if (lstatSync(path.join(top, ".git"), { throwIfNoEntry: false }) !== undefined) return top;
    if (path.dirname(top) === top) return null;
  }
}
