import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = new URL("../", import.meta.url);

it("has a library example that runs as written", async () => {
  const readme = await readFile(new URL("README.md", root), "utf8");
  const example = /```ts\n(import \{ openEngine \}.*?)```/s.exec(readme)?.[1] ?? "";
  expect(example).toContain("queryEvalResults");
  const folder = await mkdtemp(join(tmpdir(), "evalcube-readme-"));
  try {
    const file = join(folder, "example.ts");
    await writeFile(join(folder, "package.json"), `{"type":"module"}`);
    await writeFile(file, example.replace('"evalcube"', JSON.stringify(new URL("src/index.ts", root).href)));
    const tsx = new URL("node_modules/tsx/dist/cli.mjs", root).pathname;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [tsx, file]);
    expect(stderr).toBe("");
    expect(stdout).toContain("What is 2 + 2?");
    expect(stdout).toContain("helpfulness: 0.9");
    expect(stdout).toContain("numeric_mean: 0.9");
  } finally {
    await rm(folder, { recursive: true });
  }
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
