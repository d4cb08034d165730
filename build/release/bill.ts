import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { readManifest, ROOT } from "./pack.ts";
import { run } from "./users.ts";

/** A package by its name and version, such as `hono@4.0.0`. */
type Id = string;

interface Component {
  readonly name: string;
  readonly group?: string;
  readonly version: string;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly name?: string;
        readonly version: string;
        readonly dev?: boolean;
        readonly devOptional?: boolean;
      }
    >
  >;
}

const idOf = ({ name, group, version }: Component): Id =>
  `${group === undefined ? name : `${group}/${name}`}@${version}`;

/** What the bill of a release names: the package itself, and the packages that come with it. */
export interface Bill {
  readonly subject: Id;
  readonly packages: readonly Id[];
}

/** Writes the bill of materials below a folder, by the step of the workflow that does it for a release. */
export async function billOfRelease(scratch: string): Promise<Bill> {
  const workflow = parse(
    await readFile(path.join(ROOT, ".github/workflows/release.yml"), "utf8"),
  ) as Workflow;
  const runs = Object.values(workflow.jobs).flatMap(({ steps }) => steps.map((step) => step.run ?? ""));
  const script = runs.find((one) => one.includes("npm sbom"));
  if (script === undefined) throw new Error("no step of release.yml runs npm sbom");
  const { version } = await readManifest();
  const [temporary, workspace] = [path.join(scratch, "temporary"), path.join(scratch, "workspace")];
  await mkdir(temporary, { recursive: true });
  await mkdir(path.join(workspace, "release"), { recursive: true });
  const env = { RUNNER_TEMP: temporary, GITHUB_WORKSPACE: workspace, GITHUB_REF_NAME: `v${version}` };
  await run("bash", ["-eo", "pipefail", "-c", script], ROOT, env);
  const file = path.join(workspace, "release", `evalcube-${version}.cdx.json`);
  const { metadata, components } = JSON.parse(await readFile(file, "utf8")) as {
    readonly metadata: { readonly component: Component };
    readonly components: readonly Component[];
  };
  return { subject: idOf(metadata.component), packages: components.map(idOf) };
}

/** The packages that come with this one, by the lock file. */
export async function lockedPackages(): Promise<readonly Id[]> {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as Lock;
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== "" && dev !== true && devOptional !== true)
    .map(([folder, { name, version }]) => `${name ?? folder.split("node_modules/").at(-1) ?? ""}@${version}`);
}
