/**
 * A ClickHouse server in this process, from the library of the package chdb, whose entry for command lines is undocumented. It ends,
 * with the folder of its configuration, when the standard input does: so with the process that started it, however that ends.
 */
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { DataType, load, open } from "ffi-rs";

const LIBRARY = "@chdb/lib-linux-x64-gnu/libchdb.so";
/** Serves until the process ends: a statement that lasts for as long as anybody waits. */
const SERVE = [
  "SYSTEM START LISTEN HTTP",
  "SYSTEM START LISTEN TCP",
  `SELECT sleepEachRow(3) FROM numbers(1000000000) FORMAT Null
    SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1, max_execution_time = 0`,
];

const [folder = "", configuration = "", data = "", host = "", httpPort = "", tcpPort = ""] =
  process.argv.slice(2);

process.stdin.resume().once("end", () => {
  rmSync(folder, { recursive: true, force: true });
  process.kill(process.pid, "SIGKILL");
});

const args = [
  "clickhouse",
  `--config-file=${configuration}`,
  `--path=${data}`,
  `--http_port=${httpPort}`,
  `--tcp_port=${tcpPort}`,
  `--listen_host=${host}`,
  "--query",
  SERVE.join("; "),
];
open({ library: "chdb", path: createRequire(import.meta.url).resolve(LIBRARY) });
const result = await load({
  library: "chdb",
  funcName: "chdb_query_cmdline",
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
  runInNewThread: true,
});
const fault = load({
  library: "chdb",
  funcName: "chdb_result_error",
  retType: DataType.String,
  paramsType: [DataType.External],
  paramsValue: [result],
});
process.stderr.write(`the server ended: ${fault}\n`);
process.exitCode = 1;
