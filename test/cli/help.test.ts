import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { program } from "../../src/cli/program.ts";
import { exampleCalls, ndjson, put, temporaryFolder } from "./command.ts";
import { PAGES, readPage } from "../docs/pages.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

function tree(): Command {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return program({ stdin, stdout, stderr, signal: new AbortController().signal });
}

/** Every command below the root, by the words that call it. */
function commandsBelow(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((one): [string, Command][] => {
    const own = [...path, one.name()];
    return [[own.join(" "), one], ...commandsBelow(one, own)];
  });
}

const commands = commandsBelow(tree());

/** The words of a command line as a shell reads them, up to a redirection. */
function words(line: string): string[] {
  const [command = ""] = line.split(" > ");
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

describe("help", () => {
  it.each(["", ...commands.map(([path]) => path)])(
    "of evalcube %s has an example that parses",
    async (path) => {
      const { status, stdout } = await evalcubeHere([...path.split(" ").filter(Boolean), "--help"]);
      expect(status).toBe(0);
      const [, shown = ""] = /\nExamples?:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
      const lines = shown.trimEnd().split("\n");
      const called = /(?:^|<\()evalcube (.*?)(?:\)| \| .*)?$/;
      for (const line of lines) {
        const args = words(called.exec(line.trim())?.[1] ?? "");
        expect(args.join(" "), line).toMatch(new RegExp(`^${path}`));
        const ran: string[] = [];
        const root = tree();
        for (const [name, one] of commandsBelow(root))
          if (one.commands.length === 0) one.action(() => void ran.push(name));
        await root.parseAsync(args, { from: "user" });
        expect(ran, line).toHaveLength(1);
      }
    },
  );

  it("tells the variables that stand for flags, and the flags of all commands", async () => {
    const { stdout } = await evalcubeHere(["query", "--help"]);
    for (const text of ["EVALCUBE_DB", "EVALCUBE_PROJECT", "--quiet", "--key-file"])
      expect(stdout).toContain(text);
  });
});

describe("docs/cli.md", () => {
  const sections = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8").split(/^## /m);

  it.each(tree().commands.map((one) => one.name()))(
    "has a section of %s with an example, and a line in its table",
    (name) => {
      const section = sections.find((text) => text.startsWith(`${name}\n`)) ?? "";
      expect(section).toMatch(new RegExp(`^\`\`\`(sh|console)\n(.*\n)*?.*evalcube ${name} `, "m"));
      expect(sections[0]).toContain(`| [\`${name}\`](#${name}) |`);
    },
  );

  it.each([["", tree()] as const, ...commands])(
    "and the other pages name every option of evalcube %s",
    (_, command) => {
      const named = new Set(PAGES.flatMap((page) => readPage(page).match(/--[a-z][a-z-]*/g) ?? []));
      const shown = command.createHelp().visibleOptions(command);
      expect(shown.map(({ long }) => long ?? "").filter((name) => !named.has(name))).toEqual([]);
    },
  );
});

describe("--quiet", () => {
  it("leaves out notes, before and after the name of the command, and no errors", async () => {
    const calls = put(folder, "calls.ndjson", ndjson([...exampleCalls(), { id: 1 }]));
    const db = join(folder, "quiet.duckdb");
    const load = ["ingest", "--db", db, "--skip-invalid", calls];
    expect((await evalcubeHere(load)).stderr).toMatch(/^note: /);
    expect(await evalcubeHere(["--quiet", ...load])).toMatchObject({ status: 0, stderr: "" });
    const out = join(folder, "copy.duckdb");
    expect(await evalcubeHere(["backup", "--db", db, "--out", out, "--quiet"])).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect((await evalcubeHere(["backup", "--db", db, "--out", out, "--quiet"])).stderr).toMatch(
      /^evalcube: /,
    );
    const table = [
      "query",
      "--db",
      db,
      "--evaluation",
      "good",
      "--sort",
      "scores.nobody",
      "--format",
      "table",
    ];
    expect((await evalcubeHere(table)).stderr).toMatch(/^note: .*nobody/);
    expect(await evalcubeHere([...table, "--quiet"])).toMatchObject({ status: 0, stderr: "" });
  });
});

/** What bash offers for the last of these words. */
async function offered(...typed: readonly string[]): Promise<string[]> {
  const { stdout } = await evalcubeHere(["completion", "bash"]);
  const script = put(folder, "completion.bash", stdout);
  const run = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _evalcube; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync("bash", ["--norc", "-c", run, "bash", script, "evalcube", ...typed], {
    cwd: folder,
    encoding: "utf8",
  });
  return printed.split("\n").filter(Boolean);
}

describe("completion", () => {
  it("of bash offers commands, and those below a command", async () => {
    expect(await offered("")).toEqual(expect.arrayContaining(tree().commands.map((one) => one.name())));
    expect(await offered("que")).toEqual(["query"]);
    expect(await offered("keys", "")).toEqual(expect.arrayContaining(["create", "list", "revoke"]));
    expect(await offered("keys", "r")).toEqual(["rotate", "revoke"]);
    expect(await offered("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  });

  it.each(commands)("of bash offers every option of %s", async (path, command) => {
    const options = command.options.map(({ long }) => long);
    expect(new Set(await offered(...path.split(" "), "--"))).toEqual(
      new Set([...options, "--quiet", "--key-file", "--help"]),
    );
  });

  it("of bash offers the values that an option takes", async () => {
    expect(await offered("compare", "--adjust", "")).toEqual(["holm", "benjamini-hochberg", "none"]);
    expect(await offered("query", "--db", "x", "--format", "t")).toEqual(["table"]);
    expect(await offered("query", "--format", "=", "j")).toEqual(["json"]);
    expect(await offered("query", "--format", "=")).toEqual(["json", "table"]);
    expect(await offered("query", "--limit", "")).toEqual([]);
  });

  it("of bash offers files where a file is wanted, also with blanks in their names", async () => {
    put(folder, "my calls.ndjson", "");
    mkdirSync(join(folder, "my folder"));
    for (const typed of [
      ["ingest", "my"],
      ["query", "--db", "my"],
      ["query", "my"],
    ])
      expect((await offered(...typed)).toSorted()).toEqual(["my calls.ndjson", "my folder"]);
  });

  it.each(["zsh", "fish"])("of %s names every command and option", async (shell) => {
    const { status, stdout } = await evalcubeHere(["completion", shell]);
    expect(status).toBe(0);
    for (const [path, command] of commands) {
      expect(stdout).toContain(path.split(" ").at(-1));
      for (const { long } of command.options)
        expect(stdout).toContain(shell === "fish" ? ` -l ${long?.slice(2)} ` : `'${long}:`);
    }
  });
});
