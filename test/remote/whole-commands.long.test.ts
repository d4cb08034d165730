import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { evalcube, put, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { CALLS, PROJECT } from "../doors/calls.ts";
import { ndjson } from "../support/records.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

/* What commands do that write, run or go on: over a service as over a file, but for its place, ids and times. */

const { folder, remove } = temporaryFolder();
const NAMES = ["EVALCUBE_KEY", "EVALCUBE_USER"] as const;
const before = NAMES.map((name) => [name, process.env[name]] as const);
let here: Engine;
let service: RemoteService;

beforeAll(async () => {
  here = await openEngine({ path: path.join(folder, "held.duckdb"), threads: 1 });
  service = await startRemote(here);
  process.env["EVALCUBE_KEY"] = service.key("admin");
  process.env["EVALCUBE_USER"] = "ann";
});

afterAll(async () => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  await service.stop();
  await here.close();
  remove();
});

const PLACES = ["file", "service"] as const;
type Place = (typeof PLACES)[number];

function addressOf(place: Place): string {
  return place === "file" ? path.join(folder, "near.duckdb") : service.url;
}

/** Without places, times and ids that are made anew. */
function plain(text: string, place: Place): string {
  return text
    .replaceAll(addressOf(place), "DATABASE")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, "TIME")
    .replaceAll(/\((?:TIME|\d\d:\d\d(?::\d\d)?|…[\da-f]{4})\)/g, "(LABEL)")
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "ID");
}

/** What each command line says and ends with, of one place after the other. */
async function expectSame(...lines: readonly (readonly string[])[]): Promise<void> {
  const said: Record<Place, { status: number | null; stdout: string; stderr: string }[]> = {
    file: [],
    service: [],
  };
  for (const place of PLACES)
    for (const args of lines) {
      const ended = await evalcubeHere([...args, "--db", addressOf(place)]);
      const { stdout, stderr } = ended;
      said[place].push({ ...ended, stdout: plain(stdout, place), stderr: plain(stderr, place) });
    }
  expect(said.service).toEqual(said.file);
}

const MODULE = `export default {
  name: "sums", model: "bot:a",
  data: Array.from({ length: 12 }, (_, n) => ({ n })),
  task: async ({ n }) => { if (n === 3) throw new Error("no luck"); return n; },
  scorers: { ok: ({ output }) => output < Number(process.env.GOOD ?? 9) },
};\n`;

const ask = (id: number, method: string, parameters: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params: parameters })}\n`;

describe("a command over a service", () => {
  it("loads, runs, judges and goes on as over a file", async () => {
    expect.hasAssertions();
    const module = put(folder, "sums.eval.ts", MODULE);
    const run = ["run", module, "--project", "acme/sums", "--no-git"];
    await expectSame(
      ["ingest", put(folder, "calls.ndjson", ndjson(CALLS))],
      run,
      [...run, "--resume"],
      [...run, "--fail-on", "regressed"],
      [...run, "--limit", "5", "--format", "json"],
      [...run, "--trials", "2", "--name", "twice", "--format", "table"],
    );
    await expectSame(["evaluations", "--project", "acme/sums"], ["history", "--project", "acme/sums"]);
  });

  it("judges in CI, keeps a baseline, and finds it again", async () => {
    expect.hasAssertions();
    for (const kept of ["baseline.parquet", "baseline.ndjson"]) {
      const file = path.join(folder, kept);
      const ci = ["ci", "--project", PROJECT, "--run", "nightly"];
      await expectSame([...ci, "--save", file]);
      await expectSame(
        [...ci, "--baseline", file],
        [...ci, "--format", "json"],
        ["ci", "--project", PROJECT],
      );
    }
  });

  it("writes the same page", async () => {
    const pages: string[] = [];
    for (const place of PLACES) {
      const out = path.join(folder, `${place}.html`);
      const { status } = await evalcubeHere([
        "report",
        "--project",
        PROJECT,
        "--out",
        out,
        "--db",
        addressOf(place),
      ]);
      expect(status).toBe(0);
      pages.push(plain(readFileSync(out, "utf8"), place));
    }
    expect(pages[0]).toBe(pages[1]);
  });

  it("shows steps as over a file", async () => {
    expect.hasAssertions();
    await expectSame(
      ["steps", "--project", PROJECT, "--evaluation", "latest"],
      ["steps", "--project", PROJECT],
    );
  });

  it("takes a backup as over a file, and replaces none", async () => {
    for (const place of PLACES) {
      const out = path.join(folder, `${place}-copy.duckdb`);
      const args = ["backup", "--out", out, "--db", addressOf(place)];
      const [first, again] = [await evalcubeHere(args), await evalcubeHere(args)];
      expect(first.status).toBe(0);
      expect(again.status).not.toBe(0);
      expect((await evalcubeHere(["check", "--db", out])).status).toBe(0);
    }
  });

  it("answers agents as over a file", async () => {
    const input = [
      ask(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      }),
      ask(2, "tools/call", { name: "list_evaluations", arguments: { project: PROJECT } }),
      ask(3, "tools/list", {}),
    ].join("");
    const answers: string[] = [];
    for (const place of PLACES) {
      const { status, stdout } = await evalcubeHere(["mcp", "--db", addressOf(place)], input);
      expect(status).toBe(0);
      expect(stdout.split("\n")).toHaveLength(4);
      answers.push(plain(stdout, place));
    }
    expect(answers[0]).toBe(answers[1]);
  });

  it("shows the demo as over a file, and its page", async () => {
    const said: string[] = [];
    for (const place of PLACES) {
      const ended = await evalcube(["demo", "--db", place === "file" ? "demo.duckdb" : service.url], folder);
      expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" });
      said.push(ended.stdout.replaceAll(place === "file" ? "demo.duckdb" : service.url, "DATABASE"));
    }
    const words = said.map((text) => text.replaceAll(/[^\s]*report\.html/g, "PAGE").replaceAll(/\s+/g, " "));
    expect(words[1]).toBe(words[0]);
    expect(existsSync(path.join(folder, "evalcube-demo-report.html"))).toBe(true);
  });
});
