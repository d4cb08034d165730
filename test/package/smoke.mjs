// Runs in a folder that has installed the package, under Node, Bun and Deno: loads the database engine, runs the demo, and
// opens its file again.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { openEngine } from "evalcube";

const DEMO = "evalcube-demo.duckdb";

function check(what, isSo) {
  if (!isSo) throw new Error(`not so: ${what}`);
}

const memory = await openEngine();
const [{ answer }] = (await memory.sql("acme/qa", "select 6 * 7 as answer")).toArray();
check("the engine computes", Number(answer) === 42);
await memory.close();

const command = path.join("node_modules", "evalcube", "dist", "cli", "main.js");
const before = globalThis.Deno === undefined ? [] : ["run", "--allow-all"];
const demo = spawnSync(process.execPath, [...before, command, "demo"], { encoding: "utf8" });
check(`the demo ends with 0: ${demo.stderr}`, demo.status === 0);
check("the demo prints its table", demo.stdout.includes("gpt-4o"));
check("the demo keeps its file", existsSync(DEMO));

const engine = await openEngine({ path: path.resolve(DEMO), readOnly: true });
const projects = await engine.countEvaluations();
await engine.close();
const evaluations = projects.reduce((sum, { evaluation_count: count }) => sum + count, 0);
check(`the file has 23 evaluations, not ${evaluations}`, evaluations === 23);
process.stdout.write("smoke passed\n");
