import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { parseXml, type XmlElement } from "../support/xml.ts";
import { call, complaint, PROJECT, put, temporaryFolder, TRIAL, type Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const HOSTILE = "x</testcase>]]>&\"'<img src=x onerror=alert(1)>|\n**b** @you\u0007\u202E";

function run(id: string, name: string, rows: number, passes: number, errors = 0): object[] {
  return [
    call(id, "Evaluation.evaluate", { display_name: name }),
    ...Array.from({ length: rows }, (_, i) =>
      call(`${id}-${i}`, TRIAL, {
        parent_id: id,
        inputs: { example: { i } },
        ...(i < errors ? { exception: "ValueError" } : {}),
        output:
          i < errors ? null : { output: "", scores: { ok: i < passes, judge: { score: i / 100, tone: 1 } } },
      }),
    ),
  ];
}

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls([
    ...run("base", "the base", 40, 36),
    ...run("good", "the good one", 40, 40),
    ...run("bad", "the bad one", 40, 4),
    ...run("half", "the half one", 20, 18, 5),
    ...run("odd", HOSTILE, 40, 2),
  ]);
  await engine.close();
});

const DATABASE = ["--db", join(folder, "qa.duckdb"), "--project", PROJECT, "--baseline", "base"];

function compare(candidate: string, ...args: readonly string[]): Promise<Ended> {
  return evalcubeHere([
    "--quiet",
    "compare",
    ...DATABASE,
    "--candidate",
    candidate,
    "--scorer",
    "ok",
    "--format",
    "table",
    ...args,
  ]);
}

