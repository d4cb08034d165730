import { afterAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { complaint, evalcube, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

describe("the command line", () => {
  it.each([
    ["no command", [], /name a command/],
    ["an unknown command", ["qeury"], /unknown command 'qeury'.*Did you mean query/],
    ["an unknown option", ["demo", "--database", "x"], /unknown option '--database'/],
    ["a missing option", ["evaluations", "--project", "acme/qa"], /required option '--db <path>'/],
    [
      "a missing option that is misspelt",
      ["evaluations", "--dbb", "x"],
      /unknown option '--dbb'.*Did you mean --db\?/,
    ],
    ["a missing option, but not of a file", ["ingest", "--", "--dbb"], /required option '--db <path>'/],
    ["a missing file argument", ["ingest", "--db", "x.duckdb"], /missing required argument 'files'/],
    ["a word too many", ["demo", "now"], /too many arguments/],
    [
      "evaluations as words",
      ["compare", "--db", "x", "old", "new"],
      /Expected 1 argument but got 2; a flag names an evaluation/,
    ],
    ["a share in percent", ["compare", "--db", "x", "--confidence", "95%"], /a number, such as 0\.05/],
    [
      "a file that is no module",
      ["run", "package.json", "--db", "x", "--project", "a/b"],
      /ends in \.ts, \.js/,
    ],
    ["a folder for a module", ["run", "test", "--db", "x", "--project", "a/b"], /test is no module/],
    ["an unknown format", ["evaluations", "--db", "x", "--project", "a/b", "--format", "xml"], /json, table/],
    ["an unknown kind", ["ingest", "--db", "x", "--kind", "spans", "f.ndjson"], /calls, rows/],
    ["a project without entity", ["evaluations", "--db", "x", "--project", "qa"], /ENTITY\/PROJECT/],
    ["standard input named twice", ["ingest", "--db", "x", "-", "-"], /given twice/],
  ])("with %s is refused with status 2 and a JSON reason", async (_, args, reason) => {
    const { status, stdout, stderr } = await evalcubeHere(args);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(complaint(stderr).reason).toMatch(reason);
    expect(complaint(stderr).detail).toEqual([
      { loc: ["arguments"], msg: complaint(stderr).reason, type: "usage" },
    ]);
  });

  it("as a process ends with the same status and output", async () => {
    expect(await evalcube(["qeury"], folder)).toEqual(await evalcubeHere(["qeury"]));
  });

  it("shows help on standard output with status 0", async () => {
    const { status, stdout, stderr } = await evalcubeHere(["--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of ["ingest", "query", "evaluations", "demo"]) expect(stdout).toContain(`  ${name} `);
  });

  it("shows the version of the package", async () => {
    expect(await evalcube(["--version"], folder)).toEqual({
      status: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });
});
