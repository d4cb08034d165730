import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, rename, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { callChunks, rowChunks } from "./chunks.ts";
import { countTrials, describeParameters, type DataParameters } from "./parameters.ts";

/** One generated data set on disk. */
export interface DataFiles {
  readonly folder: string;
  readonly calls: string;
  readonly rows: string;
  readonly parameters: DataParameters;
  readonly callBytes: number;
  readonly rowBytes: number;
}

const bytesPerTrial = 3400;

/** Where data and databases of the benchmark are kept. */
export function benchFolder(): string {
  return process.env["EVALCUBE_BENCH_DIR"] ?? path.join(tmpdir(), "evalcube-bench");
}

/** Generates the files, or takes those that an earlier run finished with the same parameters. */
export async function prepareFiles(
  parameters: DataParameters,
  report: (message: string) => void = () => {},
): Promise<DataFiles> {
  const folder = path.join(benchFolder(), describeParameters(parameters));
  const calls = path.join(folder, "calls.ndjson");
  const rows = path.join(folder, "rows.ndjson");
  const done = path.join(folder, "parameters.json");
  if (!existsSync(done)) {
    await mkdir(folder, { recursive: true });
    await checkSpace(folder, countTrials(parameters) * bytesPerTrial);
    report(`generating ${countTrials(parameters)} trials into ${folder}`);
    await writeChunks(rows, rowChunks(parameters));
    await writeChunks(calls, callChunks(parameters));
    await writeFile(done, describeFile(parameters));
  } else if ((await readFile(done, "utf8")) !== describeFile(parameters)) {
    throw new Error(`${done} was written with other parameters: remove the folder`);
  }
  const [callBytes, rowBytes] = [(await stat(calls)).size, (await stat(rows)).size];
  return { folder, calls, rows, parameters, callBytes, rowBytes };
}

function describeFile(parameters: DataParameters): string {
  return `${JSON.stringify(parameters, null, 2)}\n`;
}

async function checkSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes * 1.1)
    throw new Error(
      `${folder}: ${Math.ceil(bytes / 1e9)} GB needed, ${Math.floor((bavail * bsize) / 1e9)} GB free`,
    );
}

async function writeChunks(file: string, chunks: Iterable<Buffer>): Promise<void> {
  const partial = `${file}.partial`;
  await pipeline(Readable.from(chunks, { highWaterMark: 4 }), createWriteStream(partial));
  await rename(partial, file);
}