describe("a gate of compare", () => {
  it.each<[string, string, string]>([
    [
      "bad",
      "regressed",
      "regressed: the bad one is worse in ok, difference −80.0 points (p < 0.0001, 40 shared rows)",
    ],
    ["bad", "ok<90%", "ok<90%: the bad one has 10% (mean over 40 rows) (point, not shown)"],
    [
      "bad",
      "scores.ok <= 0.1",
      "scores.ok <= 0.1: the bad one has 0.1 (mean over 40 rows) (point, not shown)",
    ],
    ["good", "ok>=1", "ok>=1: the good one has 1 (mean over 40 rows) (point, not shown)"],
    [
      "good",
      "judge.score<0.2",
      "judge.score<0.2: the good one has 0.195 (mean over 40 rows) (point, not shown)",
    ],
    ["half", "errors>20%", "errors>20%: the half one has 25% (5 of 20 trials) (point, not shown)"],
    [
      "half",
      "coverage<60%",
      "coverage<60%: the half one has 50% (20 of 40 rows of the baseline) (point, not shown)",
    ],
    ["half", "ok<90%", "ok<90%: the half one has 86.6667% (mean over 15 of 20 rows) (point, not shown)"],
  ])("of %s that is met ends with status 3 and one line: %s", async (candidate, gate, line) => {
    const { status, stdout, stderr } = await compare(candidate, "--fail-on", gate, "--format", "json");
    expect({ status, stderr }).toEqual({ status: 3, stderr: `evalcube: ${line}\n` });
    expect(JSON.parse(stdout)).toMatchObject({ confidence: 0.95 });
  });

  it.each([
    ["good", "regressed"],
    ["good", "ok<1"],
    ["half", "errors>25%"],
    ["half", "coverage<50%"],
    ["good", "regressed,ok<90%,errors>0%,coverage<100%"],
  ])("of %s that is not met ends with status 0: %s", async (candidate, gates) => {
    const { status, stderr } = await compare(candidate, "--fail-on", gates, "--format", "json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("of a mean or of errors can ask that its whole interval is beyond", async () => {
    const json = ["--format", "json"];
    const shown = (candidate: string, gate: string) => compare(candidate, "--fail-on", gate, ...json);
    expect(await shown("bad", "ok<30% shown")).toMatchObject({
      status: 3,
      stderr:
        "evalcube: ok<30% shown: the bad one has 10% (mean over 40 rows, 95% interval 3.95795% to 23.0518%)\n",
    });
    // The point is beyond, the end of the interval is not.
    expect((await shown("bad", "ok<20% shown")).status).toBe(0);
    expect((await shown("half", "errors>20% shown")).status).toBe(0);
    expect(await shown("half", "errors>10% shown")).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("has 25% (5 of 20 trials, 95% interval 11.18") as string,
    });
    expect(await shown("good", "ok>0.9 shown")).toMatchObject({ status: 3 });
    expect(await compare("bad", "--fail-on", "ok<22% shown", "--confidence", "0.8", ...json)).toMatchObject({
      status: 3,
    });
  });

  it("asks for equivalence where a margin says what that is", async () => {
    const gate = ["--fail-on", "not-equivalent", "--format", "json"];
    expect(await compare("bad", ...gate, "--margin", "0.1")).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/^evalcube: not-equivalent: the bad one is worse in ok/) as string,
    });
    expect(await compare("half", ...gate, "--margin", "0.01")).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("is not shown to be as good in ok") as string,
    });
    expect((await compare("good", ...gate, "--margin", "0.5")).status).toBe(0);
  });

  it("asks for no loss beyond the margin, which is shown or is not", async () => {
    const gate = ["--fail-on", "not-shown-as-good", "--format", "json"];
    expect(await compare("bad", ...gate, "--margin", "0.1")).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(
        /^evalcube: not-shown-as-good: the bad one is not shown to be as good in ok: it may be 8\d\.\d points worse, difference −80\.0 points \(p = 1\.0, 40 shared rows\)\n/,
      ) as string,
    });
    expect((await compare("bad", ...gate, "--margin", "0.95")).status).toBe(0);
    expect((await compare("good", ...gate, "--margin", "0.5")).status).toBe(0);
    const undirected = ["--scorer", "judge.score", ...gate, "--margin", "9"];
    expect(await compare("good", ...undirected)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("in judge.score: nothing says which way is good") as string,
    });
    const directed = await compare("good", ...undirected, "--higher-is-better", "judge.score");
    expect(directed.stderr).toContain("in judge.score: all differences are equal");
  });

  it("is one of several, each with a line a candidate, and sees the filters of the request", async () => {
    const filters = [{ query: { $expr: { $lt: [{ $getField: "inputs.i" }, { $literal: 8 }] } } }];
    const request = put(folder, "filtered.json", JSON.stringify({ filters }));
    const { stderr } = await evalcubeHere([
      "--quiet",
      "compare",
      ...DATABASE,
      request,
      "--format=json",
      "--scorer=ok",
      "--candidate",
      "bad",
      "half",
      "--fail-on",
      "errors>50%,ok<1",
      "coverage<100%",
    ]);
    expect(stderr.split("\n")).toEqual([
      "evalcube: errors>50%: the half one has 62.5% (5 of 8 trials) (point, not shown)",
      "evalcube: ok<1: the bad one has 0.5 (mean over 8 rows) (point, not shown)",
      "",
    ]);
  });

  it.each<[string, RegExp]>([
    ["okay<90%", /^--fail-on: no trial has a score "okay"; there are "judge\.score"/],
    ["scores.judge<0.5", /"judge" stands for 2 scores; name one: judge\.score, judge\.tone/],
    ["judge<0.5", /judge needs compare with --corrected-by, .* a score called judge is scores\.judge/],
    ["worse", /there is no gate "worse"; there are regressed, slice-regressed, not-equivalent/],
    ["ok", /there is no gate "ok"/],
    ["errors>5", /errors>5% instead of errors>5/],
    ["coverage<90% shown", /there is no gate "coverage<90% shown"/],
    ["ok<90% point", /there is no gate "ok<90% point"/],
    ["latency>2 point", /there is no gate "latency>2 point"/],
    ["errors<5%", /there is no gate "errors<5%"; there are .*errors>N%/],
    ["coverage>90%", /there is no gate "coverage>90%"/],
    ["errors>500%", /there is no gate "errors>500%"/],
    ["not-equivalent", /needs --margin/],
    ["not-shown-as-good", /not-shown-as-good needs --margin/],
  ])("that cannot be judged ends with status 2: %s", async (gate, reason) => {
    const report = join(folder, "never.xml");
    const { status, stdout, stderr } = await compare("bad", "--fail-on", gate, "--junit", report);
    expect({ status, stdout, written: existsSync(report) }).toEqual({
      status: 2,
      stdout: "",
      written: false,
    });
    expect(complaint(stderr).reason).toMatch(reason);
  });
});

