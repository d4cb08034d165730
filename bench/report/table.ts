import { median, type Measure, type Unit } from "../run/measures.ts";
import type { SubjectName } from "../subjects/registry.ts";

/** A Markdown table: medians with the least and the most of all runs, and how many times the first subject's. */
export function formatTable(
  measures: readonly Measure[],
  subjects: readonly SubjectName[],
  earlier: readonly Measure[] | null,
): string {
  const [first] = subjects;
  const columns: Column[] = subjects.map((name) => ({
    name,
    text: (measure) => cell(measure, name) + (name === first ? "" : ratio(measure, name, first)),
  }));
  if (earlier !== null && first !== undefined)
    columns.splice(1, 0, { name: `${first}, growth`, text: (measure) => growth(measure, earlier, first) });
  const ordered = measures.toSorted((a, b) => rank(a).localeCompare(rank(b)));
  return markdown(
    ["measure", ...columns.map((column) => column.name)],
    ordered.map((measure) => [measure.label].concat(columns.map((column) => column.text(measure)))),
  );
}

interface Column {
  readonly name: string;
  readonly text: (measure: Measure) => string;
}

/** Measures of a workload by its letter, then the rest. */
function rank(measure: Measure): string {
  return measure.label.startsWith("(") ? measure.label.slice(0, 3) : "z";
}

function cell(measure: Measure, subject: SubjectName): string {
  const values = measure.values.get(subject);
  if (values === undefined) return "–";
  const middle = formatNumber(median(values), measure.unit);
  if (values.length === 1) return `${middle} ${measure.unit}`;
  const least = formatNumber(Math.min(...values), measure.unit);
  const most = formatNumber(Math.max(...values), measure.unit);
  return `${middle} ${measure.unit} (${least}–${most})`;
}

function ratio(measure: Measure, subject: SubjectName, first: SubjectName | undefined): string {
  const own = measure.values.get(subject);
  const base = first === undefined ? undefined : measure.values.get(first);
  if (own === undefined || base === undefined || measure.unit === "times") return "";
  return ` **${formatNumber(median(own) / median(base), "times")}×**`;
}

function growth(measure: Measure, earlier: readonly Measure[], subject: SubjectName): string {
  const before = earlier.find((entry) => entry.label === measure.label && entry.unit === measure.unit);
  const own = measure.values.get(subject);
  const base = before?.values.get(subject);
  if (own === undefined || base === undefined) return "–";
  return `${formatNumber(median(own) / median(base), "times")}×`;
}

function formatNumber(value: number, unit: Unit): string {
  if (unit === "calls/s" || value >= 100) return Math.round(value).toLocaleString("en-US");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function markdown(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = header.map((_, index) => (index === 0 ? "---" : "---:"));
  return [header, rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
