import { fork } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openEngine, type Engine } from "../src/index.ts";
import { peakMemory } from "./run/peak-memory.ts";

/**
 * Times the table of all trials of a project, each form in a process of its own, once its sums are those of SQL:
 * `npx tsx bench/tables.ts --db PATH [--project bench/qa] [--runs 3] [--form queryTable,parquet]`.
 */
const FORMS = ["queryTable", "queryBatches", "parquet", "arrow", "csv", "jsonl"] as const;
type Form = (typeof FORMS)[number];

interface Measure {
  readonly trials: number;
  /** Of the fastest run; CPU in ms over all threads. */
  readonly wall: number;
  readonly cpu: number;
  readonly peakBytes: number;
  /** Of the file; 0 where there is none. */
  readonly bytes: number;
}

const { values } = parseArgs({
  options: {
    db: { type: "string" },
    project: { type: "string", default: "bench/qa" },
    runs: { type: "string", default: "3" },
    form: { type: "string", default: FORMS.join(",") },
  },
});
if (values.db === undefined) throw new Error("name a database: --db PATH");
const { db, project } = values;
const forms = values.form.split(",").map(formOf);

function formOf(name: string): Form {
  const form = FORMS.find((one) => one === name);
  if (form === undefined) throw new Error(`a form is one of ${FORMS.join(", ")}, not ${name}`);
  return form;
}

async function measureAll(): Promise<void> {
  const trials = await prove();
  console.log(`${trials} trials; the table's sums are those of SQL`);
  console.log("| | ms | CPU, ms | peak memory | file |");
  console.log("|---|---:|---:|---:|---:|");
  for (const form of forms) {
    const measured = await inProcess(form);
    if (measured.trials !== trials) throw new Error(`${form} has ${measured.trials} trials, not ${trials}`);
    const { wall, cpu, peakBytes, bytes } = measured;
    console.log(
      `| ${form} | ${wall.toFixed(0)} | ${cpu.toFixed(0)} | ${mebibytes(peakBytes)} | ${mebibytes(bytes)} |`,
    );
  }
}

function mebibytes(bytes: number): string {
  return bytes === 0 ? "" : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

const SQL_SUMS = `SELECT count(*)::DOUBLE, sum(total_tokens), sum(length(trial_id))::DOUBLE,
  (SELECT count(*) FROM scores)::DOUBLE FROM trials`;

/** The number of trials. Token counts are whole numbers, so their sum is exact in any order. */
async function prove(): Promise<number> {
  const engine = await openEngine({ path: db, readOnly: true });
  const sums = (await engine.sql(project, SQL_SUMS)).get(0)?.toArray() as number[] | undefined;
  const table = await engine.queryTable(project, { evaluation_call_ids: await evaluationIds(engine) });
  await engine.close();
  const scores = table.schema.names.filter((name) => String(name).startsWith("scores."));
  const found = [
    table.numRows,
    sumOf(table.getChild("total_tokens")?.toArray() ?? []),
    sumOf(Array.from(table.getChild("predict_and_score_call_id") ?? [], (id: string) => id.length)),
    sumOf(scores.map((name) => table.numRows - (table.getChild(name)?.nullCount ?? 0))),
  ];
  if (JSON.stringify(found) !== JSON.stringify(sums)) {
    throw new Error(
      `the table has trials, tokens, letters and scores ${found.join(", ")}; SQL has ${String(sums)}`,
    );
  }
  return table.numRows;
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

async function evaluationIds(engine: Engine): Promise<string[]> {
  return (await engine.listEvaluations(project)).map(({ id }) => id);
}

function inProcess(form: Form): Promise<Measure> {
  const child = fork(import.meta.filename, [
    "--db",
    db ?? "",
    "--project",
    project,
    "--runs",
    values.runs,
    "--form",
    form,
  ]);
  return new Promise((resolve, reject) => {
    child.once("message", (measured: Measure) => resolve(measured));
    child.once("exit", (code) => reject(new Error(`${form} ended with ${code}`)));
  });
}

async function measure(form: Form): Promise<Measure> {
  const engine = await openEngine({ path: db, readOnly: true });
  const request = { evaluation_call_ids: await evaluationIds(engine) };
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-tables-"));
  const file = path.join(folder, "table");
  let least = { trials: 0, wall: Infinity, cpu: 0 };
  for (let run = 0; run < Number(values.runs); run++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const trials = await make(engine, request, form, file);
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    if (wall < least.wall) least = { trials, wall, cpu: (user + system) / 1000 };
  }
  await engine.close();
  const bytes = await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
  await rm(folder, { recursive: true });
  return { ...least, peakBytes: peakMemory(), bytes };
}

async function make(
  engine: Engine,
  request: { evaluation_call_ids: string[] },
  form: Form,
  file: string,
): Promise<number> {
  if (form === "queryTable") return (await engine.queryTable(project, request)).numRows;
  if (form === "queryBatches") {
    let trials = 0;
    for await (const batch of engine.queryBatches(project, request)) trials += batch.numRows;
    return trials;
  }
  return (await engine.exportResults(project, request, { format: form, path: file })).trials;
}

if (process.send === undefined) await measureAll();
else {
  process.send(await measure(forms[0] ?? "queryTable"));
  process.disconnect();
}
