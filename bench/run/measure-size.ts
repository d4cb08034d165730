import type { DataFiles } from "../generate/files.ts";
import type { ColdWorkload, ConcurrentWorkload, QueryWorkload, Workload } from "../workloads.ts";
import { isInMemory } from "../subjects/registry.ts";
import { loadSubjects, storePath, type LoadOptions } from "./load-subjects.ts";
import { measureList, type Measure, type MeasureList } from "./measures.ts";
import { startSubject, type SubjectProcess } from "./subject-process.ts";

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
      if (workload.kind === "query") await measureQuery(processes, workload, options.runs, list);
      else if (workload.kind === "add") await measureAdd(processes, options.runs, list);
      else await measureConcurrent(processes, workload, options.runs, list);
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

async function measureQuery(
  processes: readonly SubjectProcess[],
  { letter, title, question }: QueryWorkload,
  runs: number,
  list: MeasureList,
): Promise<void> {
  const hashes = new Map<string, string>();
  for (const one of processes) {
    const { hash } = await one.ask({ kind: "check", question });
    if (hash !== undefined) hashes.set(hash, one.subject);
  }
  if (hashes.size > 1)
    throw new Error(`(${letter}): ${[...hashes.values()].join(" and ")} answer differently`);
  for (let run = 0; run < runs; run += 1)
    for (const one of processes) {
      const { milliseconds } = await one.ask({ kind: "answer", question });
      list.add(`(${letter}) ${title}`, "ms", one.subject, milliseconds);
    }
}

async function measureAdd(
  processes: readonly SubjectProcess[],
  runs: number,
  list: MeasureList,
): Promise<void> {
  for (let run = 0; run < runs; run += 1)
    for (const one of processes)
      list.add("(m) 100 calls more", "ms", one.subject, (await one.ask({ kind: "add" })).milliseconds);
}

async function measureConcurrent(
  processes: readonly SubjectProcess[],
  { letter, title, questions }: ConcurrentWorkload,
  runs: number,
  list: MeasureList,
): Promise<void> {
  const label = `(${letter}) ${title}`;
  for (let run = 0; run < runs; run += 1)
    for (const one of processes) {
      const reply = await one.ask({ kind: "concurrent", questions });
      const { milliseconds, sequentialMilliseconds, blockedMilliseconds, peakBytes } = reply;
      if (milliseconds === null || sequentialMilliseconds === undefined) continue;
      list.add(label, "ms", one.subject, milliseconds);
      list.add(
        "(o) throughput against one at a time",
        "times",
        one.subject,
        sequentialMilliseconds / milliseconds,
      );
      list.add("(o) longest block of the event loop", "ms", one.subject, blockedMilliseconds);
      if (run === runs - 1) list.add("peak memory of the queries", "MB", one.subject, peakBytes / 1e6);
    }
}
