import type { JudgedGate } from "../gates/judge-gates.ts";
import { scoreName } from "../../words/score.ts";
import { claimWithFigures, type Compared } from "../../words/comparison-words.ts";
import { visible } from "./markdown.ts";

interface TestCase {
  readonly className: string;
  readonly name: string;
  /** Why it fails; empty where it passes. */
  readonly failures: readonly string[];
  readonly type: string;
  /** What is said of it in any case. */
  readonly said: string | null;
  /** Why it could not be judged: an error, or skipped. */
  readonly unjudged?: { readonly as: "error" | "skipped"; readonly text: string };
}

/** What could not be judged, and whether that is an error. */
interface Unjudged {
  readonly as: "error" | "skipped";
  readonly list: readonly {
    readonly evaluation: string | null;
    readonly reason: string;
    readonly text: string;
  }[];
}

/**
 * Writes a JUnit report: a test case for each gate, one for each comparison, which fails where it meets a gate, and one
 * for whatever could not be judged.
 */
export function junitReport(
  compared: Compared,
  gates: readonly JudgedGate[],
  others: readonly Unjudged[] = [],
  command = "compare",
): string {
  const unjudged = others.flatMap(({ as, list }) =>
    list.map(({ evaluation, reason, text }): TestCase => {
      const className = evaluation ?? "evalcube.ci";
      return { className, name: reason, failures: [], type: reason, said: null, unjudged: { as, text } };
    }),
  );
  const suites = [
    { name: "gates", cases: gates.map(gateCase) },
    { name: "comparisons", cases: [...comparisonCases(compared, gates), ...unjudged] },
  ];
  const all = suites.flatMap(({ cases }) => cases);
  const root = element(
    "testsuites",
    { name: `evalcube ${command}`, ...counts(all) },
    suites.map(({ name, cases }) =>
      element("testsuite", { name, ...counts(cases), skipped: skippedAmong(cases) }, cases.map(testCase)),
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
  const errors = cases.filter(({ unjudged }) => unjudged?.as === "error").length;
  return { tests: cases.length, failures, errors, time: 0 };
}

function skippedAmong(cases: readonly TestCase[]): number {
  return cases.filter(({ unjudged }) => unjudged?.as === "skipped").length;
}

function testCase({ className, name, failures, type, said, unjudged }: TestCase): string {
  const [message] = failures;
  const failure =
    message === undefined ? [] : [element("failure", { message, type }, [escapeXml(failures.join("\n"))])];
  const other = unjudged === undefined ? [] : [element(unjudged.as, { message: unjudged.text, type })];
  const output = said === null ? [] : [element("system-out", {}, [escapeXml(said)])];
  return element("testcase", { classname: className, name, time: 0 }, [...failure, ...other, ...output]);
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
