import type { Reporter, TestCase, Vitest } from "vitest/node";

const REASON = /\[skipped: (.*?)\]/;

/** The end of a name of tests that are skipped for a reason, or not; the report at the end of a run finds it there. */
export function because(reason: string | null): string {
  return reason === null ? "" : ` [skipped: ${reason}]`;
}

function reasonOf(test: TestCase): string {
  const { note } = test.result() as { readonly note?: string };
  return note ?? REASON.exec(test.fullName)?.[1] ?? "no reason given";
}

/** A reporter that ends a run with what it skipped, and why. */
export function skippedReport(write: (text: string) => void): Reporter {
  let isFiltered = false;
  return {
    onInit(vitest: Vitest) {
      isFiltered = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd(modules) {
      // What `-t` leaves out counts as skipped, too.
      if (isFiltered) return;
      const counts = new Map<string, number>();
      for (const module of modules) {
        for (const test of module.children.allTests("skipped")) {
          const line = `${module.relativeModuleId}: ${reasonOf(test)}`;
          counts.set(line, (counts.get(line) ?? 0) + 1);
        }
      }
      const lines = Array.from(counts, ([line, count]) => `  ${count} in ${line}\n`);
      if (lines.length > 0) write(`Skipped tests\n${lines.join("")}`);
    },
  };
}
