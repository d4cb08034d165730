import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makePassingFile } from "../../src/flow/passing-file.ts";
import { notLinux } from "../support/platform.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const UUID = "0198b0d4-0000-4000-8000-00000000000a";
const MODULE = new URL("../../src/flow/passing-file.ts", import.meta.url).href;

/** A file of that name, last written so many days ago. */
function leave(folder: string, name: string, days = 0): void {
  const file = path.join(folder, name);
  writeFileSync(file, "half");
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(file, then, then);
}

/** What is left of the files in the folder when another is made in it. */
async function leftAfterNext(folder: string): Promise<string[]> {
  rmSync(await makePassingFile(folder, 0o600, null));
  return readdirSync(folder);
}

/** The parts of the name that this process gives: its scope, number and start. */
async function ownParts(): Promise<{ scope: string; start: string }> {
  const name = path.basename(await makePassingFile(scratchFolder(), 0o600, null));
  const [, scope = "", pid, start = ""] = /^\.evalcube-(\w{16})-(\d+)-(\d+)-/.exec(name) ?? [];
  expect(Number(pid)).toBe(process.pid);
  return { scope, start };
}

describe.skipIf(notLinux !== null)(`a file of a process on this machine${because(notLinux)}`, () => {
  it("stays while the process lives, however old it is", async () => {
    const { scope, start } = await ownParts();
    const folder = scratchFolder();
    const name = `.evalcube-${scope}-${process.pid}-${start}-${UUID}.tmp`;
    leave(folder, name, 30);
    expect(await leftAfterNext(folder)).toEqual([name]);
  });

  it("goes when another process has its number", async () => {
    const { scope, start } = await ownParts();
    const folder = scratchFolder();
    leave(folder, `.evalcube-${scope}-${process.pid}-${Number(start) - 1}-${UUID}.tmp`);
    expect(await leftAfterNext(folder)).toEqual([]);
  });

  it("stays until its process is killed, and then goes with the next file", async () => {
    const folder = scratchFolder();
    const script = `
      const { makePassingFile } = await import(${JSON.stringify(MODULE)});
      await makePassingFile(${JSON.stringify(folder)}, 0o600, null);
      process.stdout.write("made");
      setInterval(() => {}, 1000);
    `;
    const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", script];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(await leftAfterNext(folder)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await leftAfterNext(folder)).toEqual([]);
  });
});

describe("a file of a process that cannot be looked up", () => {
  const names = {
    "of another machine, start or container": `.evalcube-0123456789abcdef-1-1-${UUID}.tmp`,
    "of an earlier version": `.evalcube-${UUID}.tmp`,
  };

  it.each(Object.entries(names))("stays for a week after it was last written: %s", async (_what, name) => {
    const folder = scratchFolder();
    leave(folder, name, 6.9);
    expect(await leftAfterNext(folder)).toEqual([name]);
    leave(folder, name, 7.1);
    expect(await leftAfterNext(folder)).toEqual([]);
  });
});

it("what only looks like a half-written file stays", async () => {
  const folder = scratchFolder();
  const names = [
    `.evalcube-${UUID}.tmp.csv`,
    ".evalcube-mine.tmp",
    `evalcube-${UUID}.tmp`,
    `.other-${UUID}.tmp`,
  ];
  for (const name of names) leave(folder, name, 100);
  const inner = `.evalcube-${UUID}.tmp`;
  mkdirSync(path.join(folder, inner));
  expect(new Set(await leftAfterNext(folder))).toEqual(new Set([...names, inner]));
});
