import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler, openEngine, type Engine, type HttpHandler } from "../../src/index.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { complaint, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { basic } from "../http/running-service.ts";
import { call, exampleCalls, lacks, PROJECT } from "./example.ts";

const { folder, remove } = temporaryFolder();
const db = join(folder, "evals.duckdb");
const { key, entry } = generateKey("ann", ["acme/*"], new Date());
let engine: Engine;
let handle: HttpHandler;

beforeAll(async () => {
  engine = await openEngine({ path: db, threads: 1 });
  const finished = { display_name: "qa", ended_at: "2025-01-02T00:00:00Z" };
  await engine.ingestCalls(exampleCalls());
  await engine.ingestCalls(["good", "bad"].map((id) => call(id, "Evaluation.evaluate", finished)));
  await engine.close();
  engine = await openEngine({ path: db, threads: 1, readOnly: true });
  handle = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
});

afterAll(async () => {
  await handle.close();
  await engine.close();
  remove();
});

const SUMMARY = { include_rows: false, include_summary: true, include_uncertainty: true };
/** Questions without a mistake, by the last word of their path and by their command. */
const DOORS = {
  query: { evaluation_call_ids: ["good", "bad"], ...SUMMARY },
  compare: { baseline: "good", candidates: ["bad"] },
  leaderboard: {},
  history: { name: "qa" },
  plan: { detect: 0.1, evaluation: "good", scorer: "correct" },
};

const ASK: { readonly [Name in keyof typeof DOORS]: (request: never) => Promise<unknown> } = {
  query: (request) => engine.queryEvalResults(PROJECT, request),
  compare: (request) => engine.compareEvaluations(PROJECT, request),
  leaderboard: (request) => engine.leaderboard(PROJECT, request),
  history: (request) => engine.history(PROJECT, request),
  plan: (request) => engine.planRows(PROJECT, request),
};

const NO_ROW = "no row of the requested evaluations has inputs.qestion";
const MEANT = 'did you mean "inputs.question"?';

type Asked = readonly [door: keyof typeof DOORS, wrong: object, member: string, says: readonly string[]];

const WRONG: readonly Asked[] = [
  ...(["query", "compare", "leaderboard", "history", "plan"] as const).map((door): Asked => [
    door,
    { cluster_by: "inputs.qestion" },
    "cluster_by",
    [NO_ROW, MEANT],
  ]),
  ...(["query", "compare", "leaderboard"] as const).flatMap((door): Asked[] => [
    [door, { by: "inputs.qestion" }, "by", [NO_ROW, MEANT]],
    [door, { by: "question" }, "by", ['there are no slices by "question"', MEANT]],
    [door, { cluster_by: "outputs.question" }, "cluster_by", ["inputs.<path>"]],
  ]),
  ["compare", { by: "modl" }, "by", ['did you mean "model"?']],
  ["leaderboard", { by: "model", weights: "row" }, "weights", ["rows", "tasks"]],
];

describe("a field that no row has, and a word that is none", () => {
  it.each(WRONG)("is an error of the library: %s %j", async (door, wrong, member, says) => {
    const asked = ASK[door]({ ...DOORS[door], ...wrong } as never);
    const error = await asked.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "RequestError", path: [member] });
    expect(lacks((error as Error).message, says)).toEqual([]);
  });

  it.each(WRONG)("is answered with 400, a word with 422: %s %j", async (door, wrong, member, says) => {
    const headers = { authorization: basic(key), "content-type": "application/json" };
    const body = JSON.stringify({ ...DOORS[door], ...wrong });
    const url = `http://localhost/v2/acme/qa/eval_results/${door}`;
    const response = await handle(new Request(url, { method: "POST", headers, body }));
    const text = JSON.stringify(await response.json()).replaceAll(String.raw`\"`, '"');
    expect(response.status).toBe(member === "weights" ? 422 : 400);
    expect(lacks(text, [member, ...says])).toEqual([]);
  });

  it.each(WRONG)("ends the command with 2: %s %j", async (door, wrong, member, says) => {
    const flags = Object.entries(wrong).flatMap(([name, value]) => [
      `--${name.replace("_", "-")}`,
      String(value),
    ]);
    const isFlagged = door !== "query";
    const stdin = JSON.stringify({ ...DOORS[door], ...(isFlagged ? {} : wrong) });
    const asked = door === "history" ? ["qa", ...flags] : ["-", ...(isFlagged ? flags : [])];
    const place = ["--db", db, "--project", PROJECT];
    const { status, stdout, stderr } = await evalcubeHere([door, ...place, ...asked], stdin);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    const where = isFlagged ? `--${member.replace("_", "-")}` : member;
    expect(lacks(complaint(stderr).reason, [where, ...says])).toEqual([]);
  });
});
