import type { JudgedGate } from "../gates/judge-gates.ts";
import { scoreName } from "../../view/words/score.ts";
import { claimWithFigures, type Compared } from "../../view/words/comparison-words.ts";
import { visible } from "./markdown.ts";

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

/** Attributes of an element; those that are undefined are left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with texts or elements inside, which are XML already. */
function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`],
  );
  const head = `${name}${list.join("")}`;
  return children.length === 0 ? `<${head}/>` : `<${head}>${children.join("")}</${name}>`;
}

/** Escapes a text for content and attributes. Controls, which XML cannot hold, show as their code points. */
function escapeXml(text: string): string {
  return text
    .split("\n")
    .map(visible)
    .join("\n")
    .replaceAll(/[&<>"'\n]|[\uFFFE\uFFFF]/g, (one) =>
      one >= "\uFFFE" ? "\uFFFD" : `&#${one.codePointAt(0)};`,
    );
}
