import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readCheckout } from "../../src/runners/checkout.ts";
import { readSettings } from "../../src/runners/options.ts";
import EvalcubeReporter from "../../src/runners/vitest.ts";
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import { scratchFolder } from "../support/scratch.ts";

describe("the options of a runner", () => {
  it("are refused by name where one is unknown, with the nearest, when the runner starts", async () => {
    const wrong = { projct: "acme/qa" } as object;
    const message = 'there is no option "projct"; did you mean "project"?';
    expect(() => new EvalcubeReporter(wrong)).toThrow(message);
    await expect(evalcubeStorage(wrong, {})).rejects.toThrow(message);
  });

  it.each([
    [{ project: "qa" }, 'project must be ENTITY/PROJECT, without control characters, not "qa"'],
    [{ db: "" }, 'db must be a text that is not empty, without U+0000, not ""'],
    [{ db: "clickhouse://localhost/evals" }, "db must be a file, not a database on a server"],
    [{ model: 7 }, "model must be a text that is not empty, without U+0000, not 7"],
    [{ attributes: [] }, "attributes must be an object, not []"],
    [{ attributes: { of: Number.NaN } }, "attributes.of: NaN is no JSON number"],
  ])("are refused with the value where it is not allowed: %j", (options, message) => {
    expect(() => readSettings(options as object, scratchFolder())).toThrow(message);
  });

  it("come from the environment where they are not given, and are refused by the name of the variable", () => {
    const told = { EVALCUBE_DB: "of-env.duckdb", EVALCUBE_PROJECT: "of/env", EVALCUBE_RUN: "of-env" };
    for (const [name, value] of Object.entries(told)) vi.stubEnv(name, value);
    try {
      const folder = scratchFolder();
      expect(readSettings({}, folder)).toMatchObject({
        db: "of-env.duckdb",
        project: "of/env",
        run: "of-env",
      });
      expect(readSettings({ run: "mine" }, folder).run).toBe("mine");
      vi.stubEnv("EVALCUBE_PROJECT", "nothing");
      expect(() => readSettings({}, folder)).toThrow(
        'EVALCUBE_PROJECT must be ENTITY/PROJECT, without control characters, not "nothing"',
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("are a file in the root, the package as a project, and another run each time, where nothing tells them", () => {
    const root = scratchFolder();
    const settings = readSettings({}, root);
    expect(path.resolve(settings.db)).toBe(path.join(root, "evals.duckdb"));
    expect(settings.project).toBe(`local/${path.basename(root)}`);
    expect(settings.run).not.toBe(readSettings({}, root).run);
    writeFileSync(path.join(root, "package.json"), '{ "name": "@acme/qa" }');
    expect(readSettings({}, root).project).toBe("local/@acme-qa");
  });
});

describe("the commit and the branch of the code", () => {
  it("are those that a job tells, else those of git around the working folder and the code, and absent where neither does", async () => {
    const root = scratchFolder();
    const git = (...args: string[]) => String(execFileSync("git", args, { cwd: root })).trim();
    const read = (env: Record<string, string> = {}) => readCheckout(path.join(root, "in", "a.ts"), env);
    mkdirSync(path.join(root, "in"));
    const here = vi.spyOn(process, "cwd").mockReturnValue(root);
    expect(await read()).toEqual({});
    git("init", "-q", "-b", "feature/é");
    expect(await read()).toEqual({ branch: "feature/é" });
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "one");
    const commit = git("rev-parse", "HEAD");
    expect(await read()).toEqual({ commit, branch: "feature/é" });
    here.mockReturnValue(path.dirname(root));
    expect(await read()).toEqual({});
    here.mockReturnValue(path.join(root, "in"));
    git("checkout", "-q", "--detach");
    expect(await read()).toEqual({ commit });
    const event = path.join(root, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { head: { sha: "b".repeat(40) } } }));
    const job = { GITHUB_EVENT_PATH: event, GITHUB_SHA: "a".repeat(40), GITHUB_HEAD_REF: "fix" };
    expect(await read(job)).toEqual({ commit: "b".repeat(40), branch: "fix" });
    here.mockRestore();
  });
});
