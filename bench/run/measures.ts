import type { SubjectName } from "../subjects/registry.ts";

export type Unit = "ms" | "s" | "calls/s" | "MB" | "of NDJSON" | "times";

/** One line of the report: what each subject gave, once per run. */
export interface Measure {
  readonly label: string;
  readonly unit: Unit;
  readonly values: ReadonlyMap<SubjectName, readonly number[]>;
}

export interface MeasureList {
  readonly measures: readonly Measure[];
  add(label: string, unit: Unit, subject: SubjectName, value: number | null | undefined): void;
}

export function measureList(): MeasureList {
  const measures: { label: string; unit: Unit; values: Map<SubjectName, number[]> }[] = [];
  return {
    measures,
    add: (label, unit, subject, value) => {
      if (value === null || value === undefined) return;
      let measure = measures.find((entry) => entry.label === label && entry.unit === unit);
      if (measure === undefined) {
        measure = { label, unit, values: new Map() };
        measures.push(measure);
      }
      const list = measure.values.get(subject);
      if (list === undefined) measure.values.set(subject, [value]);
      else list.push(value);
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
