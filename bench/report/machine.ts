import { readFile } from "node:fs/promises";
import { arch, availableParallelism, cpus, platform, release, totalmem } from "node:os";

/** Where and with what the numbers came about, one line each. */
export async function describeMachine(): Promise<string[]> {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const packages = ["@duckdb/node-api", "chdb"];
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await installedVersion(name)}`));
  return [
    `${model}, ${availableParallelism()} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `${platform()} ${release()} ${arch()}, Node ${process.versions.node}, ${versions.join(", ")}`,
  ];
}

async function installedVersion(name: string): Promise<string> {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  const { version }: { version: string } = JSON.parse(await readFile(file, "utf8"));
  return version;
}
