import { TIME_IN_NAME as TIME } from "../../translate/times.ts";

const SAMPLES = new RegExp(String.raw`^samples_(.+)_${TIME}\.jsonl(?:\.gz|\.zst)?$`);
const RESULTS = new RegExp(String.raw`_${TIME}\.json(?:\.gz|\.zst)?$`);

/** A samples file, and the task that its name says. */
export interface SamplesName {
  readonly name: string;
  readonly task: string;
  /** The time in the name. */
  readonly time: string;
}

/** What the name of a samples file says; null for any other name. */
export function samplesName(name: string): SamplesName | null {
  const [, task, time] = SAMPLES.exec(name) ?? [];
  return task === undefined || time === undefined ? null : { name, task, time };
}

/** The samples files that belong to a results file, by the time in their names. */
export function samplesOf(results: string, siblings: readonly string[]): SamplesName[] {
  const [, time] = RESULTS.exec(results) ?? [];
  const found = siblings.map(samplesName).filter((one) => one !== null && one.time === time);
  return found.filter((one) => one !== null).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names of files that may be the results of a samples file. */
export function resultsOf({ time }: SamplesName, siblings: readonly string[]): string[] {
  return siblings.filter((name) => RESULTS.exec(name)?.[1] === time);
}
