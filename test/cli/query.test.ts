import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type EvalResultsResponse } from "../../src/index.ts";
import { call, complaint, evalcube, exampleCalls, PROJECT, put, temporaryFolder, TRIAL } from "./command.ts";
import type { Ended } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const request = {
  evaluation_call_ids: ["good", "bad"],
  include_summary: true,
  include_raw_data_rows: true,
  sort_by: [{ field: "inputs.n", direction: "desc" }],
};
let answer = "";

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "qa.duckdb") });
  await engine.ingestCalls([...exampleCalls(), ...trials("many"), ...trials("more")]);
  answer = await engine.queryEvalResultsJson(PROJECT, request);
  await engine.close();
});

/** 150 trials of an evaluation. */
function trials(evaluation: string): object[] {
  return Array.from({ length: 150 }, (_, i) =>
    call(`${evaluation}-${i}`, TRIAL, {
      parent_id: evaluation,
      inputs: { example: { i } },
      output: { scores: { i } },
    }),
  );
}

const database = ["--db", join(folder, "qa.duckdb"), "--project", PROJECT];

function query(args: readonly string[], input?: string): Promise<Ended> {
  return evalcubeHere(["query", ...database, ...args], input);
}

describe("query", () => {
  it("prints the engine's bytes and a newline", async () => {
    const file = put(folder, "request.json", JSON.stringify(request));
    expect(await query([file])).toEqual({ status: 0, stdout: `${answer}\n`, stderr: "" });
  });

  it("reads the request from standard input", async () => {
    const ended = await evalcube(["query", ...database, "-"], folder, JSON.stringify(request));
    expect(ended).toEqual({ status: 0, stdout: `${answer}\n`, stderr: "" });
  });

  it("says how to name evaluations where none is named", async () => {
    const { status, stdout, stderr } = await query([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("name the evaluations: --evaluation latest");
  });

  it("prints rows, evaluations, scores and the summary as tables", async () => {
    const { status, stdout, stderr } = await query(["--format", "table", "-"], JSON.stringify(request));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("3 rows, 3 shown");
    expect(stdout).toMatch(/row +evaluation +trials +correct +length/);
    expect(stdout).toMatch(/\{"n":2\} +the good one +1 +✓ +2\.5\n +the bad one +1 +✗ +2\.5/);
    expect(stdout).toMatch(/the bad one +correct +3 of 3 +– +33\.3%/);
    expect(stdout).toMatch(/length +3 of 3 +1\.50 +–/);
    expect(stdout).not.toContain("\u001b");
  });

  it("prints the means of rows with half of their intervals where the request has them", async () => {
    const uncertain = JSON.stringify({ ...request, include_uncertainty: true });
    const { stdout } = await query(["--format", "table", "-"], uncertain);
    const { summary } = JSON.parse((await query(["-"], uncertain)).stdout) as EvalResultsResponse;
    const [low = NaN, high = NaN] = summary?.evaluations[1]?.scorer_stats[0]?.confidence_interval ?? [];
    expect(stdout).toContain("mean of rows ± 95%");
    expect(stdout).toMatch(/the bad one +correct +3 of 3 +– +33\.3% +33\.3% ± \d/);
    expect(stdout).toContain(`33.3% ± ${((high - low) * 50).toFixed(1)}\n`);
    expect(stdout).toMatch(/length +3 of 3 +1\.50 +– +1\.50 ± 2\.48\n/);
  });

  it("shows a terminal whole rows of at most 200 records, and says how to get all", async () => {
    const asked = '{"evaluation_call_ids":["many","more"],"limit":150}';
    const terminal = { isTTY: true, columns: 60 };
    const shown = await evalcubeHere(["query", ...database, "--format", "table", "-"], asked, terminal);
    const lines = shown.stdout.split("\n");
    expect(lines[0]).toBe("150 rows, 100 shown");
    expect(lines).toHaveLength(2 + 2 + 200 + 3);
    expect(lines.at(-2)).toBe("Shown: the first 100 rows; append | less -S to see all.");
    const all = await query(["--format", "table", "-"], asked);
    expect(all.stdout.split("\n")).toHaveLength(2 + 2 + 300 + 1);
  });

  it("writes warnings of a table to standard error", async () => {
    const asked =
      '{"evaluation_call_ids":["good"],"filters":[{"evaluation_call_id":"bad","query":{"$expr":{"$eq":[{"$getField":"scores.acc"},{"$literal":1}]}}}]}';
    const { status, stderr } = await query(["--format", "table", "-"], asked);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^note: .*not requested/);
  });

  it("refuses an evaluation that is not there", async () => {
    const { status, stderr } = await query(["-"], '{"evaluation_call_ids":["absent"]}');
    expect(status).toBe(2);
    expect(stderr).toMatch(/absent.* is not in this project/);
  });
});

describe("query with a faulty request", () => {
  it.each([
    ["an unknown member", '{"evaluation_calls":[]}', "evaluation_calls"],
    ["a wrong type", '{"limit":"ten"}', "limit"],
    ["an unknown field", '{"sort_by":[{"field":"rows.x"}]}', "sort_by"],
  ])("with %s ends with status 2 and names the place", async (_, text, place) => {
    const { status, stdout, stderr } = await query(["-"], text);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain(place);
    expect(complaint(stderr).detail).toEqual([
      { loc: expect.arrayContaining([place]), msg: expect.any(String), type: expect.any(String) },
    ]);
  });

  it.each([
    ["not JSON", "{"],
    ["empty", ""],
  ])("that is %s ends with status 2", async (_, text) => {
    const { status, stdout, stderr } = await query(["-"], text);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain("JSON");
  });

  it("that cannot be read ends with status 1", async () => {
    const { status, stderr } = await query(["/absent.json"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "evalcube: cannot read /absent.json: no such file\n",
    });
  });

  it("fails on a database that does not exist, and makes none", async () => {
    const args = ["query", "--db", join(folder, "absent.duckdb"), "--project", PROJECT];
    const { status, stdout, stderr } = await evalcubeHere(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^evalcube: .*absent\.duckdb.*\n$/);
    expect(existsSync(join(folder, "absent.duckdb"))).toBe(false);
  });
});

describe("evaluations", () => {
  const args = ["evaluations", ...database];

  it("prints the list as JSON", async () => {
    const { status, stdout, stderr } = await evalcubeHere(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toContainEqual({
      id: "good",
      display_name: "the good one",
      attributes: null,
      evaluation_ref: "svc:///acme/qa/object/set:v1",
      model_ref: "svc:///acme/qa/object/model-good:v1",
      dataset_ref: null,
      file: null,
      commit: null,
      branch: null,
      started_at: expect.stringMatching(/^2025-01-01T00:00:00/),
      ended_at: null,
      exception: null,
      status: "running",
      last_trial_at: expect.stringMatching(/^2025-01-01T/) as unknown,
      user: null,
      trial_count: 3,
      row_count: 3,
      rows_digest: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
      error_count: 0,
      top_error: null,
    });
  });

  it("prints the list as a table", async () => {
    const { status, stdout } = await evalcubeHere([...args, "--format", "table"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /good +the good one +model-good +3 rows \([0-9a-f]{6}\) +2025-01-01T00:00:00 +running +3 +0\n/,
    );
  });
});
