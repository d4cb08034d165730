import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { busyMachine, describeMachine } from "./report/machine.ts";
import { median } from "./run/measures.ts";

/*
 * What a program waits for: the import of the built package beside that of the packages that it imports, and the first
 * request with derived scores beside the second. Each is measured in processes of its own, in turns.
 */

const INDEX = path.join(import.meta.dirname, "../dist/index.js");
const run = promisify(execFile);

/** The packages and built-in modules that a file of the package imports at once, and what it imports them through. */
async function importsOf(file: string, seen = new Set<string>()): Promise<string[]> {
  seen.add(file);
  const text = await readFile(file, "utf8");
  const found = new Set<string>();
  for (const [, name = ""] of text.matchAll(/^(?:import|export|\}).*?["']([^"']+)["'];$/gm)) {
    const next = path.join(path.dirname(file), name);
    if (!name.startsWith(".")) found.add(name);
    else if (!seen.has(next)) for (const inner of await importsOf(next, seen)) found.add(inner);
  }
  return [...found];
}

/** Wall and processor time of a program in milliseconds, from its first line; it ends by itself. */
async function timeOf(program: string): Promise<readonly number[]> {
  const code = `${program}
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify([performance.now(), (user + system) / 1000, ...(globalThis.more ?? [])]));
    process.exit();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], {
    cwd: path.dirname(INDEX),
  });
  return JSON.parse(stdout) as number[];
}

const imports = (names: readonly string[]) =>
  names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");

const DERIVED = `
  const { openEngine } = await import(${JSON.stringify(INDEX)});
  const engine = await openEngine({ threads: 1 });
  const call = { project_id: "acme/qa", started_at: "2026-01-31T12:00:00Z" };
  await engine.ingestCalls([
    { ...call, id: "run", op_name: "Evaluation.evaluate" },
    { ...call, id: "t", op_name: "Evaluation.predict_and_score", parent_id: "run", inputs: { example: { n: 1 } }, output: { scores: { a: 1 } } },
  ]);
  const ask = async (name) => {
    const start = performance.now();
    await engine.queryEvalResultsJson("acme/qa", { evaluation_call_ids: ["run"], include_summary: true, ...(name === null ? {} : { derived_scores: { [name]: "2 * a" } }) });
    return performance.now() - start;
  };
  await ask(null);
  globalThis.more = [await ask("first"), await ask("second")];`;

const { values } = parseArgs({ options: { runs: { type: "string", default: "15" } } });
const names = await importsOf(INDEX);
const programs = {
  nothing: "",
  dependencies: imports(names),
  evalcube: imports([INDEX]),
  derived: DERIVED,
};
type Name = keyof typeof programs;
const times: Record<Name, (readonly number[])[]> = {
  nothing: [],
  dependencies: [],
  evalcube: [],
  derived: [],
};
for (let i = 0; i < Number(values.runs); i++)
  for (const name of Object.keys(programs) as Name[]) times[name].push(await timeOf(programs[name]));

const middle = (name: Name, at: number) => median(times[name].map((one) => one[at] ?? Number.NaN));
for (const line of [...(await describeMachine()), busyMachine() ?? "the machine is idle"]) console.log(line);
for (const [at, what] of ["wall time", "processor time"].entries()) {
  const [start, dependencies, evalcube] = [
    middle("nothing", at),
    middle("dependencies", at),
    middle("evalcube", at),
  ];
  const ratio = (evalcube - start) / (dependencies - start);
  console.log(
    `import, ${what}: dependencies ${(dependencies - start).toFixed(0)} ms, evalcube ${(evalcube - start).toFixed(0)} ms, ${ratio.toFixed(2)} times`,
  );
}
console.log(
  `derived scores: first request ${middle("derived", 2).toFixed(0)} ms, second ${middle("derived", 3).toFixed(0)} ms`,
);
