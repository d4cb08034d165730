import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { busyMachine, describeMachine } from "../report/machine.ts";
import { median } from "../run/measures.ts";
import { writeLogs } from "./logs.ts";
import { writeRecords } from "./records.ts";

/*
 * The import of a log beside the load of the records that it makes, as NDJSON: records a second, each in a process and a database of its
 * own, in turns. `--only` names formats, `--prepare` writes the logs into `--folder` and measures nothing.
 */

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "20000" },
    runs: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    folder: { type: "string" },
    prepare: { type: "boolean", default: false },
  },
});

interface Run {
  readonly records: number;
  readonly seconds: number;
  readonly processorSeconds: number;
}

const run = promisify(execFile);
const folder = values.folder ?? mkdtempSync(path.join(tmpdir(), "evalcube-bench-import-"));

async function load(mode: "import" | "ingest", source: string): Promise<Run> {
  const database = path.join(folder, "loaded.duckdb");
  const child = path.join(import.meta.dirname, "child.ts");
  const { stdout } = await run(process.execPath, ["--import", "tsx", child, mode, source, database]);
  for (const suffix of ["", ".wal"]) rmSync(`${database}${suffix}`, { force: true });
  return JSON.parse(stdout) as Run;
}

const rate = (runs: readonly Run[], of: (run: Run) => number) =>
  median(runs.map((one) => one.records / of(one)));
const rounded = (number: number) => Math.round(number).toLocaleString("en-US");

async function measure(name: string, log: string, records: string): Promise<string> {
  const runs: Record<"import" | "ingest", Run[]> = { import: [], ingest: [] };
  for (let i = 0; i < Number(values.runs); i++) {
    runs.import.push(await load("import", log));
    runs.ingest.push(await load("ingest", records));
  }
  const [wall, processor] = [(one: Run) => one.seconds, (one: Run) => one.processorSeconds];
  const times = (of: (one: Run) => number) => (rate(runs.import, of) / rate(runs.ingest, of)).toFixed(2);
  return `| ${name} | ${rounded(rate(runs.import, wall))} | ${rounded(rate(runs.ingest, wall))} | ${times(wall)} | ${times(processor)} |`;
}

try {
  mkdirSync(folder, { recursive: true });
  const busy = busyMachine();
  if (busy !== null) console.log(`Note: ${busy}.`);
  console.log((await describeMachine()).join("\n"));
  console.log(`${values.samples} samples a log, ${values.runs} runs, medians\n`);
  console.log(
    "| log | import, records/s | ingest, records/s | times | in processor time |\n|---|--:|--:|--:|--:|",
  );
  for (const { name, file } of writeLogs(folder, Number(values.samples))) {
    const records = path.join(folder, path.basename(file));
    if (!existsSync(`${records}.calls`)) await writeRecords(file, records);
    if (!values.prepare && name.includes(values.only)) console.log(await measure(name, file, records));
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}
