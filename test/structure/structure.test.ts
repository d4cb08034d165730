import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedNames, wideLines } from "./measures.ts";
import {
  cycleOf,
  findCycle,
  findFolderCycle,
  importsOf,
  loadedWith,
  readSources,
  unusedExports,
  unusedPermissions,
  violations,
  type Rules,
  filesReached,
} from "./source-graph.ts";

/** The one file that starts programs. */
const STARTS_PROGRAMS = "programs/start-program.ts";

/** From left to right along the path of the data; then the edges. */
const RULES: Rules = {
  edges: {
    "errors.ts": [],
    "package-files.ts": [],
    "view-files.ts": [],
    "load-thread-code.ts": [],
    model: ["errors.ts"],
    store: ["errors.ts", "package-files.ts", "model"],
    texts: ["errors.ts", "model", "store"],
    stats: ["errors.ts"],
    request: ["errors.ts", "model"],
    plan: ["errors.ts", "model", "request"],
    compile: ["model", "store", "request", "plan"],
    bytes: ["model"],
    arrow: ["errors.ts", "model", "store", "bytes"],
    flow: ["errors.ts", "model"],
    ingest: ["errors.ts", "model", "store", "bytes", "arrow", "flow"],
    programs: ["flow"],
    duckdb: [
      "errors.ts",
      "package-files.ts",
      "model",
      "store",
      "texts",
      "plan",
      "compile",
      "bytes",
      "arrow",
      "ingest",
      "flow",
    ],
    clickhouse: ["errors.ts", "model", "store", "bytes", "arrow", "ingest", "flow"],
    copy: ["errors.ts", "model", "store", "ingest"],
    respond: ["model", "request", "plan", "stats"],
    import: ["errors.ts", "model", "bytes", "arrow", "ingest", "flow"],
    engine: [
      "errors.ts",
      "load-thread-code.ts",
      "model",
      "store",
      "texts",
      "request",
      "plan",
      "compile",
      "ingest",
      "import",
      "respond",
      "stats",
      "bytes",
      "arrow",
      "flow",
      "copy",
    ],
    feedback: ["errors.ts", "model", "store"],
    inference: ["errors.ts", "model", "store", "flow"],
    training: ["errors.ts", "model", "store"],
    weave: ["errors.ts", "model", "store", "texts"],
    logging: ["errors.ts", "bytes", "flow", "ingest", "model"],
    http: [
      "errors.ts",
      "package-files.ts",
      "view-files.ts",
      "model",
      "request",
      "respond",
      "view",
      "feedback",
      "inference",
      "training",
      "weave",
      "mcp",
      "flow",
    ],
    remote: [
      "errors.ts",
      "model",
      "request",
      "bytes",
      "ingest",
      "import",
      "arrow",
      "flow",
      "duckdb",
      "engine",
      "feedback",
      "logging",
      "weave",
    ],
    "open-engine.ts": [
      "errors.ts",
      "remote",
      "engine",
      "feedback",
      "inference",
      "logging",
      "training",
      "weave",
    ],
    "index.ts": [
      "errors.ts",
      "model",
      "store",
      "request",
      "ingest",
      "import",
      "respond",
      "clickhouse",
      "engine",
      "open-engine.ts",
      "feedback",
      "inference",
      "logging",
      "training",
      "weave",
      "http",
      "stats",
    ],
    words: ["request", "respond", "model", "stats"],
    text: ["model"],
    view: ["view-files.ts", "model", "request", "respond", "stats", "engine", "words"],
    mcp: [
      "errors.ts",
      "package-files.ts",
      "model",
      "request",
      "respond",
      "duckdb",
      "engine",
      "view",
      "words",
      "store",
    ],
    "view-exports.ts": ["view"],
    "arrow-exports.ts": [],
    "schemas.ts": ["request"],
    demo: ["index.ts"],
    runners: ["errors.ts", "model", "flow", "ingest", "engine", "logging", "programs", "remote"],
    cli: [
      "errors.ts",
      "package-files.ts",
      "model",
      "request",
      "respond",
      "stats",
      "ingest",
      "import",
      "engine",
      "index.ts",
      "logging",
      "http",
      "mcp",
      "demo",
      "view",
      "runners",
      "programs",
      "words",
      "text",
    ],
  },
  rooms: {
    "model/step-items": ["model"],
    "model/otlp": ["model"],
    "arrow/decode": ["arrow"],
    "arrow/ipc": ["arrow"],
    "arrow/encode": [],
    "compile/relations": [],
    "compile/sums": ["compile/relations"],
    "compile/catalog": ["compile/relations"],
    "compile/walk": ["compile/relations"],
    "compile/scores": ["compile/relations"],
    "compile/filter": ["compile/relations", "compile/scores", "compile/sums"],
    "compile/rows": ["compile/relations", "compile/scores", "compile/sums", "compile/filter"],
    "compile/statistics": ["compile/relations", "compile/scores", "compile/sums", "compile/rows"],
    "compile/compare": ["compile/relations", "compile/sums", "compile/rows", "compile/statistics"],
    "compile/agreement": ["compile/relations", "compile/scores", "compile/sums", "compile/rows"],
    "compile/items": ["compile/relations", "compile/scores", "compile/sums", "compile/rows"],
    "compile/steps": ["compile/relations", "compile/scores", "compile/rows"],
    "compile/table": ["compile/relations", "compile/scores", "compile/rows"],
    "ingest/record": [],
    "ingest/texts": ["ingest/record"],
    "ingest/keys": [],
    "ingest/formats": ["ingest/record"],
    "ingest/lookup": ["ingest/record"],
    "ingest/sources": ["ingest/formats"],
    "ingest/merge": ["ingest/lookup", "ingest/record", "ingest/texts"],
    "ingest/write": ["ingest/keys", "ingest/lookup", "ingest/merge", "ingest/record"],
    "import/read": [],
    "import/check": ["import/read"],
    "import/recognise": ["import/read"],
    "import/translate": ["import/check", "import/read"],
    "import/runs": ["import", "import/read", "import/translate"],
    "import/workbook": ["import/read"],
    "import/sources": [
      "import",
      "import/formats",
      "import/translate",
      "import/workbook",
      "import/read",
      "import/recognise",
    ],
    "import/formats": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
      "import/formats/agents",
      "import/formats/evalcube",
      "import/formats/helm",
      "import/formats/inspect",
      "import/formats/lighteval",
      "import/formats/lm-eval",
      "import/formats/openai-evals",
      "import/formats/promptfoo",
      "import/formats/table",
    ],
    "import/formats/agents": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "import/formats/openai-evals": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "import/formats/evalcube": [
      "import",
      "import/read",
      "import/recognise",
      "import/translate",
      "import/formats/table/readers",
    ],
    "import/formats/helm": ["import", "import/check", "import/read", "import/recognise", "import/translate"],
    "import/formats/lighteval": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "import/formats/lm-eval": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "import/formats/table": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
      "import/formats/table/profiles",
      "import/formats/table/readers",
    ],
    "import/formats/table/profiles": ["import/read", "import/translate", "import/formats/table/readers"],
    "import/formats/table/readers": ["import/read", "import/recognise", "import/translate"],
    "import/formats/promptfoo": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "import/formats/inspect": [
      "import",
      "import/check",
      "import/read",
      "import/recognise",
      "import/translate",
    ],
    "respond/summary": [],
    "respond/query": ["respond/summary"],
    "respond/compare": ["respond/agreement", "respond/summary"],
    "respond/agreement": ["respond/summary"],
    "respond/items": [],
    "respond/plan": [],
    "respond/steps": ["respond/compare"],
    "respond/leaderboard": ["respond/compare", "respond/summary"],
    "respond/history": ["respond/compare", "respond/leaderboard"],
    "clickhouse/dialect": [],
    "clickhouse/server": [],
    "clickhouse/open": ["clickhouse/server"],
    "clickhouse/insert": ["clickhouse/dialect", "clickhouse/server"],
    "clickhouse/lookup": ["clickhouse/insert", "clickhouse/server"],
    "clickhouse/load": ["clickhouse/insert", "clickhouse/lookup", "clickhouse/open", "clickhouse/server"],
    "clickhouse/read": ["clickhouse/dialect", "clickhouse/lookup", "clickhouse/open", "clickhouse/server"],
    "clickhouse/records": ["clickhouse/insert", "clickhouse/open", "clickhouse/server"],
    "clickhouse/check": [
      "clickhouse/insert",
      "clickhouse/load",
      "clickhouse/lookup",
      "clickhouse/open",
      "clickhouse/server",
    ],
    "clickhouse/copy": ["clickhouse/lookup", "clickhouse/open", "clickhouse/server"],
    "duckdb/check": ["duckdb/file", "duckdb/load"],
    "duckdb/copy": [],
    "duckdb/parquet": [],
    "duckdb/native": [],
    "duckdb/read": ["duckdb/native"],
    "duckdb/write": ["duckdb/native"],
    "duckdb/views": [],
    "duckdb/file": ["duckdb/views"],
    "duckdb/dialect": [],
    "duckdb/load": [],
    "duckdb/load-thread/read": [],
    "duckdb/load-thread": ["duckdb/dialect", "duckdb/file", "duckdb/load"],
    "duckdb/sql": ["duckdb/views"],
    "duckdb/sql/syntax": [],
    "duckdb/sql/cost": ["duckdb/sql/syntax"],
    "duckdb/sql/views": ["duckdb/sql/syntax", "duckdb/views"],
    "engine/import": ["engine/catalog", "engine/base"],
    "engine/statistics": ["engine/walk"],
    "engine/slices": ["engine/catalog", "engine/statistics"],
    "engine/walk": [],
    "engine/catalog": ["engine/walk"],
    "engine/query": ["engine/catalog", "engine/slices", "engine/statistics", "engine/base"],
    "engine/compare": ["engine/catalog", "engine/query", "engine/slices", "engine/statistics", "engine/base"],
    "engine/leaderboard": [
      "engine/slices",
      "engine/statistics",
      "engine/catalog",
      "engine/compare",
      "engine/query",
      "engine/base",
    ],
    "engine/history": [
      "engine/catalog",
      "engine/compare",
      "engine/leaderboard",
      "engine/query",
      "engine/base",
    ],
    "engine/agreement": ["engine/catalog", "engine/query", "engine/base"],
    "engine/plan": ["engine/catalog", "engine/query", "engine/base"],
    "engine/items": ["engine/catalog", "engine/query", "engine/base"],
    "engine/steps": ["engine/catalog", "engine/query", "engine/statistics", "engine/walk", "engine/base"],
    "engine/table": ["engine/catalog", "engine/query", "engine/base"],
    "engine/export": ["engine/query", "engine/table", "engine/base"],
    "http/settings": [],
    "http/backups": [],
    "http/errors": [],
    "http/openapi": ["http/keys"],
    "http/keys": ["http/errors", "http/settings"],
    "http/log": ["http/keys"],
    "http/wire": ["http/errors", "http/log"],
    "http/routes": ["http/backups", "http/errors", "http/keys", "http/log", "http/openapi", "http/wire"],
    "http/routes/results": ["http/errors", "http/keys", "http/openapi", "http/routes", "http/wire"],
    "http/weave": ["http/errors", "http/keys", "http/openapi", "http/routes", "http/wire"],
    "http/view": ["http/errors", "http/routes", "http/wire"],
    "http/node": ["http", "http/wire"],
    "inference/errors": [],
    "inference/settings": [],
    "inference/usage": [],
    "inference/request": ["inference/errors", "inference/settings"],
    "inference/upstream": ["inference/errors", "inference/request", "inference/settings"],
    "inference/reply": [
      "inference/errors",
      "inference/request",
      "inference/settings",
      "inference/upstream",
      "inference/usage",
    ],
    "view/payload": [],
    "view/rows": ["view/payload", "view/model"],
    "view/row-parts": ["view/parts", "view/rows"],
    "view/row-dialog": ["view/parts", "view/row-parts", "view/rows"],
    "view/row-table": ["view/parts", "view/row-dialog", "view/row-parts", "view/rows"],
    "view/service": ["view", "view/model", "view/rows"],
    "view/filters": ["view/parts", "view/row-parts"],
    "view/browser": [
      "view/filters",
      "view/model",
      "view/parts",
      "view/payload",
      "view/row-parts",
      "view/row-table",
      "view/rows",
      "view/service",
      "view/page",
    ],
    "weave/request": [],
    "weave/values": [],
    "weave/conditions": ["weave/request"],
    "weave/costs": ["weave/request", "weave/conditions"],
    "weave/objects": ["weave/request", "weave/conditions", "weave/values"],
    "weave/tables": ["weave/request", "weave/conditions", "weave/values"],
    "weave/references": ["weave/request", "weave/objects", "weave/tables"],
    "weave/evaluations": ["weave/request", "weave/calls", "weave/objects"],
    "weave/feedback": ["weave/request", "weave/conditions"],
    "weave/spans": ["weave/request", "weave/calls"],
    "weave/calls": ["weave/request", "weave/conditions", "weave/feedback", "weave/objects"],
    "stats/numeric": [],
    "stats/estimates": ["stats/numeric"],
    "stats/tests": ["stats/estimates", "stats/numeric"],
    "stats/agreement": ["stats/estimates", "stats/numeric"],
    "view/model": [],
    "view/parts": ["view/model", "view/plots"],
    "view/parts/sections": ["view/model", "view/parts", "view/plots"],
    "view/plots": [],
    "view/file": ["view/model", "view/payload", "view/rows"],
    "mcp/base": [],
    "mcp/tools": ["mcp/base"],
    "cli/completion": [],
    "cli/request": ["cli/options", "cli/terminal"],
    "cli/tables": ["cli/terminal"],
    "cli/terminal": [],
    "cli/on-use": ["cli/tables"],
    "cli/options": ["cli/on-use", "cli/terminal"],
    "cli/gates": [],
    "cli/reports": ["cli/gates", "cli/tables"],
    "cli/statistics": [
      "cli/gates",
      "cli/on-use",
      "cli/options",
      "cli/reports",
      "cli/request",
      "cli/tables",
      "cli/terminal",
    ],
    "cli/ci": [
      "cli/gates",
      "cli/on-use",
      "cli/options",
      "cli/reports",
      "cli/request",
      "cli/statistics",
      "cli/tables",
      "cli/terminal",
    ],
    "cli/service": ["cli/on-use", "cli/options", "cli/request", "cli/tables", "cli/terminal"],
    "cli/commands": [
      "cli/completion",
      "cli/on-use",
      "cli/options",
      "cli/request",
      "cli/tables",
      "cli/terminal",
    ],
    "engine/base": ["engine/catalog"],
    "view/page": ["view/model", "view/parts", "view/parts/sections"],
  },
  files: {
    "cli/options/address.ts": ["flow"],
    "cli/on-use/on-use.ts": ["duckdb"],
    "engine/api.ts": ["feedback", "inference", "logging", "training", "weave"],
    "engine/engine.ts": ["logging"],
    "engine/engine-options.ts": ["clickhouse", "training"],
    "engine/open-backend.ts": ["duckdb"],
    "engine/open-file.ts": ["duckdb"],
    "engine/open-server.ts": ["clickhouse"],
  },
  soleImporters: {
    "@duckdb/node-api": "duckdb/",
    "@duckdb/node-bindings": "duckdb/native/",
    "node:child_process": STARTS_PROGRAMS,
    open: "programs/open-in-browser.ts",
  },
  barrels: [
    "arrow-exports.ts",
    "cli/on-use/on-use.ts",
    "index.ts",
    "runners/evalite.ts",
    "runners/vitest.ts",
    "schemas.ts",
    "stats/index.ts",
    "view-exports.ts",
  ],
};

