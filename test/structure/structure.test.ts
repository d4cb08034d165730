import path from "node:path";
import { describe, expect, it } from "vitest";
import { cycleOf, findCycle, importsOf, readSources, violations, type Rules } from "./source-graph.ts";

const CORE = ["errors.ts", "model", "store"];
const ADAPTERS = ["feedback", "inference", "training"];

/** From left to right along the path of the data; then the edges. */
const RULES: Rules = {
  edges: {
    "errors.ts": [],
    model: ["errors.ts"],
    store: ["errors.ts", "model"],
    stats: ["errors.ts"],
    request: CORE,
    plan: [...CORE, "request"],
    compile: [...CORE, "request", "plan"],
    arrow: CORE,
    ingest: [...CORE, "arrow"],
    respond: [...CORE, "request", "plan", "compile", "stats"],
    engine: [...CORE, "request", "plan", "compile", "ingest", "respond", "stats", "arrow"],
    feedback: CORE,
    inference: CORE,
    training: CORE,
    http: [...CORE, ...ADAPTERS],
    "open-engine.ts": [...CORE, "request", "engine", ...ADAPTERS],
    "index.ts": [
      ...CORE,
      "request",
      "plan",
      "ingest",
      "respond",
      "engine",
      "open-engine.ts",
      "http",
      "stats",
    ],
    demo: [...CORE, "engine", "index.ts", "stats"],
    cli: [...CORE, "engine", "index.ts", ...ADAPTERS, "http", "demo"],
  },
  soleImporters: { "@duckdb/node-api": "engine/duckdb/", "@duckdb/node-bindings": "engine/duckdb/native/" },
  barrels: ["index.ts", "stats/index.ts"],
};

const sources = readSources(path.join(import.meta.dirname, "../../src"));

describe("the source folders", () => {
  it("import one way, as the table says", () => {
    expect(violations(sources, RULES)).toEqual([]);
  });

  it("have no import cycle", () => {
    expect(findCycle(sources)).toBeNull();
  });

  it("cannot form a cycle within the table", () => {
    expect(cycleOf(Object.keys(RULES.edges), (folder) => RULES.edges[folder] ?? [])).toBeNull();
  });

  it("are all in the table, and the table names no other", () => {
    const folders = new Set([...sources.keys()].map((file) => file.split("/")[0]));
    expect(folders).toEqual(new Set(Object.keys(RULES.edges)));
  });

  it("are read as far as imports go: the database client is found where it belongs", () => {
    const importers = [...sources].filter(([file, text]) =>
      importsOf(file, text).includes("@duckdb/node-api"),
    );
    const folders = new Set(importers.map(([file]) => path.posix.dirname(file)));
    expect(folders).toEqual(
      new Set(["", "/file", "/read", "/tuning", "/write"].map((room) => `engine/duckdb${room}`)),
    );
  });
});

describe("a planted fault", () => {
  const plan = 'export interface Plan {\n  readonly kind: "plan";\n}\n';

  it.each([
    [
      "an import against the direction",
      {
        "plan/plan.ts": 'import {\n  compile,\n} from "../compile/compile.ts";\n',
        "compile/compile.ts": "export {};\n",
      },
      "plan/plan.ts imports compile/compile.ts: plan may not see compile",
    ],
    [
      "an import of a type against the direction",
      { "model/a.ts": 'import type { Plan } from "../plan/plan.ts";\n', "plan/plan.ts": plan },
      "model/a.ts imports plan/plan.ts: model may not see plan",
    ],
    [
      "an adapter that sees another",
      {
        "feedback/a.ts": 'import { b } from "../training/b.ts";\n',
        "training/b.ts": "export const b = 1;\n",
      },
      "feedback/a.ts imports training/b.ts: feedback may not see training",
    ],
    [
      "an import within a function",
      { "stats/a.ts": 'export const a = () => import("../model/b.ts");\n', "model/b.ts": "export {};\n" },
      "stats/a.ts imports model/b.ts: stats may not see model",
    ],
    [
      "the database client in a second file",
      { "engine/other.ts": 'import { DuckDBInstance } from "@duckdb/node-api";\n' },
      "engine/other.ts imports @duckdb/node-api, which only engine/duckdb/ may",
    ],
    [
      "a barrel",
      { "plan/all.ts": 'export type { Plan } from "./plan.ts";\n', "plan/plan.ts": plan },
      "plan/all.ts passes on the exports of another file",
    ],
    ["an index", { "plan/index.ts": plan }, "plan/index.ts is one index too many"],
    [
      "a folder that nobody knows",
      { "utils/a.ts": 'import "./b.ts";\n', "utils/b.ts": "" },
      "utils/a.ts is in no known folder",
    ],
    [
      "an import of nothing",
      { "plan/a.ts": 'import "./gone.ts";\n' },
      "plan/a.ts imports plan/gone.ts, which is not there",
    ],
  ])("is found: %s", (_fault, files, sentence) => {
    expect(violations(new Map(Object.entries(files)), RULES)).toEqual([sentence]);
  });

  it("is found: a cycle of three files", () => {
    const files = {
      "plan/a.ts": 'import { b } from "./b.ts";\n',
      "plan/b.ts": 'import type { C } from "./c.ts";\n',
      "plan/c.ts": 'import "../model/d.ts";\nimport { a } from "./a.ts";\n',
      "model/d.ts": "export {};\n",
    };
    const planted = new Map(Object.entries(files));
    expect(findCycle(planted)).toEqual(["plan/a.ts", "plan/b.ts", "plan/c.ts", "plan/a.ts"]);
    expect(violations(planted, RULES)).toEqual([]);
  });
});
