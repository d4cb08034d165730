import type { DataFiles } from "../generate/files.ts";
import type { ColdWorkload, Workload } from "../workloads.ts";
import { isInMemory } from "../subjects/registry.ts";
import { loadSubjects, storePath, type LoadOptions } from "./load-subjects.ts";
import { measureWorkload } from "./measure-workload.ts";
import { measureList, type Measure, type MeasureList } from "./measures.ts";
import { startSubject } from "./subject-process.ts";

export interface RunOptions extends LoadOptions {
  readonly runs: number;
}

/** Measures the workloads over one data set. In each run the subjects take turns. */
export async function measureSize(
  files: DataFiles,
  workloads: readonly Workload[],
  options: RunOptions,
): Promise<readonly Measure[]> {
  const list = measureList();
  const processes = await loadSubjects(files, options, list);
  try {
    for (const workload of workloads) {
      if (workload.kind === "load" || workload.kind === "cold") continue;
      options.report(`(${workload.letter}) ${workload.title}`);
      await measureWorkload(processes, workload, options.runs, list);
    }
  } finally {
    for (const one of processes) await one.stop();
  }
  for (const workload of workloads)
    if (workload.kind === "cold") await measureCold(files, workload, options, list);
  return list.measures;
}

/** In fresh processes, when nothing else holds the stores. What lives in memory must load all of it again. */
async function measureCold(
  files: DataFiles,
  { letter, title, question }: ColdWorkload,
  { subjects, runs, report }: RunOptions,
  list: MeasureList,
): Promise<void> {
  report(`(${letter}) ${title}`);
  for (let run = 0; run < runs; run += 1)
    for (const subject of subjects) {
      if (isInMemory(subject) && run > 0) continue;
      const fresh = startSubject({ subject, files, store: storePath(files, subject) });
      const opened = await fresh.ask({ kind: "open" });
      const answered = await fresh.ask({ kind: "answer", question });
      await fresh.stop();
      if (opened.milliseconds === null || answered.milliseconds === null) continue;
      list.add(`(${letter}) ${title}`, "ms", subject, opened.milliseconds + answered.milliseconds);
    }
}
