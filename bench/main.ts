import { prepareFiles } from "./generate/files.ts";
import { countTrials, sizes, type SizeName } from "./generate/parameters.ts";
import { parseOptions, usage, type BenchOptions } from "./options.ts";
import { proveSubject, WrongAnswer } from "./prove.ts";
import { busyMachine } from "./report/machine.ts";
import { writeResults } from "./report/results-file.ts";
import { formatTable } from "./report/table.ts";
import { measureSize } from "./run/measure-size.ts";
import type { Measure } from "./run/measures.ts";
import { createSubject, fitsInMemory, type SubjectName } from "./subjects/registry.ts";
import { buildQueries, buildWorkloads } from "./workloads.ts";

const report = (message: string): void => {
  console.error(`${new Date().toISOString().slice(11, 19)} ${message}`);
};

/** The subjects that answer rightly. The others are named and left out. */
async function proveSubjects(subjects: readonly SubjectName[]): Promise<SubjectName[]> {
  const files = await prepareFiles(sizes.small, report);
  const proven: SubjectName[] = [];
  for (const name of subjects) {
    report(`proving ${name}`);
    try {
      await proveSubject(await createSubject(name), files, buildQueries(files.parameters));
      proven.push(name);
    } catch (error) {
      if (!(error instanceof WrongAnswer)) throw error;
      report(`refused: ${error.message}`);
      process.exitCode = 1;
    }
  }
  return proven;
}

async function measure(
  size: SizeName,
  proven: readonly SubjectName[],
  options: BenchOptions,
): Promise<readonly Measure[]> {
  const files = await prepareFiles(sizes[size], report);
  const workloads = buildWorkloads(files.parameters).filter(({ letter }) =>
    options.workloads.includes(letter),
  );
  const subjects = proven.filter((name) => {
    const fits = fitsInMemory(name, countTrials(files.parameters));
    if (!fits) report(`${name} is left out of ${size}: it does not fit into memory`);
    return fits;
  });
  const reuse = options.reuse;
  return measureSize(files, workloads, { subjects, runs: options.runs, reuse, report });
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  const busy = busyMachine();
  if (busy !== null) report(busy);
  const proven = await proveSubjects(options.subjects);
  const sections: string[] = [];
  let earlier: readonly Measure[] | null = null;
  for (const size of options.sizes) {
    const measures: readonly Measure[] = await measure(size, proven, options);
    const title = `## ${countTrials(sizes[size]).toLocaleString("en-US")} trials`;
    sections.push(`${title}\n\n${formatTable(measures, proven, earlier)}`);
    console.log(`${sections.at(-1) ?? ""}\n`);
    earlier = measures;
  }
  const command = ["npm run bench --", ...args].join(" ");
  const noted = busy === null ? sections : [`Note: ${busy}.`, ...sections];
  if (options.write) await writeResults(command, noted, options.sizes.length > 1);
}

const args = process.argv.slice(2);
if (args.includes("--help")) console.log(usage);
else await main(args);
