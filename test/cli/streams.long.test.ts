import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import {
  call,
  ended,
  evalcube,
  exampleCalls,
  ndjson,
  PROJECT,
  put,
  start,
  temporaryFolder,
  TRIAL,
} from "./command.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

/** More than a pipe holds. */
const MANY = 20_000;

function manyCalls(): object[] {
  return Array.from({ length: MANY }, (_, i) =>
    call(`many-${i}`, TRIAL, { parent_id: "many", inputs: { example: i } }),
  );
}

beforeAll(async () => {
  const engine = await openEngine({ path: join(folder, "many.duckdb") });
  await engine.ingestCalls(manyCalls());
  await engine.close();
});

describe("a reader that goes away", () => {
  it("ends the command quietly", async () => {
    const child = start(["query", "--db", "many.duckdb", "--project", PROJECT, "-"], folder);
    child.stdin.end('{"evaluation_call_ids":["many"]}');
    child.stdout.once("data", () => child.stdout.destroy());
    let stderr = "";
    child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
    const [status] = (await once(child, "close")) as [number | null];
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("an interrupt", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s during a load from a pipe ends with status %i and stores nothing of it",
    async (signal, expected) => {
      const child = start(["ingest", "--db", "torn.duckdb", "-"], folder);
      child.stdin.on("error", () => {});
      const text = ndjson(manyCalls());
      await new Promise((resolve) => child.stdin.write(text, resolve));
      child.kill(signal);
      expect(await ended(child)).toEqual({ status: expected, stdout: "", stderr: "" });
      const list = await evalcube(["evaluations", "--db", "torn.duckdb", "--project", PROJECT], folder);
      expect(list).toMatchObject({ status: 0, stdout: "[]\n" });
      expect(list.stderr).toContain("nothing was loaded into the project");
    },
  );

  it("during a run says how many trials are stored, which the next run of the same id goes on from", async () => {
    put(
      folder,
      "stuck.eval.mjs",
      `const isStuck = process.env.STUCK === "yes";
      const task = async ({ n }) => {
        if (isStuck && n === 3) {
          setTimeout(() => process.kill(process.pid, "SIGINT"), 500);
          await new Promise((resolve) => setTimeout(resolve, 3000));
        }
        return n;
      };
      const data = [0, 1, 2, 3].map((n) => ({ n }));
      export default { name: "stuck", id: "stuck", resume: true, model: "m", data, task, scorers: { ok: () => true } };`,
    );
    const args = ["run", "stuck.eval.mjs", "--db", "stuck.duckdb", "--project", PROJECT];
    const stopped = await ended(start(args, folder, { STUCK: "yes" }));
    expect(stopped).toEqual({
      status: 130,
      stdout: "",
      stderr:
        "stuck: cancelled; 3 of 4 trials stored. Go on with: evalcube run stuck.eval.mjs --db stuck.duckdb --project acme/qa --resume\n",
    });
    const again = await ended(start(args, folder));
    expect(again.stderr).toContain("stuck: 4 trials, 0 in error, 0 scores failed, 3 stored before\n");
  });

  it("leaves a database that takes the next load", async () => {
    const { status, stdout } = await evalcube(
      ["ingest", "--db", "torn.duckdb", "-"],
      folder,
      ndjson(exampleCalls()),
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 8 });
  });

  it("while a request is awaited on standard input ends with status 130", async () => {
    const child = start(["query", "--db", "many.duckdb", "--project", PROJECT, "-"], folder);
    await new Promise((resolve) => child.stdin.write(`{"a":"${"x".repeat(1_000_000)}`, resolve));
    child.kill("SIGINT");
    expect(await ended(child)).toEqual({ status: 130, stdout: "", stderr: "" });
  });
});
