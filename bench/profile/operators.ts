import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { openEngine } from "../../src/index.ts";
import { prepareFiles } from "../generate/files.ts";
import { projectId, sizes, isSizeName } from "../generate/parameters.ts";
import { toRequest } from "../question.ts";
import { storePath } from "../run/load-subjects.ts";
import { buildQueries } from "../workloads.ts";

interface Operator {
  readonly operator_name?: string;
  readonly operator_timing?: number;
  readonly operator_cardinality?: number;
  readonly children?: readonly Operator[];
}

interface Profile extends Operator {
  readonly cpu_time: number;
  /** Milliseconds of the process. */
  readonly processor: number;
}

/**
 * `npx tsx bench/profile/operators.ts SIZE LETTER…`: how long each operator of DuckDB works on the statements of
 * a workload, on one thread, on the store that an earlier run of the benchmark has loaded. The least of five runs.
 */
async function main([size = "", ...letters]: readonly string[]): Promise<void> {
  if (!isSizeName(size)) throw new Error(`the size is one of ${Object.keys(sizes).join(", ")}`);
  const files = await prepareFiles(sizes[size]);
  const store = storePath(files, "evalcube");
  const scratch = await mkdtemp(path.join(tmpdir(), "evalcube-profile-"));
  try {
    for (const { letter, title, question } of buildQueries(files.parameters)) {
      if (!letters.includes(letter)) continue;
      console.log(`(${letter}) ${title}`);
      await profileStatements(
        store,
        await explain(store, toRequest(question)),
        path.join(scratch, "profile.json"),
      );
    }
  } finally {
    await rm(scratch, { recursive: true });
  }
}

type Explanation = Awaited<ReturnType<Awaited<ReturnType<typeof openEngine>>["explain"]>>;

async function explain(store: string, request: ReturnType<typeof toRequest>): Promise<Explanation> {
  const engine = await openEngine({ path: store, readOnly: true });
  const explanation = await engine.explain(projectId, request);
  await engine.close();
  return explanation;
}

async function profileStatements(store: string, { statements }: Explanation, output: string): Promise<void> {
  const instance = await DuckDBInstance.create(store, {
    access_mode: "READ_ONLY",
    perfect_ht_threshold: "19",
    memory_limit: "1GiB",
    threads: "1",
  });
  const connection = await instance.connect();
  await connection.run(await readFile(new URL("../../sql/duckdb/macros.sql", import.meta.url), "utf8"));
  for (const { name, sql: text, params } of statements) {
    if (name !== "page" && name !== "summary") continue;
    const values = params.map(({ value }) => value);
    for (let warm = 0; warm < 3; warm++) await connection.run(text, values);
    let least = await profile(connection, text, values, output);
    for (let run = 1; run < 5; run++) {
      const profiled = await profile(connection, text, values, output);
      if (profiled.processor < least.processor) least = profiled;
    }
    printProfile(least);
  }
  instance.closeSync();
}

async function profile(
  connection: DuckDBConnection,
  text: string,
  values: (null | boolean | number | bigint | string)[],
  output: string,
): Promise<Profile> {
  await connection.run("SET enable_profiling = 'json'");
  await connection.run(`SET profiling_output = '${output.replaceAll("'", "''")}'`);
  const before = process.cpuUsage();
  await connection.run(text, values);
  const { user, system } = process.cpuUsage(before);
  await connection.run("PRAGMA disable_profiling");
  const operators = JSON.parse(await readFile(output, "utf8")) as Omit<Profile, "processor">;
  return { ...operators, processor: (user + system) / 1000 };
}

function milliseconds(seconds: number): string {
  return (seconds * 1000).toFixed(1);
}

function printProfile(profiled: Profile): void {
  const processor = profiled.processor.toFixed(1);
  console.log(`  ${processor} ms of the processor, operators ${milliseconds(profiled.cpu_time)} ms`);
  const print = (operators: readonly Operator[], indent: string): void => {
    for (const { operator_name, operator_timing = 0, operator_cardinality, children = [] } of operators) {
      if (operator_timing >= 0.0005)
        console.log(
          `${indent}${milliseconds(operator_timing)} ${operator_name} -> ${operator_cardinality} records`,
        );
      print(children, `${indent} `);
    }
  };
  print(profiled.children ?? [], "    ");
}

await main(process.argv.slice(2));
