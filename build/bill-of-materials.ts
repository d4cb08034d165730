import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { packageFolders } from "./licences.ts";

/** A bill of materials of CycloneDX, as far as it is changed here. */
interface Bill {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
}

/**
 * The bill of materials of the packages that files come from; `files` are relative to `root`. npm makes it from the
 * lock file; here it loses what is outside of the files, and what differs from build to build.
 */
export async function billOf(root: string, files: readonly string[]): Promise<string> {
  const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: root, maxBuffer: 2 ** 26 });
  const { metadata, components, dependencies, ...bill } = JSON.parse(stdout) as Bill;
  const folders = packageFolders(files).map((folder) => path.join(root, folder, "package.json"));
  const inside = new Set(folders.map((file) => idOf(JSON.parse(readFileSync(file, "utf8")) as Component)));
  const kept = components.filter((one) => inside.delete(idOf(one)));
  if (inside.size > 0) throw new Error(`the lock file has no ${[...inside].join(", ")}`);
  const { name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Component;
  const component = { ...metadata.component, name, version };
  const all = [...kept.map((one) => ({ ...one, properties: [] })), ...copiesIn(root, files)];
  const refs = new Set([`${name}@${version}`, ...all.map((one) => one["bom-ref"])]);
  return `${JSON.stringify(
    {
      ...bill,
      serialNumber: undefined,
      metadata: { ...metadata, timestamp: undefined, lifecycles: [{ phase: "build" }], component },
      components: all,
      dependencies: dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
    },
    null,
    1,
  )}\n`;
}

function idOf({ name, version }: Pick<Component, "name" | "version">): string {
  return `${name}@${version}`;
}

/** Packages that others have copied into their own files, by the comments that their bundler left. */
function copiesIn(root: string, files: readonly string[]): Component[] {
  const texts = files
    .filter((file) => file.includes("node_modules/"))
    .map((file) => readFileSync(path.join(root, file), "utf8"));
  const ids = texts.flatMap((text) =>
    Array.from(text.matchAll(COPIED), ([, id = ""]) => id.replace("+", "/")),
  );
  return [...new Set(ids)].toSorted().map((id) => {
    const [name, version] = [id.slice(0, id.lastIndexOf("@")), id.slice(id.lastIndexOf("@") + 1)];
    return { type: "library", "bom-ref": id, name, version, purl: `pkg:npm/${id.replace(/^@/, "%40")}` };
  });
}

const COPIED = /^\/\/#region .*node_modules\/\.pnpm\/(@?[^@/]+@\d[\w.-]*)/gm;
