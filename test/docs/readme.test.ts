import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { demoCalls } from "../../src/demo/calls.ts";
import { openEngine } from "../../src/index.ts";

const root = new URL("../../", import.meta.url);

/** Runs the example of the README that contains `mark`, as written; gives what it prints. */
async function runExample(
  mark: string,
  prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const readme = await readFile(new URL("README.md", root), "utf8");
  const examples = [...readme.matchAll(/```ts\n(import .*?)```/gs)].map((match) => match[1] ?? "");
  const example = examples.find((text) => text.includes(mark)) ?? "";
  expect(example).toContain("openEngine");
  const folder = await mkdtemp(join(tmpdir(), "evalcube-readme-"));
  try {
    const file = join(folder, "example.ts");
    await prepare(folder);
    await symlink(new URL("node_modules", root), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), `{"type":"module"}`);
    await writeFile(file, example.replace('"evalcube"', JSON.stringify(new URL("src/index.ts", root).href)));
    const tsx = new URL("node_modules/tsx/dist/cli.mjs", root).pathname;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [tsx, file], { cwd: folder });
    expect(stderr).toBe("");
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("has a library example that runs as written", async () => {
  const stdout = await runExample("filters:");
  expect(stdout).toContain("What is 2 + 2?");
  expect(stdout).toContain("helpfulness: 0.9");
  expect(stdout).toContain("numeric_mean: 0.9");
});

it("has a recipe that loads a lake of Parquet files", async () => {
  const stdout = await runExample("PARTITION_BY");
  expect(stdout).toMatch(/^8 \[/);
  expect(stdout).toContain("pass_rate: 0.75");
  expect(stdout).toContain("numeric_mean: 0.4375");
});

it("has a recipe that takes a table into polars", async () => {
  const stdout = await runExample("nodejs-polars");
  expect(stdout).toMatch(
    /large.*correct': 0\.75.*helpfulness': 1\n.*small.*correct': 0\.25.*helpfulness': 0\.75/s,
  );
});

it("has a recipe that asks in SQL", async () => {
  expect(await runExample("engine.sql(")).toBe("[ { q: '1', passed: 1, trials: 3, tokens: 309 } ]\n");
});

it("has figures of the demo's evaluations, as published, and two models compared", async () => {
  const stdout = await runExample("compareEvaluations", async (folder) => {
    const engine = await openEngine({ path: join(folder, "evalcube-demo.duckdb") });
    await engine.ingestCalls(demoCalls());
    await engine.close();
  });
  expect(stdout).toContain("0.42 [ 0.3150");
  expect(stdout).toContain("'1': 0.42, '2': 0.2733333333333333, '3': 0.22, '4': 0.2");
  expect(stdout).toMatch(/gsm-gpt-4o-2024-08-06 -0\.00454.* inconclusive\n/);
  expect(stdout).toMatch(/gsm-gpt-4o-mini-2024-07-18 -0\.0242.* regressed\n/);
});

it("names only npm scripts that there are", async () => {
  const readme = await readFile(new URL("README.md", root), "utf8");
  const manifest = JSON.parse(await readFile(new URL("package.json", root), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm (?:run )?([a-z]+)/g)].map((match) => match[1] ?? "");
  expect(named.filter((name) => name !== "ci" && !(name in manifest.scripts))).toEqual(
    expect.arrayContaining([]),
  );
  for (const name of ["demo", "test", "bench", "build"]) expect(manifest.scripts).toHaveProperty(name);
});
