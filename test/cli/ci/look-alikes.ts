import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "./runs.ts";

/** What is planted in a folder. */
export type Kind = "a repository" | "a .git file" | "a bare repository of plain files" | "half a .git";
export const KINDS: readonly Kind[] = [
  "a repository",
  "a .git file",
  "a bare repository of plain files",
  "half a .git",
];

/** Places where things leave a mark once they run. */
export interface Trap {
  /** A folder that a run of anything planted leaves a file in. */
  readonly marks: string;
  /** A folder for repositories that `.git` files lead to, and for programs. */
  readonly store: string;
}

/** The names of what ran. */
export function sprung({ marks }: Trap): string[] {
  return readdirSync(marks);
}

export function makeTrap(folder: string): Trap {
  const trap = { marks: join(folder, "marks"), store: join(folder, "store") };
  for (const one of Object.values(trap)) mkdirSync(one, { recursive: true });
  return trap;
}

/** A line of a shell that leaves a mark. */
function mark({ marks }: Trap, name: string): string {
  return `touch ${join(marks, name)}`;
}

const PROGRAMS = ["git", "xdg-open", "open", "sh", "ssh", "cat", "less", "node"];
const HOOKS = [
  "post-checkout",
  "post-index-change",
  "pre-auto-gc",
  "reference-transaction",
  "fsmonitor-watchman",
];
const ALIASES = ["cat-file", "ls-tree", "merge-base", "rev-parse", "show", "status", "symbolic-ref"];

/** Writes programs of names that a command may start into a folder. */
export function plantPrograms(folder: string, trap: Trap): void {
  mkdirSync(folder, { recursive: true });
  for (const name of PROGRAMS) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n/usr/bin/${mark(trap, `program-${name}`)}\n`);
    chmodSync(file, 0o755);
  }
}

/** A configuration of git in which whatever can name a program names one that leaves a mark. */
function hostileConfig(trap: Trap, own: string): string {
  const runs = (name: string) => `"${mark(trap, name)} #"`;
  const hooks = join(trap.store, "hooks");
  return `
[core]
	repositoryformatversion = 1
	bare = false
	fsmonitor = ${runs(`fsmonitor-${own}`)}
	hooksPath = ${hooks}
	pager = ${runs("pager")}
	editor = ${runs("editor")}
	askPass = ${join(hooks, "post-checkout")}
	sshCommand = ${runs("ssh-command")}
	alternateRefsCommand = ${runs("alternate-refs")}
	attributesFile = ${join(trap.store, "attributes")}
	gitProxy = ${join(hooks, "post-checkout")}
[extensions]
	partialClone = origin
[remote "origin"]
	url = "ext::sh -c ${mark(trap, "ext").replaceAll(" ", "% ")}"
	promisor = true
	partialclonefilter = blob:none
	uploadpack = ${runs("upload-pack")}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[protocol "file"]
	allow = always
[credential]
	helper = ${runs("credential").replace('"', '"!')}
[diff]
	external = ${runs("diff-external")}
[diff "x"]
	textconv = ${runs("textconv")}
	command = ${runs("diff-command")}
[filter "x"]
	clean = ${runs("clean")}
	smudge = ${runs("smudge")}
	process = ${runs("filter-process")}
	required = true
[gpg]
	program = ${join(hooks, "post-checkout")}
[log]
	showSignature = true
[sequence]
	editor = ${runs("sequence")}
[pager]
${ALIASES.map((name) => `\t${name} = ${runs(`pager-${name}`)}`).join("\n")}
[alias]
${ALIASES.map((name) => `\t${name} = ${runs(`alias-${name}`).replace('"', '"!')}`).join("\n")}
[include]
	path = ${join(trap.store, "included")}
`;
}

/** Variables of git that name programs and repositories. */
export function hostileVariables(trap: Trap): Record<string, string> {
  const line = (name: string) => `${mark(trap, name)} #`;
  return {
    GIT_DIR: join(trap.store, "variables"),
    GIT_EXEC_PATH: join(trap.store, "programs"),
    GIT_EXTERNAL_DIFF: line("variable-diff"),
    GIT_SSH_COMMAND: line("variable-ssh"),
    GIT_ASKPASS: line("variable-askpass"),
    GIT_PAGER: line("variable-pager"),
    GIT_EDITOR: line("variable-editor"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: line("variable-fsmonitor"),
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${line("variable-parameters")}'`,
    PAGER: line("variable-pager"),
  };
}

/** Plants a look-alike in a folder, whose files it keeps; `own` names its marks. */
export function plant(kind: Kind, folder: string, own: string, trap: Trap): void {
  const { store } = trap;
  mkdirSync(join(store, "hooks"), { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(join(store, "hooks", hook), `#!/bin/sh\n${mark(trap, `hook-${hook}`)}\n`);
    chmodSync(join(store, "hooks", hook), 0o755);
  }
  writeFileSync(join(store, "attributes"), "* filter=x diff=x\n");
  writeFileSync(join(store, "included"), `[core]\n\tfsmonitor = "${mark(trap, "included")} #"\n`);
  plantPrograms(join(store, "programs"), trap);
  const config = hostileConfig(trap, own);
  const dot = join(folder, ".git");
  if (kind === "half a .git") {
    mkdirSync(dot, { recursive: true });
    writeFileSync(join(dot, "config"), config);
    return;
  }
  if (!existsSync(dot)) {
    git(folder, "init", "-q");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "one", "--allow-empty");
  }
  writeFileSync(join(dot, "config"), config);
  if (kind === "a repository") return;
  const to = kind === "a .git file" ? join(store, own) : folder;
  cpSync(dot, to, { recursive: true });
  rmSync(dot, { recursive: true });
  if (kind === "a .git file") writeFileSync(dot, `gitdir: ${to}\n`);
  else for (const empty of ["refs/x", "objects/x"]) writeFileSync(join(folder, empty), "");
}
