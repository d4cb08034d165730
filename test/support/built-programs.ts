import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { bundle, bundleEntries } from "../../build/bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the programs that tests start, see `builtProgram`. */
    readonly programs: string;
  }
}

const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache");
const CHILDREN = path.join(import.meta.dirname, "../children");

/** Bundles the programs that tests start; the function returned removes them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Beside their dependencies, which they import.
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, "evalcube-tests-"));
  await bundle(folder);
  await bundleEntries(children(), folder);
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  project.provide("programs", folder);
  return () => rm(folder, { recursive: true, force: true });
}

function children(): Record<string, string> {
  const names = readdirSync(CHILDREN).map((name) => path.parse(name).name);
  return Object.fromEntries(names.map((name) => [`children/${name}`, path.join(CHILDREN, `${name}.ts`)]));
}
