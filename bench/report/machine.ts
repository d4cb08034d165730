import { readFile } from "node:fs/promises";
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";

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

/** A note when other work would be measured as well. */
export function busyMachine(): string | null {
  const [lastMinute = 0] = loadavg();
  return lastMinute < 0.7 ? null : `the machine is busy: load ${lastMinute.toFixed(1)} in the last minute`;
}

async function installedVersion(name: string): Promise<string> {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  const { version }: { version: string } = JSON.parse(await readFile(file, "utf8"));
  return version;
}
