import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { tableFromIPC } from "apache-arrow";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES } from "../../build/bundle.ts";
import { anchorsOf, linksIn } from "../docs/pages.ts";
import { because } from "../support/skipped.ts";
import { ROOT } from "../../build/release/pack.ts";
import { installPackage, SLOW_BUILD, type UserProject } from "./install-package.ts";

const run = promisify(execFile);

let user: UserProject;
beforeAll(async () => {
  user = await installPackage();
}, SLOW_BUILD);
afterAll(() => user.remove());

/** Checks a bill of materials by the published schema of CycloneDX. */
async function billChecker() {
  const ajv = new Ajv({ strict: false, formats: { "iri-reference": true, "idn-email": true } });
  addFormats.default(ajv, ["date-time", "uri"]);
  for (const name of ["jsf-0.82", "spdx", "bom-1.5"]) {
    const file = `${name}.SNAPSHOT.schema.json`;
    const schema = await readFile(path.join(ROOT, "test/fixtures/cyclonedx", file), "utf8");
    ajv.addSchema(JSON.parse(schema) as object, `http://cyclonedx.org/schema/${file}`);
  }
  return ajv.getSchema("http://cyclonedx.org/schema/bom-1.5.SNAPSHOT.schema.json");
}

const IMPORT = /^import .*;$/gm;

function importsOf(program: string): string {
  return (program.match(IMPORT) ?? []).join("\n");
}

function withoutImports(program: string): string {
  return program.replaceAll(IMPORT, "");
}

/** A program that uses each entry, and prints what it found. */
const PROGRAM = `
import { writeFileSync } from "node:fs";
import { openEngine, createHttpHandler, StoreError } from "evalcube";
import { tableFromIPC, tableToIPC } from "evalcube/arrow";
import { evalResultsRequestSchema } from "evalcube/schemas";
import { mean } from "evalcube/stats";
import { renderReport } from "evalcube/view";

const warnings = [];
const engine = await openEngine({ threads: 2, onWarning: (warning) => warnings.push(warning) });
const call = { project_id: "acme/qa", started_at: "2026-01-31T12:00:00Z" };
await engine.ingestCalls([
  { ...call, id: "run", op_name: "Evaluation.evaluate" },
  ...[0, 1, 2, 3, 4].map((n) => ({
    ...call,
    id: "trial-" + n,
    op_name: "Evaluation.predict_and_score",
    parent_id: "run",
    inputs: { example: { n } },
    output: { output: "answer " + n, scores: { points: n } },
  })),
]);
// Large enough for a thread.
const long = { ...call, op_name: "step", inputs: { text: "x".repeat(2 ** 20) } };
writeFileSync("calls.ndjson", Array.from({ length: 9 }, (_, n) => JSON.stringify({ ...long, id: "step-" + n })).join("\\n"));
const { stored } = await engine.ingestCalls("calls.ndjson");
const request = evalResultsRequestSchema.parse({ evaluation_call_ids: ["run"], derived_scores: { twice: "2 * points" } });
const table = tableFromIPC(tableToIPC(await engine.queryTable("acme/qa", request), "file"));
const counted = await engine.sql("acme/qa", "select count(*)::int as n from trials");
const handler = createHttpHandler(engine, { keys: { version: 1, keys: [] }, view: true });
const ask = (path) => handler(new Request("http://localhost/" + path));
const shell = await (await ask("view/")).text();
const script = await ask("view/" + /src="([^"]+)"/.exec(shell)[1]);
const report = await renderReport(engine, "acme/qa");
await engine.close();
const failure = await openEngine({ path: "/nowhere/at/all.duckdb" }).catch((error) => error);
console.log(table.numRows, mean([...table.getChild("scores.twice")]), counted.toArray()[0].n, script.status, report.startsWith("<!doctype html>"), failure instanceof StoreError, stored, warnings.length);
`;
const PRINTED = "5 4 5 200 true true 9 0\n";

async function exportedNames(file: string): Promise<string[]> {
  return Object.keys((await import(pathToFileURL(file).href)) as object).toSorted();
}

/** The files that a file of the package imports at once, relative to the folder. */
async function importsIn(folder: string, name: string): Promise<string[]> {
  const text = await readFile(path.join(folder, name), "utf8");
  const found = Array.from(text.matchAll(/\b(?:from|import) ?"(\.[^"]+)"/g), ([, from = ""]) => from);
  return found.map((from) => path.join(path.dirname(name), from));
}