function startsPrograms(text: string): boolean {
  return /child_process|spawn_sync|process\.binding|"node:cluster"/.test(text);
}

const sources = readSources(path.join(import.meta.dirname, "../../src"));

describe("the source folders", () => {
  it("import one way, as the table says", () => {
    expect(violations(sources, RULES)).toEqual([]);
  });

  it("are allowed nothing that they do not need", () => {
    expect(unusedPermissions(sources, RULES)).toEqual([]);
  });

  it("have no import cycle", () => {
    expect(findCycle(sources)).toBeNull();
  });

  it("have no cycle of folders, in which a folder and one above it are two", () => {
    expect(findFolderCycle(sources)).toBeNull();
  });

  it("let a query reach no more files than somebody can know", () => {
    expect(filesReached(sources, "engine/query/query.ts").size).toBeLessThanOrEqual(175);
  });

  it("have no line over 120 characters, but for one text or pattern", () => {
    const { wide, excepted } = wideLines(sources, 120);
    expect(wide).toEqual([]);
    expect(excepted.length).toBeLessThanOrEqual(340);
  });

  it("export hardly a name from three files or more, since a name has one meaning", () => {
    expect([...sharedNames(sources)].length).toBeLessThanOrEqual(5);
  });

  it("cannot form a cycle within the table", () => {
    expect(cycleOf(Object.keys(RULES.edges), (folder) => RULES.edges[folder] ?? [])).toBeNull();
    expect(cycleOf(Object.keys(RULES.rooms), (room) => RULES.rooms[room] ?? [])).toBeNull();
  });

  it("are all in the table, and the table names no other", () => {
    const folders = new Set([...sources.keys()].map((file) => file.split("/")[0]));
    expect(folders).toEqual(new Set(Object.keys(RULES.edges)));
    const rooms = new Set(
      [...sources.keys()].map((file) => path.posix.dirname(file)).filter((room) => room.includes("/")),
    );
    expect(rooms).toEqual(new Set(Object.keys(RULES.rooms)));
  });

  it("export nothing that no other file mentions", () => {
    const users = ["build", "test", "bench"].flatMap((folder) => [
      ...readSources(path.join(import.meta.dirname, "../..", folder)).values(),
    ]);
    expect(unusedExports(sources, users)).toEqual([]);
  });

  it("load the formats of other tools only when one is asked for: they are a fifth of the library", () => {
    const loaded = [...loadedWith(sources, "index.ts")];
    expect(loaded).toContain("engine/load-records.ts");
    expect(loaded.filter((file) => file.startsWith("import/formats/"))).toEqual([]);
  });

  it.each(["index.ts", "cli/program.ts", "http/app.ts"])(
    "load the library for agents only when one asks (%s)",
    (entry) => {
      const loaded = [...loadedWith(sources, entry)];
      expect(loaded.filter((file) => /^mcp\/(?:server|tools|doors)/.test(file))).toEqual([]);
    },
  );

  it("load what speaks to servers only when one is named", () => {
    const loaded = [...loadedWith(sources, "index.ts")];
    expect(loaded).toContain("engine/open-backend.ts");
    expect(
      loaded.filter((file) => /^clickhouse\/.*(?:client|session|batch|writers)\.ts$/.test(file)),
    ).toEqual([]);
  });

  it("load no package for the help of the command but those that parse and print", () => {
    const loaded = loadedWith(sources, "cli/program.ts");
    expect(loaded).toContain("cli/commands/ingest.ts");
    const packages = [...loaded].flatMap((file) =>
      Array.from(
        (sources.get(file) ?? "").matchAll(/^import (?!type\b)[^;]*?from "([^".]+)"/gm),
        ([, name]) => name,
      ),
    );
    expect(new Set(packages.filter((name) => name?.startsWith("node:") === false))).toEqual(
      new Set(["commander", "cli-progress", "string-width"]),
    );
  });

  it("name what starts programs in one file alone, however it is loaded", () => {
    const files = [...sources].filter(([, text]) => startsPrograms(text)).map(([file]) => file);
    expect(files).toEqual([STARTS_PROGRAMS]);
    for (const text of ['require("child_process")', 'process.binding("spawn_sync")', 'import "node:cluster"'])
      expect(startsPrograms(text)).toBe(true);
  });

  it("ask for the system in one place", () => {
    const asks = /process\.platform|\bos\.(?:platform|type)\(|from "node:os".*platform/;
    const files = [...sources].filter(([, text]) => asks.test(text)).map(([file]) => file);
    expect(files).toEqual(["flow/system.ts"]);
  });

  it("are read as far as imports go: the database client is found where it belongs", () => {
    const importers = [...sources].filter(([file, text]) =>
      importsOf(file, text).includes("@duckdb/node-api"),
    );
    const folders = new Set(importers.map(([file]) => path.posix.dirname(file)));
    expect(folders).toEqual(new Set(["", "/file", "/read", "/write"].map((room) => `duckdb${room}`)));
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
      "engine/other.ts imports @duckdb/node-api, which only duckdb/ may",
    ],
    [
      "a room that sees another of its stage",
      {
        "compile/sums/a.ts": 'import { b } from "../rows/b.ts";\n',
        "compile/rows/b.ts": "export const b = 1;\n",
      },
      "compile/sums/a.ts imports compile/rows/b.ts: compile/sums may not see compile/rows",
    ],
    [
      "a room that nobody knows",
      { "compile/odd/a.ts": 'import "../rows/b.ts";\n', "compile/rows/b.ts": "" },
      "compile/odd/a.ts is in no known room",
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

  it("is found: an export that nobody imports", () => {
    const files = { "plan/a.ts": "export const used = 1;\nexport const lost = 2;\n", "plan/b.ts": "used;" };
    expect(unusedExports(new Map(Object.entries(files)), [])).toEqual(["plan/a.ts: lost"]);
  });

  it("is found: a permission that nothing needs", () => {
    const rules = {
      ...RULES,
      files: {},
      edges: { plan: ["model"], model: [] },
      rooms: { "plan/a": ["plan/b"] },
    };
    const files = { "plan/a/a.ts": 'import "../../model/m.ts";\n', "model/m.ts": "", "plan/b/b.ts": "" };
    expect(unusedPermissions(new Map(Object.entries(files)), rules)).toEqual([
      "nobody needs: plan/a sees plan/b",
    ]);
  });

  it("is found: a line over 120 characters that no text makes long", () => {
    const long = "x".repeat(120);
    const files = { "plan/a.ts": `/** ${long} */\nconst a = "${long}";\nconst b = ${long} + ${long};\n` };
    const { wide, excepted } = wideLines(new Map(Object.entries(files)), 120);
    expect([wide, excepted]).toEqual([["plan/a.ts:1", "plan/a.ts:3"], ["plan/a.ts:2"]]);
  });

  it("is found: a folder that imports what stands above it", () => {
    const files = {
      "view/page.ts": 'import { b } from "./parts/b.ts";\n',
      "view/parts/b.ts": 'import type { Answers } from "../answers.ts";\n',
      "view/answers.ts": "export {};\n",
    };
    expect(findFolderCycle(new Map(Object.entries(files)))).toEqual(["view", "view/parts", "view"]);
    expect(findCycle(new Map(Object.entries(files)))).toBeNull();
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
