import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { forge, onGitHub, onGitLab } from "../cli/ci/forge.ts";
import { NO_JOB } from "../cli/ci/runs.ts";
import { parseXml } from "../support/xml.ts";
import { blocksOf, readPage, ROOT } from "./pages.ts";
import { exampleFolder } from "./run-example.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: object;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface GithubWorkflow {
  readonly jobs: { readonly evaluate: { readonly steps: readonly Step[] } };
}

interface GitlabFile {
  readonly evaluate: {
    readonly variables: Readonly<Record<string, string | number>>;
    readonly script: readonly string[];
    readonly artifacts: { readonly reports: { readonly junit: string } };
  };
}

const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const action = parse(read("action.yml")) as Action;
const github = parse(read("docs/examples/ci/github.yml")) as GithubWorkflow;
const gitlab = parse(read("docs/examples/ci/gitlab.yml")) as GitlabFile;

/** Runs commands as a job does, with `npx` and `npm` replaced; resolves to its status and standard error. */
async function runScript(folder: string, commands: readonly string[], env: Readonly<Record<string, string>>) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const npx = `[ "$1" = --no-install ] && shift; shift; exec "${join(folder, "evalcube")}" "$@"`;
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n${npx}\n`, { mode: 0o755 });
  writeFileSync(join(bin, "npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  return await promisify(execFile)("bash", ["-eo", "pipefail", "-c", commands.join("\n")], {
    cwd: folder,
    env: { ...process.env, ...NO_JOB, ...env, PATH: path },
  }).then(
    () => ({ status: 0, stderr: "" }),
    (error: { readonly code: number; readonly stderr: string }) => ({
      status: error.code,
      stderr: error.stderr,
    }),
  );
}

/** The commands and variables of the action, as GitHub gives it these inputs. */
function actionStep(inputs: Readonly<Record<string, string>>) {
  const { run = "", env = {} } = action.runs.steps.find((step) => step.run !== undefined) ?? {};
  const values = Object.entries(env).map(([name, text]) => {
    const [, input = ""] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text) ?? [];
    return [name, inputs[input] ?? action.inputs[input]?.default ?? ""];
  });
  return { run, env: Object.fromEntries(values) as Record<string, string> };
}

it("the action gives no input to the shell but as a variable, and pins what it uses", () => {
  const { inputs, outputs, runs } = action;
  const names = [
    "db",
    "project",
    "baseline",
    "scorer",
    "fail-on",
    "not-comparable",
    "prices",
    "token",
    "args",
  ];
  expect(Object.keys(inputs)).toEqual(names);
  expect(inputs["token"]?.default).toBe("${{ github.token }}");
  expect(Object.keys(outputs)).toEqual(["verdict"]);
  expect(runs.using).toBe("composite");
  for (const { run = "" } of runs.steps) expect(run).not.toContain("${{");
  const uses = runs.steps.flatMap((step) => step.uses ?? []);
  expect(uses).toHaveLength(2);
  expect(read("action.yml").trimEnd().split("\n").length).toBeLessThan(60);
});

it.each(["action.yml", ".github/workflows/ci.yml", "docs/examples/ci/github.yml"])(
  "%s pins actions of others by commit, with the version beside it",
  (file) => {
    const uses = read(file).match(/(?<=uses: )(?!evalcube\/).*/g) ?? [];
    expect(uses.length).toBeGreaterThan(1);
    for (const one of uses) expect(one).toMatch(/^actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  },
);

it("the GitHub workflow keeps a baseline on a push, and comments on a pull request, in six lines", async () => {
  const { steps } = github.jobs.evaluate;
  const own = steps.findIndex(({ uses }) => uses?.startsWith("evalcube/evalcube@") === true);
  const lines = read("docs/examples/ci/github.yml").trimEnd().split("\n");
  expect(lines.length - lines.findIndex((line) => line.includes("uses: evalcube/"))).toBeLessThanOrEqual(6);
  const folder = exampleFolder();
  const before = steps.slice(0, own).flatMap(({ run }) => run ?? []);
  expect(await runScript(folder, before, {})).toMatchObject({ status: 0 });
  const inputs = steps[own]?.with ?? {};
  const { run, env } = actionStep(inputs);
  expect(await runScript(folder, [run], { ...env, GITHUB_EVENT_NAME: "push" })).toMatchObject({ status: 0 });
  expect(existsSync(join(folder, "evals.baseline.parquet"))).toBe(true);
  const { address, held } = await forge();
  const job = { ...onGitHub(folder, address), GITHUB_EVENT_NAME: "pull_request" };
  const pass = await runScript(folder, [run], { ...env, ...job });
  expect(pass).toMatchObject({ status: 0 });
  expect([...held.values()].map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- evalcube:acme\/qa -->\n\*\*Passed: no gate is met \(of 2\)\./),
  ]);
  const strict = actionStep({ ...inputs, "fail-on": "regressed\ncorrect<95%\n", args: "--junit gates.xml" });
  const failed = await runScript(folder, [strict.run], { ...strict.env, ...job });
  expect(failed).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("correct<95%: large") as string,
  });
  expect([...held.values()].map(({ body }) => body.split("\n")[1])).toEqual([
    expect.stringMatching(/^\*\*Failed: 1 of 2 gates is met\./),
  ]);
  expect(parseXml(readFileSync(join(folder, "gates.xml"), "utf8")).attributes).toMatchObject({
    failures: "1",
  });
  expect(readFileSync(join(folder, "output.txt"), "utf8")).toBe("verdict=passed\nverdict=failed\n");
});

it("the page shows the lines of the workflow", () => {
  const blocks = blocksOf(readPage("docs/ci.md")).filter(({ language }) => language === "yaml");
  expect(blocks).toHaveLength(1);
  const shown = parse(blocks[0]?.code ?? "") as readonly Step[];
  expect(shown).toEqual(github.jobs.evaluate.steps.slice(-1));
});

it("a hostile input of the action runs nothing", async () => {
  const folder = exampleFolder();
  await runScript(folder, [`npx evalcube ingest --db evals.duckdb calls.ndjson`], {});
  const hostile = '"; touch hacked; $(touch hacked) `touch hacked`';
  const { run, env } = actionStep({ scorer: hostile, args: hostile, db: "evals.duckdb" });
  const { status } = await runScript(folder, [run], { ...env, GITHUB_EVENT_NAME: "pull_request" });
  expect(status).toBe(2);
  expect(existsSync(join(folder, "hacked"))).toBe(false);
});

it("the GitLab job comments, and keeps the report that it writes", async () => {
  const { variables, script, artifacts } = gitlab.evaluate;
  expect(read("docs/examples/ci/gitlab.yml")).not.toContain("curl");
  const folder = exampleFolder();
  const save = "npx evalcube ci --save evals.baseline.parquet";
  await runScript(folder, [...script.slice(0, -1), save], { EVALCUBE_DB: "evals.duckdb" });
  const { address, held } = await forge();
  const texts = Object.entries(variables).map(([name, value]) => [name, String(value)]);
  const ended = await runScript(folder, script, { ...Object.fromEntries(texts), ...onGitLab(address) });
  expect(ended).toMatchObject({ status: 0 });
  expect(held.size).toBe(1);
  expect(parseXml(readFileSync(join(folder, artifacts.reports.junit), "utf8")).name).toBe("testsuites");
});
