import { expect, it } from "vitest";
import type { TestCase, TestModule } from "vitest/node";
import { because, skippedReport } from "../support/skipped.ts";

function skipped(fullName: string, note?: string): TestCase {
  return { fullName, result: () => ({ state: "skipped", note }) } as unknown as TestCase;
}

function moduleOf(relativeModuleId: string, tests: readonly TestCase[]): TestModule {
  return { relativeModuleId, children: { allTests: () => tests } } as unknown as TestModule;
}

function reportOn(modules: readonly TestModule[]): string {
  let text = "";
  void skippedReport((piece) => (text += piece)).onTestRunEnd?.(modules, [], "passed");
  return text;
}

it("ends a run with what was skipped, and why", () => {
  const tests = [
    skipped(`figures${because("no data")} > are right`),
    skipped(`figures${because("no data")} > are there`),
    skipped("a trace", "no compiler"),
    skipped("a mystery"),
  ];
  expect(reportOn([moduleOf("a.test.ts", tests)])).toBe(
    "Skipped tests\n  2 in a.test.ts: no data\n  1 in a.test.ts: no compiler\n  1 in a.test.ts: no reason given\n",
  );
});

it("says nothing where nothing was", () => {
  expect(reportOn([moduleOf("a.test.ts", [])])).toBe("");
  expect(because(null)).toBe("");
});
