import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, rename, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { callChunks, rowChunks } from "./chunks.ts";
import { countTrials, describeParameters, isCompressed, type DataParameters } from "./parameters.ts";

/** One generated data set on disk. */
export interface DataFiles {
  readonly folder: string;
  readonly calls: string;
  readonly rows: string;
  readonly parameters: DataParameters;
  /** Of the calls before they are compressed. */
  readonly callBytes: number;
  readonly rowBytes: number;
}

const bytesPerTrial = 3400;
/** By gzip at its fastest. */
const compression = 7;

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
  const calls = path.join(folder, isCompressed(parameters) ? "calls.ndjson.gz" : "calls.ndjson");
  const rows = path.join(folder, "rows.ndjson");
  const done = path.join(folder, "parameters.json");
  const bytes = path.join(folder, "calls.bytes");
  if (!existsSync(done)) {
    await mkdir(folder, { recursive: true });
    const plain = countTrials(parameters) * bytesPerTrial;
    await checkSpace(folder, isCompressed(parameters) ? plain / compression : plain);
    report(`generating ${countTrials(parameters)} trials into ${folder}`);
    await writeChunks(rows, rowChunks(parameters));
    await writeFile(bytes, String(await writeChunks(calls, callChunks(parameters))));
    await writeFile(done, describeFile(parameters));
  } else if ((await readFile(done, "utf8")) !== describeFile(parameters)) {
    throw new Error(`${done} was written with other parameters: remove the folder`);
  }
  const callBytes = existsSync(bytes) ? Number(await readFile(bytes, "utf8")) : (await stat(calls)).size;
  return { folder, calls, rows, parameters, callBytes, rowBytes: (await stat(rows)).size };
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

/** Returns how many bytes the chunks have; a file whose name ends in `.gz` has fewer. */
async function writeChunks(file: string, chunks: Iterable<Buffer>): Promise<number> {
  const partial = `${file}.partial`;
  let bytes = 0;
  const counted = function* (): Generator<Buffer> {
    for (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  const zip = file.endsWith(".gz") ? [createGzip({ level: 1 })] : [];
  await pipeline([Readable.from(counted(), { highWaterMark: 4 }), ...zip, createWriteStream(partial)]);
  await rename(partial, file);
  return bytes;
}
