import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT, root, trial } from "../support/records.ts";
import { openEngine } from "../../src/index.ts";
import type { Answers } from "../../src/view/model/answers.ts";
import { temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const DATABASE = join(folder, "evals.duckdb");

beforeAll(async () => {
  const engine = await openEngine({ path: DATABASE });
  await engine.ingestCalls(
    ["one", "two"].flatMap((id, e) => [
      root(id, { display_name: `run ${id}` }),
      ...Array.from({ length: 20 }, (_, i) =>
        trial(`${id}-${i}`, { i }, { correct: e === 0 || i % 2 === 0 }, { parent_id: id }),
      ),
    ]),
  );
  await engine.close();
});

const report = (...args: string[]) =>
  evalcubeHere(["report", "--db", DATABASE, "--project", PROJECT, ...args]);

/** What a report shows of the runs. */
const shown = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await report("--out", "-", ...args);
  const [, text = "{}"] = /id="evalcube-report">(.*?)<\/script>/s.exec(stdout) ?? [];
  const { runs, latest = [], summary } = JSON.parse(text) as Partial<Answers>;
  const ids = summary?.evaluations.map((one) => one.evaluation_call_id).toSorted();
  return { status, stderr, runs, ids, latest: latest.map((one) => [one.name, one.candidate]) };
};

describe("report", () => {
  it("writes a file, and says how large it is and whose outputs it holds", async () => {
    const out = join(folder, "first.html");
    const { status, stdout, stderr } = await report(
      "--out",
      out,
      "--evaluation",
      "run one",
      "--evaluation",
      "two",
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toMatch(/first\.html: \d+ kB, outputs of 20 of 20 rows\n$/);
    expect(readFileSync(out, "utf8")).toMatch(/^<!doctype html>/);
  });

  it("replaces a file only with --force", async () => {
    const out = join(folder, "there.html");
    writeFileSync(out, "mine");
    const refused = await report("--out", out);
    expect([refused.status, readFileSync(out, "utf8")]).toEqual([1, "mine"]);
    expect(refused.stderr).toMatch(/--force/);
    expect((await report("--out", out, "--force")).status).toBe(0);
    expect(readFileSync(out, "utf8")).toMatch(/^<!doctype html>/);
  });

  it("writes the page to standard output, the same bytes as to a file", async () => {
    const { stdout } = await report(
      "--out",
      "-",
      "--title",
      "A title",
      "--pass-k",
      "1,2",
      "--max-size",
      "1MB",
    );
    const again = join(folder, "again.html");
    await report("--out", again, "--title", "A title", "--pass-k", "1,2", "--max-size", "1000kB");
    expect(stdout).toBe(readFileSync(again, "utf8"));
  });

  it("shows the runs that --runs or --name says, and refuses what does not go together", async () => {
    const alone = [
      ["run one", "one"],
      ["run two", "two"],
    ];
    expect(await shown("--runs", "all")).toMatchObject({ runs: "all", ids: ["one", "two"], latest: [] });
    expect(await shown("--runs", "names")).toMatchObject({ runs: "names", ids: ["one", "two"], latest: [] });
    expect(await shown("--name", "run one")).toMatchObject({ runs: "latest", ids: ["one"], latest: alone });
    expect(await shown("--runs", "latest", "--name", "run two")).toMatchObject({
      ids: ["two"],
      latest: alone,
    });
    expect(await shown("--name", "run tow")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('did you mean \\"run two\\"?') as unknown,
    });
    expect(await shown("--runs", "all", "--name", "run one")).toMatchObject({ status: 2 });
    expect(await shown("--runs", "latest", "--evaluation", "one")).toMatchObject({ status: 2 });
    expect(await shown("--runs", "lates")).toMatchObject({ status: 2 });
  });

  it("ends with 3 where a gate is met, and the file is there", async () => {
    const out = join(folder, "gate.html");
    const { status, stderr } = await report("--out", out, "--scorer", "correct", "--fail-on", "regressed");
    expect(status).toBe(3);
    expect(stderr).toMatch(/regressed: run two is worse/);
    expect(existsSync(out)).toBe(true);
  });

  it.each([
    [["--scorer", "speed"], 2, /--scorer.*speed/],
    [["--evaluation", "gone"], 2, /--evaluation.*gone/],
    [["--evaluation", "one", "--fail-on", "regressed"], 2, /no two evaluations/],
    [["--max-size", "large"], 2, /1\.5MB/],
    [["--pass-k", "one"], 2, /whole numbers/],
  ])("with %j leaves no file", async (args, wanted, message) => {
    const before = readdirSync(folder);
    const { status, stderr } = await report("--out", join(folder, "none.html"), ...args);
    expect(status).toBe(wanted);
    expect(stderr).toMatch(message);
    expect(readdirSync(folder)).toEqual(before);
  });
});
