import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { program } from "../../src/cli/program.ts";
import { codesIn, readPage, ROOT, tableWith } from "./pages.ts";
import { exampleFolder, runLine } from "./run-example.ts";

const LINES = tableWith(readPage("docs/what-can-i-do-with.md"), ["I have", "command", "more"]).flatMap(
  ([have = "", cell = ""]) =>
    codesIn(cell)
      .filter((code) => code.startsWith("npx evalcube "))
      .map((command) => [have, command] as const),
);

/** Small runs of agents, as their tools write them. */
const agentRun = (name: string) => join(ROOT, "test/import/agent-cases", name, "input");

/** What lies in the folder, beside the examples, by the words of commands. */
const SOURCES: Readonly<Record<string, (path: string) => void>> = {
  "logs/": (path) => intoFolder(path, "inspect-log.json"),
  "log.json": (path) => cpSync("promptfoo-log.json", path),
  "runs/": (path) => cpSync("lm-eval-run", path, { recursive: true }),
  "export.json": (path) =>
    writeJson(
      path,
      [0, 1].map((n) => ({
        id: `s${n}`,
        traceId: `t${n}`,
        name: "correct",
        value: n,
        dataType: "NUMERIC",
        datasetItemId: `item ${n}`,
      })),
    ),
  "results.json": (path) =>
    writeJson(path, {
      id: "run",
      results: ["a", "b"].map((id) => ({
        id,
        trial_name: `${id}.1-of-1`,
        task_id: id,
        is_resolved: id === "a",
        failure_mode: "unset",
        trial_started_at: "2026-01-01T10:00:00",
      })),
      accuracy: 0.5,
    }),
  "simulations.json": (path) =>
    writeJson(path, {
      info: { agent_info: { llm: "model" }, environment_info: { domain_name: "retail" } },
      simulations: [0, 1].map((n) => ({
        id: `s${n}`,
        task_id: String(n),
        trial: 0,
        reward_info: { reward: n },
      })),
    }),
  "jobs/": (path) => cpSync(agentRun("harbor-job"), path, { recursive: true }),
  "trajectories.json": (path) => cpSync(join(agentRun("tau-bench"), "agent-1-shop.json"), path),
  "trajectories/": (path) => cpSync(agentRun("swe-agent"), path, { recursive: true }),
  "night/": (path) => {
    mkdirSync(path);
    for (const task of ["a", "b"])
      writeJson(join(path, `${task}.json`), { task_id: task, passed: task === "a" });
  },
};

const writeJson = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value));

function intoFolder(folder: string, file: string): void {
  mkdirSync(folder);
  cpSync(file, join(folder, file));
}

const stream = () => Object.assign(new PassThrough(), { isTTY: false, columns: 100 });
const root = program({
  stdin: stream(),
  stdout: stream(),
  stderr: stream(),
  signal: new AbortController().signal,
});

describe("what can I do with", () => {
  it.each(LINES)("%s: %s has a command and flags that there are", (_, line) => {
    const [name, ...words] = line.split(" ").slice(2);
    const command = root.commands.find((one) => one.name() === name);
    const flags = words.filter((word) => word.startsWith("--"));
    const known = command?.options.map(({ long }) => long) ?? [];
    expect(known).toEqual(expect.arrayContaining(flags));
  });

  it.each(LINES.filter(([, line]) => line.startsWith("npx evalcube import ")))(
    "%s: %s imports it",
    async (_, line) => {
      const folder = exampleFolder();
      const before = process.cwd();
      process.chdir(folder);
      onTestFinished(() => {
        process.chdir(before);
        rmSync(folder, { recursive: true });
      });
      for (const word of line.split(" ")) SOURCES[word]?.(word.replace(/\/$/, ""));
      const ended = await runLine(line.replace("import ", "import --print table "), folder);
      expect(ended).toMatchObject({ status: 0 });
      const [, , ...evaluations] = ended.stdout.trimEnd().split("\n");
      expect(evaluations.length).toBeGreaterThan(0);
      for (const one of evaluations) expect(Number(one.split(/ {2,}/)[2])).toBeGreaterThan(1);
    },
  );
});
