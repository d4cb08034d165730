import { totalmem } from "node:os";
import type { Subject } from "./subject.ts";

/** How each subject is made. Modules are loaded on demand: an engine costs memory even when it is idle. */
const makers = {
  evalcube: async () => (await import("./evalcube/subject.ts")).evalcube(),
  "evalcube-clickhouse": async () => (await import("./evalcube/on-clickhouse.ts")).evalcubeOnClickHouse(),
  "duckdb-json": async () => (await import("./duckdb-json/subject.ts")).duckdbJson(),
  "read-json": async () => (await import("./read-json/subject.ts")).readJson(),
  "duckdb-parquet": async () => (await import("./duckdb-parquet/subject.ts")).duckdbParquet(),
  clickhouse: async () => (await import("./clickhouse/subject.ts")).clickhouse(),
  javascript: async () => (await import("./javascript/subject.ts")).plainJavaScript(),
  floor: async () => (await import("./floor/subject.ts")).floor(),
} satisfies Record<string, () => Promise<Subject>>;

export type SubjectName = keyof typeof makers;

/** In the order of the report. The others are compared with the first. */
export const subjectNames: readonly SubjectName[] = [
  "evalcube",
  "evalcube-clickhouse",
  "duckdb-json",
  "read-json",
  "duckdb-parquet",
  "clickhouse",
  "javascript",
  "floor",
];

export function isSubjectName(text: string): text is SubjectName {
  return Object.hasOwn(makers, text);
}

export async function createSubject(name: SubjectName): Promise<Subject> {
  return makers[name]();
}

/** Holds everything in memory: what it loads is gone with its process. */
export function isInMemory(name: SubjectName): boolean {
  return name === "javascript";
}

/** The subject that writes the store of this one; null where it loads the files itself. */
export function writerOf(name: SubjectName): SubjectName | null {
  return name === "floor" ? "evalcube" : null;
}

const bytesPerTrialInMemory = 5500;

export function fitsInMemory(name: SubjectName, trials: number): boolean {
  return !isInMemory(name) || trials * bytesPerTrialInMemory < totalmem() * 0.6;
}
