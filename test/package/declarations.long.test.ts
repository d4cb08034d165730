import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage, SLOW_BUILD, type UserProject } from "./install-package.ts";
import { readDeclarations, type Declared } from "./read-declarations.ts";

let user: UserProject;
let exported: readonly Declared[] = [];
beforeAll(async () => {
  user = await installPackage();
  exported = await readDeclarations(user, "exports.ts", 'export * from "evalcube";\n');
}, SLOW_BUILD);
afterAll(() => user.remove());

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Names, and members as `Name.member`, beside which an editor shows nothing. */
function undocumented(declared: readonly Declared[]): string[] {
  return declared.flatMap(({ name, doc, members }) => [
    ...(doc === "" ? [name] : []),
    ...members.filter((member) => member.doc === "").map((member) => `${name}.${member.name}`),
  ]);
}

/** Names of types in a declaration, but those of type parameters. */
function namesIn(text: string): string[] {
  const code = text.replaceAll(/"[^"]*"/g, "");
  const parameters = new Set(
    Array.from(code.matchAll(/[<[,]\s*(\w+)(?: (?:extends|in|=) |>\()/g), ([, name]) => name),
  );
  const names = Array.from(code.matchAll(/(?<![\w.])[A-Z][a-z]\w*/g), ([name]) => name);
  return names.filter((name) => !parameters.has(name));
}

/** Names that a declaration says, or one that it names, and so on, which are not exported. */
function missingFrom(start: string): string[] {
  const seen = new Set([start]);
  for (const name of seen)
    for (const one of exported.filter((declared) => declared.name === name))
      for (const other of namesIn(one.text)) seen.add(other);
  const names = new Set(exported.map(({ name }) => name));
  return [...seen].filter((name) => !names.has(name) && !FOREIGN.includes(name) && !INTERNAL.includes(name));
}

/** Of the language, Node and apache-arrow. */
const FOREIGN = words(`
  AbortSignal AsyncDisposable AsyncGenerator AsyncIterable Awaited Date Exclude Iterable IterableIterator Omit Partial Pick Promise Readonly Record ReturnType Symbol Uint8Array
  RecordBatch Table Writable WritableStream
`);

/** Helpers and parameters of types. */
const INTERNAL = words(
  "Row Output Request Args DeepReadonly Operator Wire ByK Shape PlainStats Statistics Sent EntryField ByOne Told CountName",
);

function membersOf(of: string): readonly string[] {
  return exported.filter(({ name }) => name === of).flatMap((one) => one.members.map(({ name }) => name));
}

describe("what an editor shows of the package", () => {
  it("is the engine with all of its members", () => {
    const engine = exported.find(({ name }) => name === "Engine");
    expect(new Set(engine?.members.map(({ name }) => name))).toEqual(
      new Set(
        words(`
        ingestCalls ingestRows ingestFile importEvaluations interrupt deleteCalls
        queryEvalResults queryEvalResultsJson streamEvalResults explain listProjects listEvaluations countEvaluations info
        queryTable queryBatches queryColumns exportResults
        sql sqlBatches exportSql
        compareEvaluations leaderboard history agreement items planRows steps
        deleteEvaluations
        feedback training usage weave
        check backup maintain close
        startEvaluation evaluate logScore
      `),
      ),
    );
  });

  it("has a doc comment on every exported name, and on every member", () => {
    expect(undocumented(exported)).toEqual([]);
  });

  it("has the members of requests, responses and records, each with its doc comment", () => {
    expect(membersOf("EvalResultsRequest")).toEqual(expect.arrayContaining(["include_summary", "pass_k"]));
    expect(membersOf("EvalResultsResponse")).toEqual(words("rows total_rows summary warnings"));
    expect(membersOf("EvaluationSummary")).toEqual(expect.arrayContaining(["trial_count", "scorer_stats"]));
    expect(membersOf("ScorerStats")).toEqual(
      expect.arrayContaining(["pass_rate", "pass_at_k", "error_count", "p50"]),
    );
    expect(membersOf("CallRecord")).toEqual(expect.arrayContaining(["id", "op_name", "output"]));
    expect(membersOf("DatasetRowRecord")).toEqual(words("project_id digest val"));
    expect(membersOf("FeedbackRecord")).toEqual(expect.arrayContaining(["svc_ref", "payload"]));
  });

  it("has no path of a file and no schema in the engine", () => {
    const engine = exported.find(({ name }) => name === "Engine");
    expect(engine?.text).not.toMatch(/import\(|Zod|\bz\./);
  });

  it("names no type of the engine that is not exported", () => {
    expect([...missingFrom("Engine"), ...missingFrom("EngineOptions")]).toEqual([]);
  });
});

it("finds a member without a doc comment", async () => {
  const planted = `import type { Engine } from "evalcube";
    /** An engine with more. */
    export interface Planted extends Pick<Engine, "close"> {
      /** Told. */
      readonly told: string;
      readonly untold: string;
    }`;
  expect(undocumented(await readDeclarations(user, "planted.ts", planted))).toEqual(["Planted.untold"]);
});
