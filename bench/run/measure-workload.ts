import type { AddWorkload, ConcurrentWorkload, QueryWorkload } from "../workloads.ts";
import type { MeasureList } from "./measures.ts";
import type { Reply } from "./protocol.ts";
import type { SubjectProcess } from "./subject-process.ts";

/** Measures one workload on subjects that have their stores open. */
export async function measureWorkload(
  processes: readonly SubjectProcess[],
  workload: QueryWorkload | AddWorkload | ConcurrentWorkload,
  runs: number,
  list: MeasureList,
): Promise<void> {
  const label = `(${workload.letter}) ${workload.title}`;
  if (workload.kind === "concurrent") return measureConcurrent(processes, workload, label, runs, list);
  if (workload.kind === "query") await checkAnswers(processes, workload);
  const { kind } = workload;
  await takeTurns(processes, runs, 3, async (one) => {
    const reply = await one.ask(kind === "add" ? { kind } : { kind: "answer", question: workload.question });
    list.add(label, "ms", one.subject, reply.milliseconds);
    return reply.milliseconds;
  });
}

/** At full size the answers are compared as well, and the bytes of those that promise the same; this also warms the subjects up. */
async function checkAnswers(
  processes: readonly SubjectProcess[],
  { letter, question }: QueryWorkload,
): Promise<void> {
  const replies: { readonly subject: string; readonly reply: Reply }[] = [];
  for (const one of processes)
    replies.push({ subject: one.subject, reply: await one.ask({ kind: "check", question }) });
  for (const name of ["hash", "textHash"] as const) {
    const given = replies.filter(({ reply }) => reply[name] !== undefined);
    const other = given.find(({ reply }) => reply[name] !== given[0]?.reply[name]);
    if (other === undefined) continue;
    const what = name === "hash" ? "answer differently" : "write other bytes";
    throw new Error(`(${letter}): ${given[0]?.subject} and ${other.subject} ${what}`);
  }
}

async function measureConcurrent(
  processes: readonly SubjectProcess[],
  { questions }: ConcurrentWorkload,
  label: string,
  runs: number,
  list: MeasureList,
): Promise<void> {
  await takeTurns(processes, runs, 1, async (one) => {
    const reply = await one.ask({ kind: "concurrent", questions });
    const { milliseconds, sequentialMilliseconds: sequential } = reply;
    if (milliseconds === null || sequential === undefined) return null;
    list.add(label, "ms", one.subject, milliseconds);
    list.add("(o) throughput against one at a time", "times", one.subject, sequential / milliseconds);
    list.add("(o) longest block of the event loop", "ms", one.subject, reply.blockedMilliseconds);
    list.add("peak memory of the queries", "MB", one.subject, reply.peakBytes / 1e6);
    return milliseconds + sequential;
  });
}

/** Milliseconds. What is this slow does not need more than the least number of runs. */
const enough = 60_000;

/** Runs `measure` on each subject in turn, `runs` times, or fewer where it takes long. */
async function takeTurns(
  processes: readonly SubjectProcess[],
  runs: number,
  leastRuns: number,
  measure: (one: SubjectProcess) => Promise<number | null>,
): Promise<void> {
  const spent = new Map<SubjectProcess, number>();
  for (let run = 0; run < runs; run += 1)
    for (const one of processes) {
      const before = spent.get(one) ?? 0;
      if (run >= leastRuns && before > enough) continue;
      spent.set(one, before + ((await measure(one)) ?? 0));
    }
}