describe("the Markdown of compare", () => {
  it("has a conclusion in one line, the gates met, a table and notes", async () => {
    const { stdout } = await compare("bad", "--format", "markdown", "--fail-on", "ok<90%,errors>5%");
    const [conclusion, , met, changed, , head, , row, , ...rest] = stdout.split("\n");
    expect(conclusion).toBe("**Failed: 1 of 2 gates is met. the bad one is worse than the base in ok.**");
    expect(met).toBe("- ok&#60;90%: the bad one has 10% (mean over 40 rows) (point, not shown)");
    expect(changed).toMatch(/^- Changed: /);
    expect(head).toMatch(/^\| candidate \| score \|/);
    expect(row).toMatch(/^\| the bad one \| ok \| 40 \|/);
    expect(rest.join("\n")).toMatch(
      /^<details><summary>Notes<\/summary>\n\n- ▼ 10\.0% against 90\.0%: [^]*<\/details>\n$/,
    );
  });

  it("shows a hostile name as a text", async () => {
    const { stdout } = await compare("odd", "--format", "markdown", "--fail-on", "regressed");
    const html = marked.parse(stdout);
    const tags = [...html.matchAll(/<(\w+)/g)].map(([, tag]) => tag);
    const wanted = new Set([
      "p",
      "strong",
      "ul",
      "li",
      "table",
      "thead",
      "tbody",
      "tr",
      "th",
      "td",
      "details",
      "summary",
    ]);
    expect(tags.filter((tag) => !wanted.has(tag ?? ""))).toEqual([]);
    expect(html.match(/<tr>/g)).toHaveLength(2);
    expect(stdout).not.toMatch(/@you|\u202E/);
    expect(stdout).not.toContain("\u0007");
  });
});

/** The elements of the usual JUnit schema, their attributes, and what they hold; a list has the required attributes first. */
const SCHEMA: Readonly<Record<string, { attributes: string[]; required: string[]; holds: string[] }>> = {
  testsuites: {
    required: [],
    attributes: ["name", "tests", "failures", "errors", "time"],
    holds: ["testsuite"],
  },
  testsuite: {
    required: ["name", "tests"],
    attributes: ["name", "tests", "failures", "errors", "skipped", "time"],
    holds: ["testcase"],
  },
  testcase: {
    required: ["name", "classname"],
    attributes: ["name", "classname", "time"],
    holds: ["failure", "system-out"],
  },
  failure: { required: [], attributes: ["message", "type"], holds: [] },
  "system-out": { required: [], attributes: [], holds: [] },
};

function faultsOf({ name, attributes, children, text }: XmlElement): string[] {
  const rule = SCHEMA[name];
  if (rule === undefined) return [`${name} is unknown`];
  const named = Object.keys(attributes);
  const counted = ["tests", "failures", "errors", "skipped", "time"].filter((one) => named.includes(one));
  const all = children.flatMap((one) => [one, ...one.children]).filter((one) => one.name === "testcase");
  return [
    ...named.filter((one) => !rule.attributes.includes(one)).map((one) => `${name} has ${one}`),
    ...rule.required.filter((one) => !named.includes(one)).map((one) => `${name} has no ${one}`),
    ...counted.filter((one) => !/^\d+$/.test(attributes[one] ?? "")).map((one) => `${one} is no number`),
    ...children.filter((one) => !rule.holds.includes(one.name)).map((one) => `${name} holds ${one.name}`),
    ...(rule.holds.length > 0 && text !== "" ? [`${name} holds a text`] : []),
    ...("tests" in attributes && attributes["tests"] !== String(all.length) ? [`${name} counts wrong`] : []),
    ...children.flatMap(faultsOf),
  ];
}

