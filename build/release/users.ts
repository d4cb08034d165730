import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { npm } from "./npm.ts";
import { readManifest, ROOT } from "./pack.ts";
import { cell, row, type Row } from "./rows.ts";

export interface Setting {
  readonly scratch: string;
  readonly tarball: string;
  /** The folder `node_modules` of the programs of a rehearsal. */
  readonly programs: string;
}

export interface User {
  readonly folder: string;
  readonly row: Row;
}

/** Runs a program in a folder to its end; one that ends with another status than 0 is an error with what it printed. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const setting = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26, timeout: 300_000 };
  return promisify(execFile)(program, args, setting);
}

/** What a user writes first: all entries, as an ES module, with types. */
const TYPED = `import { openEngine, type Engine } from "evalcube";
import { tableToIPC } from "evalcube/arrow";
import { evalResultsRequestSchema } from "evalcube/schemas";
import { mean } from "evalcube/stats";
import { renderReport } from "evalcube/view";
import * as vitest from "evalcube/vitest";
import * as evalite from "evalcube/evalite";

export async function figures(): Promise<readonly unknown[]> {
  const engine: Engine = await openEngine({ threads: 1 });
  const request = evalResultsRequestSchema.parse({ evaluation_call_ids: ["run"] });
  const table = await engine.queryTable("acme/qa", request);
  const report: string = await renderReport(engine, "acme/qa");
  return [tableToIPC(table, "file"), mean([1, 2]), report, vitest, evalite];
}
`;

const PROGRAM = `(async () => {
  const engine = await openEngine({ threads: 1 });
  const table = await engine.sql("acme/qa", "select 42 as answer");
  await engine.close();
  if (Number(table.toArray()[0].answer) !== 42 || mean([1, 3]) !== 2) throw new Error("a wrong answer");
  console.log("works");
})();
`;

/** The programs that every user runs. */
const FILES: Readonly<Record<string, string>> = {
  "module.mjs": `import { openEngine } from "evalcube";\nimport { mean } from "evalcube/stats";\nawait ${PROGRAM}`,
  "common.cjs": `const { openEngine } = require("evalcube");\nconst { mean } = require("evalcube/stats");\n${PROGRAM}`,
  "typed.mts": TYPED,
  "typed.cts": TYPED,
};

export async function writeProject(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
  await cp(path.join(ROOT, "test/package/smoke.mjs"), path.join(folder, "smoke.mjs"));
}

/** How each manager installs packages without their scripts, with a store of its own. */
const INSTALL: Readonly<
  Record<string, (folder: string, programs: string, what: readonly string[]) => Promise<unknown>>
> = {
  npm: (folder, _, what) => npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", ...what),
  pnpm: (folder, programs, what) =>
    run(
      path.join(programs, ".bin/pnpm"),
      ["add", "--ignore-scripts", "--store-dir", `${folder}-store`, ...what],
      folder,
    ),
  yarn: (folder, programs, what) =>
    run(
      path.join(programs, ".bin/yarn"),
      ["add", "--ignore-scripts", "--non-interactive", "--cache-folder", `${folder}-cache`, ...what],
      folder,
    ),
};

/** Installs the tarball with a package manager in an empty folder, and runs it. */
export async function installedBy(name: string, { scratch, tarball, programs }: Setting): Promise<User> {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  await writeFile(path.join(folder, "package.json"), '{ "name": "user", "private": true }\n');
  const { devDependencies } = await readManifest();
  const types = `@types/node@${devDependencies["@types/node"] ?? ""}`;
  const node = process.execPath;
  const done = await row(name, {
    install: async () => INSTALL[name]?.(folder, programs, [tarball, types]),
    demo: async () => {
      await writeProject(folder);
      return run(path.join(folder, "node_modules/.bin/evalcube"), ["demo"], folder);
    },
    module: () => run(node, ["module.mjs"], folder),
    CommonJS: () => run(node, ["common.cjs"], folder),
  });
  return { folder, row: done };
}

/** The ways in which compilers find packages, with the kind of module that each needs. */
const RESOLUTIONS = { node16: "node16", nodenext: "nodenext", bundler: "preserve" };

/** Compiles against what each manager installed, with all checks, those of the declarations included. */
export async function typesIn(users: readonly User[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [moduleResolution, module] of Object.entries(RESOLUTIONS)) {
    const compilerOptions = {
      target: "ES2023",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: ["node"],
      noEmit: true,
    };
    const config = JSON.stringify({ compilerOptions, files: ["typed.mts", "typed.cts"] });
    const cells = users.map(({ folder, row: { name } }) =>
      cell(name, async () => {
        await writeFile(path.join(folder, `${moduleResolution}.json`), config);
        const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
        return run(process.execPath, [tsc, "-p", `${moduleResolution}.json`], folder);
      }),
    );
    rows.push({ name: moduleResolution, cells: await Promise.all(cells) });
  }
  return rows;
}
