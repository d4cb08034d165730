import type { Failure } from "./run.ts";

const SHOWN = 5;

/** What failed, by kind: how often, and how to see one of each kind again. */
export function report(scenario: string, checked: number, failures: readonly Failure[]): string {
  const kinds = new Map<string, Failure[]>();
  for (const failure of failures) {
    const kind = kindOf(failure.problems[0] ?? "");
    kinds.set(kind, [...(kinds.get(kind) ?? []), failure]);
  }
  const lines = [...kinds].flatMap(([kind, [first, ...others]]) => [
    `  ${others.length + 1} x ${kind}`,
    ...(first?.problems.slice(0, SHOWN) ?? []).map((problem) => `      ${problem}`),
    `      session ${first?.session}: ${first?.command}`,
  ]);
  return [`${scenario}: ${checked} states, ${failures.length} failed`, ...lines, ""].join("\n");
}

/** The first words, without numbers. */
function kindOf(problem: string): string {
  return problem.replaceAll(/\d+/g, "N").slice(0, 160);
}