/** What is left when, one after the other, all that import nothing that is left are taken away. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(imports);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [name, others] of left) if (!others.some((other) => left.has(other))) left.delete(name);
  }
  return [...left.keys()];
}

describe("the package as it is published", () => {
  it("has nothing that publint finds", async () => {
    const tarball = await readFile(user.tarball);
    const { buffer, byteOffset, byteLength } = tarball;
    const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
    expect((await publint({ pack, level: "suggestion", strict: true })).messages).toEqual([]);
  });

  it("has types that every way of resolving finds, in the form of the code", async () => {
    const attw = path.join(ROOT, "node_modules/.bin/attw");
    const args = [user.tarball, "--format", "ascii", "--no-emoji"];
    const { stdout } = await run(attw, args);
    expect(stdout).toContain("No problems found");
  });

  it("is one file for each entry, beside what entries share, and no map", async () => {
    const { stdout } = await run("tar", ["-tzf", user.tarball]);
    const files = stdout.split("\n").filter((name) => name.endsWith(".js") && !name.includes("/shared/"));
    const entries = ["arrow", "cli/main", "evalite", "index", "schemas", "stats", "view", "vitest"];
    expect(files.toSorted()).toEqual(entries.map((name) => `package/dist/${name}.js`));
    expect(stdout).not.toMatch(/\.map$/m);
  });

  it("has every file and heading that its documents link to", async () => {
    const folder = path.join(user.folder, "node_modules/evalcube");
    const names = await readdir(folder, { recursive: true });
    const pages = names.filter((name) => /^(?:README|CHANGELOG|(?:docs|skills)\/.*)\.md$/.test(name));
    expect(pages.length).toBeGreaterThan(20);
    expect(names).toEqual(expect.arrayContaining(["CHANGELOG.md", "docs/examples/ci/gitlab.yml"]));
    const read = (name: string) => readFile(path.join(folder, name), "utf8");
    const dead = await Promise.all(
      pages.map(async (page) => {
        const relative = linksIn(await read(page)).filter((target) => !/^[a-z]+:/.test(target));
        const isDead = await Promise.all(
          relative.map(async (target) => {
            const [file = "", anchor] = target.split("#");
            const name = file === "" ? page : path.join(path.dirname(page), file);
            if (!names.includes(name)) return true;
            return anchor !== undefined && !anchorsOf(await read(name)).includes(anchor);
          }),
        );
        return relative.filter((_, at) => isDead[at]).map((target) => `${page}: ${target}`);
      }),
    );
    expect(dead.flat()).toEqual([]);
  });

  it("has 1.3 MB packed, 4.5 MB unpacked and 110 files at most", async () => {
    const folder = path.join(user.folder, "node_modules/evalcube");
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    expect(files.length).toBeLessThanOrEqual(110);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4.5e6);
    expect((await stat(user.tarball)).size).toBeLessThanOrEqual(1.3e6);
  });

  it.each(Object.entries(ENTRIES))("exports from %s what its source does", async (entry, source) => {
    const packed = path.join(user.folder, `node_modules/evalcube/dist/${entry}.js`);
    expect(await exportedNames(packed)).toEqual(await exportedNames(path.join(ROOT, source)));
  });

  it("has files that import each other in no circle", async () => {
    const folder = path.join(user.folder, "node_modules/evalcube/dist");
    const code = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
    const imports = new Map(
      await Promise.all(code.map(async (name) => [name, await importsIn(folder, name)] as const)),
    );
    expect(circlesOf(imports)).toEqual([]);
    expect(
      circlesOf(
        new Map([
          ["a", ["b"]],
          ["b", ["a"]],
        ]),
      ),
    ).not.toEqual([]);
  });

  it("names the licences of what is in its files", async () => {
    const folder = path.join(user.folder, "node_modules/evalcube");
    const licences = await readFile(path.join(folder, "dist/THIRD-PARTY-LICENCES.txt"), "utf8");
    expect(licences).toMatch(/^mathjs \d.* \(Apache-2\.0\)$/m);
  });

  it("names what is in its files in a bill of materials, with versions", async () => {
    const dist = path.join(user.folder, "node_modules/evalcube/dist");
    const bill: unknown = JSON.parse(await readFile(path.join(dist, "sbom.cdx.json"), "utf8"));
    const isValid = await billChecker();
    expect(isValid?.(bill) === true ? [] : isValid?.errors).toEqual([]);
    expect(isValid?.({ ...(bill as object), components: [{ name: "a" }] })).toBe(false);
    const { components } = bill as { readonly components: readonly Record<string, unknown>[] };
    const named = components.map(({ name, version }) => `${String(name)} ${String(version)}`);
    const licences = await readFile(path.join(dist, "THIRD-PARTY-LICENCES.txt"), "utf8");
    const inside = Array.from(licences.matchAll(/^(\S+ \d+\.\d+\.\S+) \(.*\)$/gm), ([, one]) => one);
    expect(inside.length).toBeGreaterThan(3);
    expect(named).toEqual(expect.arrayContaining(inside));
    const copied = named.filter((one) => !inside.includes(one));
    expect(copied).toContainEqual(expect.stringMatching(/^@cfworker\/json-schema \d/));
    for (const { name, version, purl } of components)
      expect(purl).toBe(`pkg:npm/${String(name).replace("@", "%40")}@${String(version)}`);
  });

  it("says which package a database on ClickHouse needs, and imports it for nothing else", async () => {
    const program = `
      import { openEngine } from "evalcube";
      const engine = await openEngine({ threads: 1 });
      await engine.close();
      const clickhouse = { url: "http://127.0.0.1:1", database: "evals" };
      console.log(await openEngine({ clickhouse }).catch(({ code }) => code));
    `;
    expect(await user.run("no-client.mjs", program)).toBe("no_client\n");
  });

  it("has a command that knows its version", async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
      readonly version: string;
    };
    const { stdout } = await run(process.execPath, ["node_modules/evalcube/dist/cli/main.js", "--version"], {
      cwd: user.folder,
    });
    expect(stdout).toBe(`${version}\n`);
  });

  it.each([
    ["esm", "program.mjs", PROGRAM],
    ["cjs", "program.cjs", `async function main() {${withoutImports(PROGRAM)}}\nvoid main();`],
  ] as const)(
    "runs inside a program that esbuild has bundled as %s, which reads no file of it",
    async (format, name, body) => {
      const imports = format === "cjs" ? importsOf(PROGRAM) : "";
      await mkdir(path.join(user.folder, "bundled"), { recursive: true });
      const outfile = path.join(user.folder, "bundled", name);
      await build({
        stdin: { contents: `${imports}\n${body}`, resolveDir: user.folder },
        outfile,
        bundle: true,
        format,
        platform: "node",
        target: "node20",
        external: ["@duckdb/node-api"],
        logLevel: "silent",
      });
      expect(await readFile(outfile, "utf8")).not.toMatch(/(from |require\()"evalcube/);
      expect((await run(process.execPath, [outfile], { cwd: user.folder })).stdout).toBe(PRINTED);
    },
  );
});

describe("an ES program", () => {
  it("can check a request before it sends it", async () => {
    const printed = await user.run(
      "schemas.mjs",
      `import { evalResultsRequestSchema as schema } from "evalcube/schemas";
      console.log(schema.safeParse({ limit: 1 }).success, schema.safeParse({ limit: -1 }).success);`,
    );
    expect(printed).toBe("true false\n");
  });
});

const TRIALS = 500;

/** Writes a table of the engine to a file, with functions of `arrow`; begins below the imports. */
const writeTable = (form: string) => `
async function main() {
  const engine = await openEngine({ threads: 1 });
  const call = { project_id: "acme/qa", started_at: "2026-01-31T12:00:00Z" };
  await engine.ingestCalls([
    { ...call, id: "run", op_name: "Evaluation.evaluate" },
    ...Array.from({ length: ${TRIALS} }, (_, n) => ({
      ...call,
      id: "trial-" + n,
      op_name: "Evaluation.predict_and_score",
      parent_id: "run",
      inputs: { example: { n } },
      output: { output: "an answer of some length, the one of trial " + n, scores: { points: n } },
    })),
  ]);
  const table = await engine.queryTable("acme/qa", { evaluation_call_ids: ["run"] });
  const batches = [];
  for await (const batch of engine.queryBatches("acme/qa", { evaluation_call_ids: ["run"] })) batches.push(batch);
  await engine.close();
  const tried = { table: () => tableToIPC(table, "file"), batches: () => RecordBatchFileWriter.writeAll(batches).toUint8Array(true) };
  writeFileSync("table.arrow", tried.${form}());
}
main();
`;

