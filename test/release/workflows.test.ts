import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = path.join(import.meta.dirname, "../..");

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly "runs-on": string;
  readonly "timeout-minutes"?: number;
  readonly needs?: string;
  readonly environment?: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly "fail-fast": boolean; readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (name: string) => readFileSync(path.join(ROOT, name), "utf8");
const workflow = (name: string) => parse(read(`.github/workflows/${name}`)) as Workflow;

const runsOf = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

const WORKFLOWS = readdirSync(path.join(ROOT, ".github/workflows"));
const ACTION = parse(read("action.yml")) as { readonly runs: { readonly steps: readonly Step[] } };
const STEPS: readonly (readonly [file: string, steps: readonly Step[]])[] = [
  ...WORKFLOWS.map(
    (name) => [name, Object.values(workflow(name).jobs).flatMap(({ steps }) => steps)] as const,
  ),
  ["action.yml", ACTION.runs.steps],
];

describe.each(STEPS)("%s", (name, steps) => {
  const text = read(name === "action.yml" ? name : `.github/workflows/${name}`);

  it("pins what it uses by commit, with the version behind", () => {
    const uses = text.match(/(?<=uses: ).*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const one of uses) expect(one).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("leaves no credentials behind at a checkout", () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  it("gives a shell nothing that others write but as a variable", () => {
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs.filter((run) => /\$\{\{\s*(?:github\.(?:event|ref_name|head_ref)|inputs)/.test(run))).toEqual(
      [],
    );
  });

  it("knows no secret that is kept", () => {
    expect(text).not.toMatch(/secrets\.(?!GITHUB_TOKEN\b)|NODE_AUTH_TOKEN|pull_request_target/);
  });
});

it.each(WORKFLOWS)("each job of %s has a time at which it ends, and the least of permissions", (name) => {
  const { jobs, permissions } = workflow(name);
  for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  expect([{}, { contents: "read" }]).toContainEqual(permissions);
});

describe("a release", () => {
  const { on, jobs, permissions } = workflow("release.yml");
  const { test, publish, release } = jobs;

  it("begins with a tag, and with nothing else", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(permissions).toEqual({});
    expect(Object.keys(jobs)).toEqual(["test", "publish", "release"]);
  });

  it("stops where the tag is not the version, and tests before it packs", () => {
    const texts = runsOf(test);
    const at = (part: string) => texts.findIndex((one) => one.includes(part));
    expect(texts[at("release:check")]).toContain('-- "$GITHUB_REF_NAME"');
    expect([at("release:check"), at(".ci/run"), at("npm pack")].toSorted((a, b) => a - b)).toEqual([
      at("release:check"),
      at(".ci/run"),
      at("npm pack"),
    ]);
    expect(at("release:check")).toBeGreaterThan(0);
    expect(test?.permissions).toEqual({ contents: "read" });
    expect(test?.steps.at(-1)?.uses).toMatch(/^actions\/upload-artifact@/);
  });

  it("is published by a job that builds and installs nothing and may do nothing else", () => {
    expect(publish?.permissions).toEqual({ "id-token": "write" });
    expect(publish?.needs).toBe("test");
    expect(publish?.environment).toBeDefined();
    expect(runsOf(publish)).toEqual(["npm publish ./release/evalcube-*.tgz --provenance"]);
    const uses = publish?.steps.flatMap((step) => step.uses?.split("@")[0] ?? []);
    expect(uses).toEqual(["actions/download-artifact", "actions/setup-node"]);
    expect(publish?.steps[1]?.with).toEqual({ "node-version": 24 });
  });

  it("has the text of the changelog, the tarball and the bill of materials", () => {
    expect(release?.permissions).toEqual({ contents: "write" });
    const [create = ""] = runsOf(release);
    for (const part of ["gh release create", "--notes-file", ".tgz", ".cdx.json"])
      expect(create).toContain(part);
    const bill = "npm sbom --sbom-format cyclonedx --omit dev --package-lock-only";
    expect(runsOf(test).some((run) => run.includes(bill))).toBe(true);
  });

  it("gives no job but one the right to write to the repository", () => {
    const all = Object.values(jobs).map((job) => JSON.stringify(job.permissions));
    expect(all.filter((one) => one.includes('"contents":"write"'))).toHaveLength(1);
  });
});

it("the tests run on three systems and the supported versions of Node", () => {
  const { strategy, steps } = workflow("ci.yml").jobs["test"] ?? {};
  expect(strategy).toEqual({
    "fail-fast": false,
    matrix: { os: ["ubuntu-latest", "macos-latest", "windows-latest"], node: [20, 22, 24] },
  });
  const everywhere = steps?.filter((step) => !("if" in step)).map(({ run }) => run);
  expect(everywhere).toEqual(expect.arrayContaining(["npm run test:fast", "npm run test:package"]));
});

it("the pins are kept up to date", () => {
  const { updates } = parse(read(".github/dependabot.yml")) as {
    readonly updates: readonly { readonly "package-ecosystem": string }[];
  };
  expect(updates.map((one) => one["package-ecosystem"])).toContain("github-actions");
});

it("the package is published for everybody, with provenance, and names its site", () => {
  const manifest = JSON.parse(read("package.json")) as Record<string, unknown>;
  expect(manifest["publishConfig"]).toEqual({ access: "public", provenance: true });
  expect(manifest["homepage"]).toBe("https://evalcube.github.io/evalcube/");
});

it("what a rehearsal runs is pinned by exact versions, and locked", () => {
  const { dependencies } = JSON.parse(read("build/rehearsal/package.json")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const version of Object.values(dependencies))
    expect(version).toMatch(/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/);
  const lock = JSON.parse(read("build/rehearsal/package-lock.json")) as { readonly packages: object };
  const locked = Object.keys(lock.packages).map((name) => name.replace("node_modules/", ""));
  expect(locked).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(existsSync(path.join(ROOT, "build/rehearsal/node_modules"))).toBe(false);
});