describe("the JUnit report of compare", () => {
  const file = join(folder, "report.xml");

  async function report(candidate: string, ...args: readonly string[]): Promise<XmlElement> {
    await compare(candidate, "--junit", file, ...args);
    return parseXml(readFileSync(file, "utf8"));
  }

  it("has a case for each gate and each comparison, and fits the usual schema", async () => {
    const root = await report("bad", "--fail-on", "regressed,errors>5%");
    expect(faultsOf(root)).toEqual([]);
    expect(root.attributes).toMatchObject({ tests: "3", failures: "2", errors: "0" });
    const [gates, comparisons] = root.children;
    expect(gates?.children.map(({ attributes }) => attributes["name"])).toEqual(["regressed", "errors>5%"]);
    expect(gates?.children.map(({ children }) => children.length)).toEqual([1, 0]);
    const [one] = comparisons?.children ?? [];
    expect(one?.attributes).toEqual({ classname: "the bad one", name: "ok", time: "0" });
    expect(one?.children.map(({ name }) => name)).toEqual(["failure", "system-out"]);
    expect(one?.children[0]?.attributes["message"]).toMatch(/^regressed: the bad one is worse in ok/);
  });

  it("does not fail a comparison that no gate is about", async () => {
    const root = await report("bad");
    expect(root.attributes).toMatchObject({ tests: "1", failures: "0" });
    expect(root.children[1]?.children[0]?.children[0]?.text).toMatch(
      /^the bad one is worse than the base in ok\. 10\.0% against 90\.0%: −80\.0 points \(.*, p < 0\.0001, 40 shared rows\)\. 0 better, 32 rows worse\.$/,
    );
  });

  it("holds any name", async () => {
    const root = await report("odd", "--fail-on", "regressed");
    expect(faultsOf(root)).toEqual([]);
    expect(root.children[1]?.children[0]?.attributes["classname"]).toBe(
      "x</testcase>]]>&\"'<img src=x onerror=alert(1)>|\n**b** @youU+0007U+202E",
    );
  });

  it("is not written where the folder does not exist", async () => {
    const { status, stderr } = await compare("bad", "--junit", join(folder, "no", "report.xml"));
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/cannot write/) as string,
    });
  });
});

describe("a gate where failed trials count", () => {
  const count = ["--count-errors-as", "ok=0"];

  it("is met by a rate that it passes without them, and the table and the comment say so", async () => {
    expect(await compare("half", "--fail-on", "ok<80%")).toMatchObject({ status: 0 });
    const counted = await compare("half", "--fail-on", "ok<80%", ...count);
    expect(counted.status).toBe(3);
    expect(counted.stderr).toContain("ok<80%: the half one has 65% (mean over 20 rows) (point, not shown)");
    expect(counted.stdout).toContain('"the half one", ok: errors count as 0 (5 of 20)');
    const { stdout } = await compare("half", "--format", "markdown", ...count);
    expect(stdout).toContain("errors count as 0 (5 of 20)");
    const flags = ["--candidate", "half", "--scorer", "ok", "--format", "table"];
    const plain = await evalcubeHere(["compare", ...DATABASE, ...flags]);
    expect(plain.stderr).toContain(
      'note: "the half one", ok: between 65% and 90% if the 5 failed trials are counted as wrong or as right',
    );
  });

  it("is met in a report, too", async () => {
    const args = ["report", ...DATABASE, "--evaluation", "base", "--evaluation", "half", "--out", "-"];
    const none = await evalcubeHere([...args, "--count-nulls-as", "0"]);
    expect(none.stdout).toContain("No verdict counts as");
    const { status, stdout } = await evalcubeHere([...args, "--fail-on", "ok<80%", ...count]);
    expect(status).toBe(3);
    expect(stdout).toContain("Errors count as");
    expect(stdout).toContain("errors count as 0 (5 of 20)");
  });

  it.each([
    [["0", "ok=1"], "It takes one number, or SCORE=NUMBER once for each score."],
    [["ok=0", "ok=1"], "It takes one number, or SCORE=NUMBER once for each score."],
    [["ok="], "It takes a number, or SCORE=NUMBER for each of some scores."],
    [["x"], "It takes a number, or SCORE=NUMBER for each of some scores."],
    [["1e999"], "It takes a number, or SCORE=NUMBER for each of some scores."],
    [["okay=0"], '--count-errors-as: no trial has a score "okay"'],
    [["0.5"], '--count-errors-as: the values of "ok" are true and false'],
  ])("takes no other number: %j", async (numbers, reason) => {
    const { status, stderr } = await compare("half", "--count-errors-as", ...numbers);
    expect(status).toBe(2);
    expect(stderr).toContain(JSON.stringify(reason).slice(1, -1));
  });
});
