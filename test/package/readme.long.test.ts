import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, readPage } from "../docs/pages.ts";
import { installPackage, SLOW_BUILD, type UserProject } from "./install-package.ts";

const run = promisify(execFile);

let user: UserProject;
beforeAll(async () => {
  user = await installPackage();
  const bin = path.join(user.folder, "node_modules/.bin");
  await mkdir(bin);
  // As npm does.
  await chmod(path.join(user.folder, "node_modules/evalcube/dist/cli/main.js"), 0o755);
  await symlink("../evalcube/dist/cli/main.js", path.join(bin, "evalcube"));
}, SLOW_BUILD);
afterAll(() => user.remove());

const [start, program, commands] = blocksOf(readPage("README.md"));

/** Runs lines of a shell in the folder, which has the package; gives what they print. */
async function shell(lines: string, cwd = user.folder): Promise<string> {
  const { stdout } = await run("sh", ["-ec", lines], { cwd, maxBuffer: 2 ** 24 });
  return stdout;
}

/** In an empty folder with the packed package, as `npm install evalcube` puts it there. */
describe("the first blocks of the README, as they stand", () => {
  it("install the package, show the demo and bring the examples", async () => {
    const [install, ...others] = start?.code.trimEnd().split("\n") ?? [];
    expect(install).toBe("npm install evalcube");
    const printed = await shell(others.join("\n"));
    expect(printed.trimEnd().split("\n").at(-1)?.trim()).toBe(
      "npx evalcube view --db evalcube-demo.duckdb --open",
    );
    expect(await readFile(path.join(user.folder, "calls.ndjson"), "utf8")).toContain("acme/qa");
  });

  it("run the program and the commands", async () => {
    await writeFile(path.join(user.folder, "example.mjs"), program?.code ?? "");
    expect(await shell("node example.mjs")).toBe(program?.output);
    for (const line of commands?.code.trimEnd().split("\n") ?? []) {
      expect(line).toMatch(/^npx evalcube /);
      await shell(line);
    }
    expect(await readFile(path.join(user.folder, "report.html"), "utf8")).toMatch(/^<!doctype html>/);
  });

  it("say in one sentence that a file is missing", async () => {
    const elsewhere = await mkdtemp(path.join(user.folder, "elsewhere-"));
    await writeFile(path.join(elsewhere, "example.mjs"), program?.code ?? "");
    const ended = await run(process.execPath, ["example.mjs"], { cwd: elsewhere }).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^\w+: calls\.ndjson: cannot be read: no such file\n$/) as unknown,
    });
    await rm(elsewhere, { recursive: true });
  });
});
