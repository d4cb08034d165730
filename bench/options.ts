import { parseArgs } from "node:util";
import { isSizeName, sizes, type SizeName } from "./generate/parameters.ts";
import { isSubjectName, subjectNames, type SubjectName } from "./subjects/registry.ts";

export interface BenchOptions {
  readonly sizes: readonly SizeName[];
  /** Letters of workloads. */
  readonly workloads: readonly string[];
  readonly subjects: readonly SubjectName[];
  readonly runs: number;
  readonly reuse: boolean;
  readonly write: boolean;
}

const letters = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o".split(",");

export const usage = `npm run bench -- [options]
  --size ${Object.keys(sizes).join("|")}   one or more, with commas; a later size also shows its growth (100k)
  --workloads a,c,h            letters (all)
  --subjects ${subjectNames.join(",")}   (all)
  --runs N                     timed runs of each workload (7)
  --reuse                      take the stores of an earlier run; leaves out (l) where one is found
  --write                      also write bench/RESULTS.md, of several sizes bench/RESULTS-GROWTH.md
Data and stores go to $EVALCUBE_BENCH_DIR, or to the temporary folder.`;

export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: "string", default: "100k" },
      workloads: { type: "string", default: letters.join(",") },
      subjects: { type: "string", default: subjectNames.join(",") },
      runs: { type: "string", default: "7" },
      reuse: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs is a whole number from 1");
  return {
    sizes: readList("--size", values.size, isSizeName),
    workloads: readList("--workloads", values.workloads, (text): text is string => letters.includes(text)),
    subjects: readList("--subjects", values.subjects, isSubjectName),
    runs,
    reuse: values.reuse,
    write: values.write,
  };
}

function readList<T extends string>(
  option: string,
  text: string,
  isMember: (part: string) => part is T,
): T[] {
  return text.split(",").map((part) => {
    if (!isMember(part)) throw new Error(`${option}: ${part} is unknown`);
    return part;
  });
}
