import { PassThrough } from "node:stream";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { program } from "../../src/cli/program.ts";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { exampleCalls, ndjson, PROJECT, put, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { processorTime } from "../support/processor-time.ts";
import { expectSteady } from "./growth.ts";

const { folder, remove } = temporaryFolder();
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  const engine = await openEngine({ path: inFolder("evals.duckdb"), threads: 1 });
  await engine.ingestCalls(exampleCalls() as CallRecord[]);
  await engine.close();
  copyFileSync(inFolder("evals.duckdb"), inFolder("written.duckdb"));
  await createKey(inFolder("keys.json"), { user: "ann", projects: ["acme/*"] });
  put(folder, "request.json", '{"evaluation_call_ids":["good"]}');
  put(folder, "calls.ndjson", ndjson(exampleCalls()));
  put(folder, "table.csv", "id,output,score\n1,a,1\n");
  put(folder, "none.eval.mjs", "export default [];\n");
  return remove;
});

const tree = program({
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  signal: AbortSignal.abort(),
});

function leaves(command: Command, above: readonly string[] = []): [path: readonly string[], Command][] {
  const path = [...above, command.name()];
  return command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((one) => leaves(one, path));
}

const COMMANDS = tree.commands
  .flatMap((one) => leaves(one))
  .map(([path, one]) => [path.join(" "), one] as const);

/** Commands that go on until they are ended. */
const SERVE = new Set(["serve", "view", "mcp"]);
/** Commands that store what they are given, of which the others would see it. */
const WRITE = new Set(["ingest", "import", "run", "delete", "demo", "serve"]);

/** So many files have names of their own. */
let written = 0;

/** The commands that are given a flag that others can do without. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  "--baseline": ["compare"],
  "--evaluation": ["agreement", "explain", "items"],
};

/** What a command is given where it is asked by something else. */
function rightOptions(name: string, command: Command): ReadonlyMap<string, string> {
  const values = {
    "--db": inFolder(WRITE.has(name) ? "written.duckdb" : "evals.duckdb"),
    "--project": PROJECT,
    "--keys": inFolder("keys.json"),
    "--user": "ann",
    "--evaluation": "good",
    "--baseline": "good",
    "--candidate": "bad",
    "--candidates": "bad",
    "--port": "0",
    "--out": inFolder(`out-${++written}.${name === "report" ? "html" : "csv"}`),
    "--to": inFolder(`copy-${written}.duckdb`),
  };
  return new Map(
    Object.entries(values).filter(([flag]) =>
      command.options.some(
        (one) => one.long === flag && (one.mandatory || (ONLY[flag]?.includes(name) ?? true)),
      ),
    ),
  );
}

const RIGHT_ARGUMENTS: Readonly<Record<string, string>> = {
  run: inFolder("none.eval.mjs"),
  import: inFolder("table.csv"),
  query: inFolder("request.json"),
  export: inFolder("request.json"),
  ingest: inFolder("calls.ndjson"),
  sql: "select 1",
  completion: "bash",
};

/** What the command takes a text for: its options by their flags, and its arguments by their places. */
function placesOf(command: Command): string[] {
  const flags = command.options.filter((one) => one.required || one.optional).map((one) => one.long ?? "");
  return [...flags, ...command.registeredArguments.map((one) => one.name())];
}

/** What is beside a start that takes longer would not be seen, in milliseconds of processor time. */
const SLOWEST_START = 20_000;

/** Runs the command with a text at a place; with what is right alone where there is none. */
async function ask(name: string, command: Command, place: string | null, text: string): Promise<void> {
  const options = new Map(rightOptions(name, command));
  if (place?.startsWith("--") === true) options.set(place, text);
  const right = RIGHT_ARGUMENTS[name] ?? "latest";
  const args = command.registeredArguments
    .filter((one) => one.required || one.name() === place || name in RIGHT_ARGUMENTS)
    .map((one) => (one.name() === place ? text : right));
  const flags = [...options].map(([flag, value]) => `${flag}=${value}`);
  if (name === "import") flags.push("--dry-run");
  const signal = SERVE.has(name) ? AbortSignal.abort() : new AbortController().signal;
  const line = [...name.split(" "), ...flags, "--", ...args];
  const { status, stderr } = await evalcubeHere(line, "", {}, signal);
  expect(status, stderr.slice(0, 300)).toBeOneOf([0, 1, 2, 3, 4]);
}

it("finds the commands, and most take texts", () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
  expect(COMMANDS.flatMap(([, one]) => placesOf(one)).length).toBeGreaterThan(150);
});

describe.each(COMMANDS.filter(([, command]) => placesOf(command).length > 0))("%s", (name, command) => {
  it("takes no time that grows with the square of a flag or an argument", async () => {
    await ask(name, command, null, "");
    const timed = processorTime();
    await ask(name, command, null, "");
    const start = timed();
    expect(start).toBeLessThan(SLOWEST_START);
    for (const place of placesOf(command))
      await expectSteady(`${name} ${place}`, (text) => ask(name, command, place, text), start);
  }, 300_000);
});
