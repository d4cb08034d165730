import { fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { prepareFiles } from "../generate/files.ts";
import { isSizeName, sizes } from "../generate/parameters.ts";
import type { LoadMeasure } from "./load.ts";

/** Loads the same calls from NDJSON and from an Arrow table in memory, in turns, each in a process of its own. */
const { values } = parseArgs({
  options: {
    size: { type: "string", default: "100k" },
    calls: { type: "string", default: "400000" },
    runs: { type: "string", default: "3" },
  },
});
if (!isSizeName(values.size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);
const calls = Number(values.calls);
const files = await prepareFiles({ ...sizes[values.size], order: "children-first" });
const ndjson = path.join(files.folder, `first-${calls}.ndjson`);
await firstLines(files.calls, ndjson, calls);
console.log("| | calls/s | CPU, µs a call | peak memory beside | longest block |");
console.log("|---|---:|---:|---:|---:|");
for (let run = 0; run < Number(values.runs); run += 1)
  for (const form of ["ndjson", "arrow"] as const) {
    const measure = await measured(form);
    const cells = [
      (calls / measure.seconds).toFixed(0),
      ((measure.cpuSeconds / calls) * 1e6).toFixed(1),
      `${(measure.peakBytes / 2 ** 20).toFixed(0)} MiB`,
      `${measure.longestBlockMilliseconds.toFixed(1)} ms`,
    ];
    console.log(`| ${form} | ${cells.join(" | ")} |`);
  }
await rm(ndjson);

async function firstLines(from: string, to: string, count: number): Promise<void> {
  const out = createWriteStream(to);
  let written = 0;
  for await (const line of createInterface({ input: createReadStream(from) })) {
    if (written === count) break;
    written += 1;
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
  await new Promise<void>((resolve) => out.end(() => resolve()));
  if (written < count) throw new Error(`the data has ${written} calls; choose a larger --size`);
}

function measured(form: "ndjson" | "arrow"): Promise<LoadMeasure> {
  const child = fork(path.join(import.meta.dirname, "load.ts"), [form, ndjson, String(calls)], {
    execArgv: [...process.execArgv, "--expose-gc"],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (measure: LoadMeasure) => resolve(measure));
    child.once("exit", (code) => reject(new Error(`the load of ${form} ended with ${code}`)));
  });
}
