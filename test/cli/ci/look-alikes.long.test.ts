import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ended, exampleCalls, ndjson, PROJECT, start, temporaryFolder } from "../command.ts";
import { evalcubeHere } from "../in-process.ts";
import {
  hostileVariables,
  KINDS,
  type Kind,
  makeTrap,
  plant,
  plantPrograms,
  sprung,
  type Trap,
} from "./look-alikes.ts";
import { ci, database, git, NO_JOB, passing } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const FOLDERS = [
  "db",
  "file",
  "several",
  "other",
  "out",
  "junit",
  "save",
  "promote",
  "prices",
  "logs",
  "module",
  "keys",
];
const MODULE = `
export default {
  name: "sums",
  model: "calculator",
  data: [{ a: 1 }, { a: 2 }],
  task: (row) => row.a,
  scorers: { correct: ({ row, output }) => output === row.a },
};
`;

let made = 0;
let work = "";
let trap: Trap;
const at = (...names: readonly string[]) => join(work, ...names);
const source = join(folder, "source");

beforeAll(async () => {
  for (const name of FOLDERS) mkdirSync(join(source, name), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(source, name), text);
  await database(join(source, "db"), "evals.duckdb", [{ id: "new", trials: passing(40, 20), at: 5 }]);
  const other = await database(join(source, "other"), "base.duckdb", [
    { id: "old", trials: passing(40, 36) },
  ]);
  await ci(other, "--save", join(source, "file", "base.parquet"));
  cpSync(join(source, "file", "base.parquet"), join(source, "several", "base.parquet"));
  put("prices/prices.json", '{ "small": { "input": 1, "output": 2 } }');
  put("logs/calls.ndjson", ndjson(exampleCalls()));
  put("logs/answers.csv", "question,answer,correct\n1,a,true\n2,b,false\n");
  put("module/sums.eval.mjs", MODULE);
}, 120_000);

beforeEach(() => {
  work = join(folder, `work${made++}`);
  cpSync(source, work, { recursive: true });
  trap = makeTrap(join(folder, `trap${made}`));
});