const requiring = (arrow: string, form = "table") => `
const { writeFileSync } = require("node:fs");
const { openEngine } = require("evalcube");
const { RecordBatchFileWriter, tableToIPC } = require("${arrow}");
${writeTable(form)}`;

const importing = (arrow: string) => `
import { writeFileSync } from "node:fs";
import { openEngine } from "evalcube";
import { RecordBatchFileWriter, tableToIPC } from "${arrow}";
${writeTable("table")}`;

describe("a table of the engine", () => {
  it.each([
    ["a CommonJS program", "program.cjs", requiring("evalcube/arrow")],
    ["an ES program", "program.mjs", importing("evalcube/arrow")],
    ["an ES program with the apache-arrow of its own", "own.mjs", importing("apache-arrow")],
  ])("is written by %s", async (_, file, text) => {
    await user.run(file, text);
    const table = tableFromIPC(await readFile(path.join(user.folder, "table.arrow")));
    expect(table.numRows).toBe(TRIALS);
    const points: unknown[] = [...(table.getChild("scores.points") ?? [])];
    expect(new Set(points)).toEqual(new Set(Array.from({ length: TRIALS }, (_one, n) => n)));
  });

  // Of apache-arrow 21.2. Where this writes the data, evalcube/arrow is no longer needed.
  it.each(["table", "batches"])("is refused by the other build of apache-arrow, as a %s", async (form) => {
    const program = requiring("apache-arrow", form);
    await expect(user.run("other.cjs", program)).rejects.toThrow("take the function from evalcube/arrow");
  });
});

describe.each([
  ["bun", ["run"]],
  ["deno", ["run", "--allow-all"]],
])("in %s", (name, args) => {
  const found = installed(name);
  const reason = found === null ? `${name} is not installed` : null;
  it.skipIf(found === null)(`every entry works${because(reason)}`, async () => {
    expect(await user.run(`${name}.mjs`, PROGRAM, [found ?? "", ...args])).toBe(PRINTED);
  });
});

/** The path of a command in `PATH`; null where it is not there. */
function installed(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(existsSync) ?? null;
}
