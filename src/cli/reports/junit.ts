import type { JudgedGate } from "../gates/judge-gates.ts";
import { scoreName } from "../../view/words/score.ts";
import { claimWithFigures, type Compared } from "../tables/comparison-words.ts";
import { element, escapeXml } from "./xml.ts";

interface TestCase {
  readonly className: string;
  readonly name: string;
  /** Why it fails; empty where it passes. */
  readonly failures: readonly string[];
  readonly type: string;
  /** What is said of it in any case. */
  readonly said: string | null;
}

/** Writes a JUnit report: a test case for each gate, and one for each comparison, which fails where it meets a gate. */
export function junitReport(compared: Compared, gates: readonly JudgedGate[]): string {
  const suites = [
    { name: "gates", cases: gates.map(gateCase) },
    { name: "comparisons", cases: comparisonCases(compared, gates) },
  ];
  const all = suites.flatMap(({ cases }) => cases);
  const root = element(
    "testsuites",
    { name: "evalcube compare", ...counts(all) },
    suites.map(({ name, cases }) =>
      element("testsuite", { name, ...counts(cases), skipped: 0 }, cases.map(testCase)),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function gateCase({ gate, reasons }: JudgedGate): TestCase {
  const failures = reasons.map(({ text }) => text);
  return { className: "evalcube.gates", name: gate.text, failures, type: "gate", said: null };
}

function comparisonCases(compared: Compared, gates: readonly JudgedGate[]): TestCase[] {
  const { answer, names } = compared;
  const reasons = gates.flatMap((one) => one.reasons);
  return answer.comparisons.map((one) => ({
    className: names.get(one.candidate) ?? one.candidate,
    name: scoreName(one),
    failures: reasons.filter(({ comparison }) => comparison === one).map(({ text }) => text),
    type: one.verdict,
    said: claimWithFigures(compared, one),
  }));
}

function counts(cases: readonly TestCase[]) {
  const failures = cases.filter((one) => one.failures.length > 0).length;
  return { tests: cases.length, failures, errors: 0, time: 0 };
}

function testCase({ className, name, failures, type, said }: TestCase): string {
  const [message] = failures;
  const failure =
    message === undefined ? [] : [element("failure", { message, type }, [escapeXml(failures.join("\n"))])];
  const output = said === null ? [] : [element("system-out", {}, [escapeXml(said)])];
  return element("testcase", { classname: className, name, time: 0 }, [...failure, ...output]);
}