/** Runs a command in this process as in the working folder, where a look-alike of each program comes first on `PATH`. */
async function evalcube(...args: readonly string[]) {
  const path = ["", ".", "file", work, at("node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter);
  for (const [name, value] of Object.entries({ ...NO_JOB, ...hostileVariables(trap), PATH: path }))
    vi.stubEnv(name, value);
  vi.spyOn(process, "cwd").mockReturnValue(work);
  return await evalcubeHere(args.map((one) => one.replace(/(^|=)work:/, `$1${work}/`))).finally(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
}

const judged = (baseline: string, ...args: readonly string[]) =>
  evalcube("ci", "--db", "work:db/evals.duckdb", "--project", PROJECT, "--baseline", baseline, ...args);

const FLAGS = [
  "--out=work:out/comment.md",
  "--junit=work:junit/gates.xml",
  "--promote=work:promote/rows.ndjson",
  "--prices=work:prices/prices.json",
];

const COMMANDS: Readonly<Record<string, readonly [status: number, run: () => ReturnType<typeof evalcube>]>> =
  {
    "ci with a file": [3, () => judged("work:file/base.parquet", ...FLAGS)],
    "ci with a folder": [3, () => judged("work:several")],
    "ci with a database": [3, () => judged("work:other/base.duckdb")],
    "ci with a commit": [4, () => judged("merge-base")],
    "ci --save": [
      0,
      () =>
        evalcube(
          "ci",
          "--db",
          "work:db/evals.duckdb",
          "--project",
          PROJECT,
          "--save",
          "work:save/base.parquet",
        ),
    ],
    ingest: [0, () => evalcube("ingest", "--db", "work:other/more.duckdb", "work:logs/calls.ndjson")],
    import: [
      0,
      () =>
        evalcube(
          "import",
          "--db",
          "work:other/more.duckdb",
          "--project",
          PROJECT,
          "--format",
          "table",
          "work:logs/answers.csv",
        ),
    ],
    run: [
      0,
      () =>
        evalcube("run", "work:module/sums.eval.mjs", "--db", "work:other/ran.duckdb", "--project", PROJECT),
    ],
    keys: [
      0,
      () =>
        evalcube("keys", "create", "--keys", "work:keys/keys.json", "--user", "ann", "--project", PROJECT),
    ],
  };

function plantAll(kind: Kind): void {
  for (const name of FOLDERS) plant(kind, at(name), name, trap);
  plantPrograms(work, trap);
  plantPrograms(at("file"), trap);
  plantPrograms(at("node_modules", ".bin"), trap);
}

/** What git itself would run there, so that it is known that the traps work. */
function springWithGit(place: string): void {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  try {
    execFileSync("git", ["status"], { cwd: place, env, stdio: "ignore" });
  } catch {
    // It fails, once it has run what it was told to.
  }
  expect(sprung(trap)).not.toEqual([]);
  for (const name of sprung(trap)) rmSync(join(trap.marks, name));
}

/** What is wrong with commands: their status, what ran of what was planted, whether they tell of another repository. */
async function harmOf(kind: Kind, names: readonly string[]): Promise<object[]> {
  const harm: object[] = [];
  for (const name of names) {
    const [status, run] = COMMANDS[name] ?? [0, () => evalcube("--help")];
    const answer = await run();
    const isOther = kind !== "a bare repository of plain files" && BASELINES.includes(name);
    const isTold = answer.stdout.includes("lies in another repository") === isOther;
    if (answer.status !== status || !isTold || sprung(trap).length > 0)
      harm.push({ name, isTold, sprung: sprung(trap), ...answer });
  }
  return harm;
}

const BASELINES = ["ci with a file", "ci with a folder", "ci with a database"];

describe.each(KINDS)("where each folder that a flag names holds %s", (kind) => {
  it("and the working folder too, nothing of it runs", async () => {
    plant(kind, work, "work", trap);
    plantAll(kind);
    if (kind.startsWith("a .git") || kind === "a repository") springWithGit(at("file"));
    expect(await harmOf(kind, Object.keys(COMMANDS))).toEqual([]);
  });

  it("and the working folder none, a baseline is read as a plain file", async () => {
    plantAll(kind);
    expect(await harmOf(kind, BASELINES)).toEqual([]);
  });
});

it("a baseline that the working folder keeps is read at the merge base, whatever its configuration names", async () => {
  git(work, "init", "-q");
  git(work, "add", "-A");
  git(work, "commit", "-qm", "one");
  git(work, "checkout", "-qb", "new");
  rmSync(at("file", "base.parquet"));
  git(work, "commit", "-qam", "two");
  plant("a repository", work, "work", trap);
  springWithGit(work);
  const answer = await judged("work:file/base.parquet");
  expect(answer.status).toBe(3);
  expect(answer.stdout).toContain("file/base.parquet at the merge base");
  expect(sprung(trap)).toEqual([]);
});

it("an object that is missing is fetched by nothing", async () => {
  git(work, "init", "-q");
  git(work, "add", "-A");
  git(work, "commit", "-qm", "one");
  plant("a repository", work, "work", trap);
  const id = execFileSync("git", ["rev-parse", "HEAD:file/base.parquet"], {
    cwd: work,
    encoding: "utf8",
  }).trim();
  rmSync(at(".git", "objects", id.slice(0, 2), id.slice(2)), { force: true });
  try {
    execFileSync("git", ["cat-file", "blob", id], { cwd: work, stdio: "ignore" });
  } catch {
    // Nothing answered the fetch, but it was tried.
  }
  expect(sprung(trap)).toContain("ext");
  rmSync(join(trap.marks, "ext"));
  const answer = await judged("work:file/base.parquet");
  expect(answer.status).toBe(3);
  expect(answer.stdout).toContain("does not reach the merge base");
  expect(sprung(trap)).toEqual([]);
});

it.skipIf(process.platform !== "linux")(
  "a browser is started from outside of the working folder",
  async () => {
    plantAll("a repository");
    const bin = join(trap.store, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "xdg-open"),
      `#!/bin/sh\nprintf '%s\\n' "$PWD" "$PATH" > ${join(bin, "told.tmp")}\nmv ${join(bin, "told.tmp")} ${join(bin, "told")}\n`,
    );
    chmodSync(join(bin, "xdg-open"), 0o755);
    const path = [".", "", work, at("node_modules", ".bin"), bin, process.env["PATH"] ?? ""].join(delimiter);
    const child = start(["view", "--db", "db/evals.duckdb", "--port", "0", "--open"], work, { PATH: path });
    const end = ended(child);
    await expect.poll(() => existsSync(join(bin, "told"))).toBe(true);
    child.kill("SIGTERM");
    expect((await end).status).toBe(0);
    const [where, folders = ""] = readFileSync(join(bin, "told"), "utf8").split("\n");
    expect(where).toBe("/");
    expect(folders.split(delimiter).at(0)).toBe(bin);
    expect(sprung(trap)).toEqual([]);
  },
);
