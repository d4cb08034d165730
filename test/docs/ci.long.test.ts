import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { parseXml } from "../support/xml.ts";
import { ROOT } from "./pages.ts";
import { exampleFolder } from "./run-example.ts";

interface GithubWorkflow {
  readonly jobs: {
    readonly gate: {
      readonly env: Readonly<Record<string, string>>;
      readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
    };
  };
}

interface GitlabFile {
  readonly evaluate: {
    readonly variables: Readonly<Record<string, string>>;
    readonly script: readonly string[];
    readonly after_script: readonly string[];
    readonly artifacts: { readonly reports: { readonly junit: string } };
  };
}

function example(name: string): unknown {
  return parse(readFileSync(join(ROOT, "docs/examples/ci", name), "utf8"));
}

/** Runs commands as the CI system does, with `npx`, `npm`, `gh` and `curl` replaced; resolves to status and what they were given. */
async function runScript(commands: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = exampleFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const tool = (name: string, body: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  tool("npx", `shift; exec "${join(folder, "evalcube")}" "$@"`);
  tool("npm", "exit 0");
  for (const name of ["gh", "curl"]) tool(name, `echo "${name} $*" >> "${join(folder, "sent.txt")}"`);
  const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  const script = commands.join("\n");
  const ended = await promisify(execFile)("bash", ["-eo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...process.env, ...env, PATH: path },
  }).then(
    () => ({ status: 0, stderr: "" }),
    (error: { readonly code: number; readonly stderr: string }) => ({
      status: error.code,
      stderr: error.stderr,
    }),
  );
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { ...ended, read };
}

it("the GitHub workflow fails by its gates, with comment and report", async () => {
  const { gate } = (example("github.yml") as GithubWorkflow).jobs;
  const steps = gate.steps.flatMap(({ name, run }) => (run === undefined ? [] : [{ name, run }]));
  expect(steps.map(({ name }) => name)).toEqual(["Install", "Evaluate", "Load", "Compare", "Comment"]);
  const commands = steps.filter(({ name }) => name !== "Comment").map(({ run }) => run);
  const passed = await runScript(commands, gate.env);
  expect(passed).toMatchObject({ status: 0 });
  expect(passed.read("comment.md")).toMatch(/^\*\*Passed: no gate is met \(of 3\)\./);
  expect(parseXml(passed.read("gates.xml")).attributes).toMatchObject({ tests: "4", failures: "0" });
  const stricter = commands.map((run) => run.replace("correct<75%", "correct<95%"));
  const failed = await runScript(stricter, gate.env);
  expect(failed).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("correct<95%: large model has") as string,
  });
  expect(failed.read("comment.md")).toMatch(/^\*\*Failed: 1 of 3 gates is met\./);
  const comment = steps.find(({ name }) => name === "Comment")?.run ?? "";
  const sent = await runScript([...commands, comment], { ...gate.env, NUMBER: "7" });
  expect(sent.read("sent.txt")).toBe("gh pr comment 7 --body-file comment.md --edit-last --create-if-none\n");
});

it("the GitLab job runs, sends the comment, and keeps the report that it writes", async () => {
  const { variables, script, after_script, artifacts } = (example("gitlab.yml") as GitlabFile).evaluate;
  const { status, read } = await runScript([...script, ...after_script], variables);
  expect(status).toBe(0);
  expect(parseXml(read(artifacts.reports.junit)).name).toBe("testsuites");
  expect(read("sent.txt")).toMatch(/^curl .*body@comment\.md/);
});
