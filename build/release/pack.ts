import { cp, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { buildPackage } from "../build-package.ts";
import { npm } from "./npm.ts";

export const ROOT = path.join(import.meta.dirname, "../..");

export interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export async function readManifest(folder = ROOT): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
}

/** What a package is packed from beside what a build gives. */
const PUBLISHED = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "docs", "skills", "sql"];

/** Builds and packs the package below a folder, and changes nothing else; resolves to the path of the tarball. */
export async function packPackage(scratch: string): Promise<string> {
  const packed = path.join(scratch, "packed");
  await buildPackage(path.join(packed, "dist"));
  for (const name of PUBLISHED)
    await cp(path.join(ROOT, name), path.join(packed, name), { recursive: true, filter: isSource });
  await npm(packed, "pack", "--ignore-scripts", "--pack-destination", scratch);
  const file = (await readdir(scratch)).find((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error("npm packed nothing");
  return path.join(scratch, file);
}

/** The site has packages of its own, and what it was built into. */
function isSource(file: string): boolean {
  const [, folder, inside] = path.relative(ROOT, file).split(path.sep);
  return folder !== "site" || inside === undefined;
}
