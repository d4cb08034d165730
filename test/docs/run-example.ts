import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { format, promisify } from "node:util";
import { expect, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import type { Ended } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { ROOT, type Block } from "./pages.ts";
import { builtProgram } from "../support/built-program.ts";

/** A folder in which the examples of a page run one after the other. */
export function exampleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "evalcube-docs-"));
  cpSync(join(ROOT, "docs/examples"), folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), `{"type":"module"}`);
  const command = `#!/bin/sh\nexec "${process.execPath}" "${builtProgram("cli/main")}" "$@"\n`;
  writeFileSync(join(folder, "evalcube"), command, { mode: 0o755 });
  return folder;
}

/** Runs a block in a folder and compares what it prints with what the page shows. */
export async function runExample(block: Block, folder: string): Promise<void> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    if (block.language === "ts") await runProgram(block, folder);
    else if (block.language === "sh") await runCommands(block.code, folder);
    else if (block.language === "console") await runConsole(block.code, folder);
    else await runRequest(block.code);
  } finally {
    process.chdir(before);
  }
}

async function runProgram(block: Block, folder: string): Promise<void> {
  const code = block.code
    .replace('"evalcube"', sourceText("index.ts"))
    .replace('"evalcube/arrow"', sourceText("arrow-exports.ts"))
    .replace('"evalcube/stats"', sourceText("stats/index.ts"))
    .replace('"evalcube/view"', sourceText("view-exports.ts"));
  const file = join(folder, `line-${block.line}.ts`);
  writeFileSync(file, code);
  let printed = "";
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    printed += `${format(...values)}\n`;
  });
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    log.mockRestore();
  }
  expectPrinted(printed, block.output ?? printed);
}

function sourceText(name: string): string {
  return JSON.stringify(join(ROOT, "src", name));
}

/** A line `…` stands for any lines. */
function expectPrinted(printed: string, shown: string): void {
  const parts = shown.split(/^…\n/m);
  if (parts.length === 1) expect(printed).toBe(shown);
  let rest = printed;
  for (const part of parts) {
    expect(rest).toContain(part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
}

async function runCommands(code: string, folder: string): Promise<void> {
  for (const line of code.trimEnd().replaceAll("\\\n", " ").split("\n")) {
    expect(await runLine(line, folder), line).toMatchObject({ status: 0 });
  }
}

/** Lines that begin with `$ ` are commands, the others what they print. */
async function runConsole(code: string, folder: string): Promise<void> {
  for (const one of code.split(/^\$ /m).slice(1)) {
    const [, command = "", output = ""] = /^((?:.*\\\n)*.*\n)([^]*)$/.exec(one) ?? [];
    const { stdout } = await runLine(command.trimEnd().replaceAll("\\\n", " "), folder);
    expectPrinted(stdout, output);
  }
}

/** Plain commands run in this process, which spares the start of another; what needs a shell gets one. */
export async function runLine(shown: string, folder: string): Promise<Pick<Ended, "status" | "stdout">> {
  // Beside the installed package, npx starts the same command.
  const line = shown.replaceAll("npx evalcube ", "evalcube ");
  const [, plain = "", target] = /^((?:"[^"]*"|'[^']*'|[^|<>"'])*)(?:> (\S+))?$/.exec(line) ?? [];
  const words = [...plain.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  if (words[first] === "evalcube") {
    for (const word of words.slice(0, first)) vi.stubEnv(...assignment(word));
    const ended = await evalcubeHere(words.slice(first + 1));
    vi.unstubAllEnvs();
    if (target !== undefined) writeFileSync(target, ended.stdout);
    return ended;
  }
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
  const { stdout } = await promisify(execFile)("sh", ["-ec", line], { cwd: folder, env });
  return { status: 0, stdout };
}

function assignment(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

async function runRequest(code: string): Promise<void> {
  const request = JSON.parse(code) as Record<string, unknown>;
  const engine = await openEngine();
  await engine.ingestCalls("calls.ndjson");
  const { rows, total_rows, warnings } = await engine.queryEvalResults("acme/qa", request);
  await engine.close();
  expect(warnings).toEqual([]);
  expect(rows.length > 0 || (request["include_rows"] === false && total_rows === 0)).toBe(true);
}
