import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { billOfRelease, lockedPackages } from "./bill.ts";
import { npm } from "./npm.ts";
import { readManifest, ROOT } from "./pack.ts";
import { row, type Row } from "./rows.ts";
import { run } from "./users.ts";
import { runtimeFile } from "./runtimes.ts";

const read = (name: string) => readFile(path.join(ROOT, name), "utf8");

/** Whether all places that state the version, and the oldest Node, say the same. */
export async function statedFaults(programs: string): Promise<Row> {
  const { engines } = await readManifest();
  const oldest = engines.node.replace(/^>=/, "");
  return row("stated", {
    versions: () => npm(ROOT, "run", "--silent", "release:check"),
    "oldest Node in README.md": () => says("README.md", `Node ${oldest} or newer`),
    "oldest Node in CONTRIBUTING.md": () => says("CONTRIBUTING.md", `Node ${oldest} or newer`),
    "oldest Node in CI": async () => {
      const [least] = await nodesOfCi();
      if (least !== Number(oldest.split(".")[0])) throw new Error(`CI begins with Node ${String(least)}`);
    },
    "Node 20": async () => {
      const { stdout } = await run(runtimeFile(programs, "Node 20"), ["--version"], ROOT);
      if (!isAtLeast(stdout.trim().slice(1), oldest)) throw new Error(`${stdout.trim()} is too old`);
    },
  });
}

async function says(file: string, text: string): Promise<void> {
  if (!(await read(file)).includes(text)) throw new Error(`${file} does not say "${text}"`);
}

/** The versions of Node in CI's matrix. */
async function nodesOfCi(): Promise<readonly number[]> {
  const workflow = parse(await read(".github/workflows/ci.yml")) as {
    readonly jobs: { readonly test: { readonly strategy: { readonly matrix: { readonly node: number[] } } } };
  };
  return workflow.jobs.test.strategy.matrix.node;
}

function isAtLeast(version: string, least: string): boolean {
  const [a = [], b = []] = [version, least].map((one) => one.split(".").map(Number));
  const at = [0, 1, 2].find((n) => (a[n] ?? 0) !== (b[n] ?? 0)) ?? 2;
  return (a[at] ?? 0) >= (b[at] ?? 0);
}

/** What the tarball must have, and what it must not. */
const FILES: readonly (readonly [pattern: RegExp, isThere: boolean])[] = [
  [/^package\/CHANGELOG\.md$/, true],
  [/^package\/LICENSE$/, true],
  [/^package\/dist\/sbom\.cdx\.json$/, true],
  [/^package\/dist\/THIRD-PARTY-LICENCES\.txt$/, true],
  [/^package\/docs\/examples\/ci\/github\.yml$/, true],
  [/^package\/docs\/examples\/runners\/sums\.eval\.test\.ts$/, true],
  [/^package\/skills\/evalcube\/SKILL\.md$/, true],
  [/^package\/docs\/site\//, false],
  [/\.map$|\.duckdb|\.test\.js$/, false],
];

/** What a release has beside its version: the files of the tarball, and what is attached to it. */
export async function filesFaults(tarball: string, scratch: string): Promise<Row> {
  return row("files", {
    notes: () =>
      npm(ROOT, "run", "--silent", "release:check", "--", "--notes", path.join(scratch, "notes.md")),
    "bill of materials": async () => {
      const { packages } = await billOfRelease(scratch);
      const missing = (await lockedPackages()).filter((one) => !packages.includes(one));
      if (missing.length > 0) throw new Error(`without ${missing.join(", ")}`);
    },
    tarball: async () => {
      const { stdout } = await run("tar", ["-tzf", tarball], ROOT);
      const names = stdout.split("\n");
      const wrong = FILES.filter(
        ([pattern, isThere]) => names.some((name) => pattern.test(name)) !== isThere,
      );
      const told = wrong.map(([pattern, isThere]) => `${isThere ? "has no" : "has"} ${pattern.source}`);
      if (told.length > 0) throw new Error(`the tarball ${told.join("; ")}`);
    },
  });
}
