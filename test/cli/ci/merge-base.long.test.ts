import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { complaint, temporaryFolder } from "../command.ts";
import { ci, database, git, passing, stubJob } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const whole = join(folder, "whole");
const NAME = join("evals", "base.parquet");
const PULL = { GITHUB_BASE_REF: "main", GITHUB_ACTIONS: "true" };
const MERGE_REQUEST = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" };
let db = "";
let base = "";
let made = 0;

/** A clone of the repository in a folder of its own. */
function clone(...args: readonly string[]): string {
  const name = `clone${made++}`;
  git(folder, "clone", "-q", "--branch", "new", ...args, pathToFileURL(whole).href, name);
  return join(folder, name);
}

/** Judges with the baseline of a working folder in a job with these variables. */
async function judged(here: string, variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  vi.spyOn(process, "cwd").mockReturnValue(here);
  stubJob(variables);
  const answer = await ci(db, "--baseline", join(here, NAME), "--format", "json", ...args);
  const json = JSON.parse(answer.stdout || "{}") as {
    readonly baseline: { readonly place: string } | null;
    readonly not_comparable: readonly { readonly reason: string; readonly text: string }[];
  };
  return { ...answer, place: json.baseline?.place, reasons: json.not_comparable };
}

/** How the job of a pull request ends, and what nobody else changed elsewhere. */
async function statuses(here: string): Promise<unknown[]> {
  const pull = await judged(here, PULL);
  expect(pull.reasons).toMatchObject([{ reason: "merge-base" }]);
  const own = await judged(here, {});
  expect(own.place).toBe(join(here, NAME));
  return [pull.status, own.status];
}

/** The candidate passes where it is compared with the file of the branch, and fails where with that of the merge base. */
beforeAll(async () => {
  stubJob();
  mkdirSync(join(whole, "evals"), { recursive: true });
  const good = await database(folder, "good.duckdb", [{ id: "base", trials: passing(40, 40) }]);
  db = await database(folder, "new.duckdb", [{ id: "cand", trials: passing(40, 20), at: 5 }]);
  await ci(good, "--save", join(whole, NAME));
  git(whole, "init", "-q");
  git(whole, "add", ".");
  git(whole, "commit", "-qm", "one");
  base = git(whole, "rev-parse", "--short=7", "HEAD");
  git(whole, "checkout", "-qb", "new");
  await ci(db, "--save", join(whole, NAME));
  git(whole, "commit", "-qam", "two");
  vi.unstubAllEnvs();
});

beforeEach(() => () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("a baseline that git keeps", () => {
  it("is read as it was at the merge base, whatever the checkout made of it since", async () => {
    const here = clone();
    const expected = { status: 3, place: `${join(here, NAME)} at the merge base ${base}` };
    expect(await judged(here, PULL)).toMatchObject(expected);
    expect(await judged(here, {})).toMatchObject(expected);
    git(here, "rm", "-q", "--cached", NAME);
    git(here, "commit", "-qm", "three");
    expect(await judged(here, PULL)).toMatchObject(expected);
    rmSync(join(here, NAME));
    expect(await judged(here, PULL)).toMatchObject(expected);
    writeFileSync(join(here, "evals", ".git"), "gitdir: nowhere\n");
    expect(await judged(here, PULL)).toMatchObject(expected);
  });

  it("may be a database", async () => {
    const here = join(folder, "databases");
    mkdirSync(here);
    const file = await database(here, "base.duckdb", [{ id: "base", trials: passing(40, 40) }]);
    git(here, "init", "-q");
    git(here, "add", ".");
    git(here, "commit", "-qm", "one");
    const first = git(here, "rev-parse", "--short=7", "HEAD");
    git(here, "checkout", "-qb", "new");
    writeFileSync(file, readFileSync(db));
    git(here, "commit", "-qam", "two");
    vi.spyOn(process, "cwd").mockReturnValue(here);
    stubJob(PULL);
    const { status, stdout } = await ci(db, "--baseline", file);
    expect(status).toBe(3);
    expect(stdout).toContain(`Baseline: ${file} at the merge base ${first}`);
  });

  it.each([
    ["fetch-depth: 0", PULL],
    ["GIT_DEPTH: 0", MERGE_REQUEST],
  ])(
    "leaves the job of a pull request undetermined in a shallow clone, with the line %s",
    async (line, job) => {
      for (const depth of ["1", "2"])
        for (const gates of [[], ["--fail-on", "errors>50%"]]) {
          const answer = await judged(clone("--depth", depth), job, ...gates);
          expect(answer.status).toBe(4);
          expect(answer.reasons).toMatchObject([
            { reason: "merge-base", text: expect.stringContaining(line) as string },
          ]);
          expect(answer.stderr).toContain("--baseline-from-head");
        }
    },
  );

  it.each([
    ["the branch is not at hand", [], ["update-ref", "-d", "refs/remotes/origin/main"]],
    ["files of the past were not fetched", ["--filter=blob:none"], ["status"]],
  ])("leaves the job of a pull request undetermined where %s", async (_reason, cloned, command) => {
    git(whole, "config", "uploadpack.allowFilter", "true");
    const here = clone(...cloned);
    git(here, ...command);
    expect(await statuses(here)).toEqual([4, 0]);
  });

  it.each([
    ["git cannot read the repository", join(".git", "HEAD")],
    ["there is no repository", ".git"],
  ])("leaves the job of a pull request undetermined where %s", async (_reason, removed) => {
    const here = clone();
    rmSync(join(here, removed), { recursive: true });
    expect(await statuses(here)).toEqual([4, 0]);
  });

  it("is taken as the checkout has it where one says so, with a note", async () => {
    for (const here of [clone("--depth", "1"), clone()]) {
      expect(await judged(here, PULL, "--baseline-from-head")).toMatchObject({
        status: 0,
        place: join(here, NAME),
      });
      const { stdout } = await ci(db, "--baseline", join(here, NAME), "--baseline-from-head");
      expect(stdout).toContain("as the checkout has it, which may have changed it");
    }
  });
});

it("a baseline that git does not keep is judged in a shallow clone too: no pull request brings it along", async () => {
  const here = clone("--depth", "1");
  git(here, "rm", "-q", "--cached", NAME);
  git(here, "commit", "-qm", "three");
  expect(await judged(here, PULL)).toMatchObject({ status: 0, place: join(here, NAME) });
  const elsewhere = join(folder, "artifact.parquet");
  writeFileSync(elsewhere, readFileSync(join(here, NAME)));
  expect((await ci(db, "--baseline", elsewhere)).status).toBe(0);
});

it("a file that is no baseline at the merge base is refused by its name there", async () => {
  const here = join(folder, "text");
  mkdirSync(join(here, "evals"), { recursive: true });
  writeFileSync(join(here, NAME), "no Parquet");
  git(here, "init", "-q");
  git(here, "add", ".");
  git(here, "commit", "-qm", "one");
  const answer = await judged(here, PULL);
  expect(answer.status).toBe(2);
  expect(complaint(answer.stderr).reason).toContain(`${join(here, NAME)} at the merge base`);
});
