import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import { tableToIPC } from "apache-arrow";
import { afterAll, describe, expect, it } from "vitest";
import { recordTable } from "../arrow/table.ts";
import { call, exampleCalls, ndjson, PROJECT, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const calls = ndjson(exampleCalls());

function database(name: string): string {
  return join(folder, `${name}.duckdb`);
}

async function evaluationIds(path: string): Promise<string[]> {
  const { stdout } = await evalcubeHere(["evaluations", "--db", path, "--project", PROJECT]);
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id).toSorted();
}

describe("ingest", () => {
  it("loads files, prints one JSON line for each and nothing else", async () => {
    const files = [
      put(folder, "calls.ndjson", calls),
      put(folder, "rows.jsonl", ndjson([{ project_id: PROJECT, digest: "d1", val: { q: 1 } }])),
    ];
    const { status, stdout, stderr } = await evalcubeHere(["ingest", "--db", database("files"), ...files]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const counts = {
      unchanged: 0,
      rejected: [],
      unknown_members: {},
      epoch_times: {},
      unattached: 0,
      unused_ops: {},
    };
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { source: files[0], kind: "calls", received: 8, stored: 8, ...counts, evaluations: 2, trials: 6 },
      { source: files[1], kind: "rows", received: 1, stored: 1, ...counts, evaluations: 0, trials: 0 },
    ]);
    expect(await evaluationIds(database("files"))).toEqual(["bad", "good"]);
  });

  it("prints a table on a terminal and no JSON, also of what was loaded before a file that fails", async () => {
    const files = [put(folder, "screen.ndjson", calls), put(folder, "bad.ndjson", "{")];
    const args = ["ingest", "--db", database("screen"), ...files];
    const { status, stdout } = await evalcubeHere(args, "", { isTTY: true, columns: 200 });
    expect(status).toBe(1);
    const [head = "", , line = "", ...rest] = stripVTControlCharacters(stdout)
      .split("\n")
      .map((one) => one.replaceAll(/\s+/g, " ").trim());
    expect(head).toContain("source kind records stored unchanged refused evaluations trials");
    expect(line).toContain("screen.ndjson calls 8 8 0 0 2 6");
    expect(rest).toEqual([""]);
    const asked = await evalcubeHere([...args.slice(0, 4), "--format", "table"]);
    expect(asked.stdout.replaceAll(/ +/g, " ")).toContain("screen.ndjson calls 8 0 8 0 0 0");
  });

  it("reads a compressed file and changes nothing when it reads it again", async () => {
    const args = ["ingest", "--db", database("gz"), put(folder, "calls.ndjson.gz", gzipSync(calls))];
    expect(JSON.parse((await evalcubeHere(args)).stdout)).toMatchObject({ received: 8, stored: 8 });
    expect(JSON.parse((await evalcubeHere(args)).stdout)).toMatchObject({ stored: 0, unchanged: 8 });
  });

  it("reads Arrow files, and folders with files of any kind", async () => {
    const lake = mkdtempSync(join(folder, "lake-"));
    const records = exampleCalls() as Readonly<Record<string, unknown>>[];
    put(lake, "calls.arrow", Buffer.from(tableToIPC(recordTable(records), "file")));
    put(
      lake,
      "rows.arrows",
      Buffer.from(tableToIPC(recordTable([{ project_id: PROJECT, val: 1 }]), "stream")),
    );
    put(lake, "notes.txt", "nothing to load");
    const { status, stdout } = await evalcubeHere(["ingest", "--db", database("lake"), lake]);
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { source: string });
    expect(status).toBe(0);
    expect(results).toMatchObject([
      { source: join(lake, "calls.arrow"), kind: "calls", stored: 8 },
      { source: join(lake, "rows.arrows"), kind: "rows", stored: 1 },
    ]);
    expect(await evaluationIds(database("lake"))).toEqual(["bad", "good"]);
  });

  it("reads standard input", async () => {
    const { status, stdout } = await evalcubeHere(["ingest", "--db", database("stdin"), "-"], calls);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ source: "standard input", kind: "calls", stored: 8 });
    expect(await evaluationIds(database("stdin"))).toEqual(["bad", "good"]);
  });

  it("takes the kind that it is told", async () => {
    const row = ndjson([{ project_id: PROJECT, val: { q: 1 } }]);
    const asRows = await evalcubeHere(["ingest", "--db", database("kind"), "--kind", "rows", "-"], row);
    expect(JSON.parse(asRows.stdout)).toMatchObject({ kind: "rows", stored: 1 });
    const asCalls = await evalcubeHere(["ingest", "--db", database("kind"), "--kind", "calls", "-"], row);
    expect({ status: asCalls.status, stdout: asCalls.stdout }).toEqual({ status: 1, stdout: "" });
  });

  it("reports members that it does not know", async () => {
    const line = ndjson([call("x", "op", { inptus: {} })]);
    const { stdout, stderr } = await evalcubeHere(["ingest", "--db", database("unknown"), "-"], line);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 1, unknown_members: { inptus: 1 } });
    expect(stderr).toContain('unknown member "inptus"');
  });

  it("tells how it read times that are whole numbers", async () => {
    const lines = ndjson([call("x", "op", { started_at: 1_769_860_800_000 }), call("y", "op")]);
    const { stdout, stderr } = await evalcubeHere(["ingest", "--db", database("epochs"), "-"], lines);
    expect(JSON.parse(stdout)).toMatchObject({ epoch_times: { milliseconds: 1 } });
    expect(stderr).toBe(
      "note: standard input: read times that are whole numbers as milliseconds since 1970 in 1 records\n",
    );
  });

  it("tells calls whose parent is missing, and op names that may be meant for trials", async () => {
    const lines = ndjson([
      call("e", "Evaluation.evaluate"),
      call("t", "my_trial", { parent_id: "e", inputs: { example: 1 } }),
      call("s", "judge.score", { parent_id: "gone" }),
    ]);
    const { stdout, stderr } = await evalcubeHere(["ingest", "--db", database("odd"), "-"], lines);
    expect(JSON.parse(stdout)).toMatchObject({ unattached: 1, unused_ops: { my_trial: 1 } });
    expect(stderr.split("\n")).toEqual([
      "note: standard input: 1 calls name a parent_id that is not stored; they join it when it is loaded",
      'note: standard input: 1 calls with the op name "my_trial" look like trials and are none; trials have the op name Evaluation.predict_and_score',
      "",
    ]);
  });
});

describe("ingest of a faulty source", () => {
  const faulty = `${calls}${ndjson([call("late", "op", { inputs: 7 })])}`;

  it("stores nothing of it, names line and path and ends with status 1", async () => {
    const args = ["ingest", "--db", database("faulty"), put(folder, "faulty.ndjson", faulty)];
    const { status, stdout, stderr } = await evalcubeHere(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^evalcube: .*faulty\.ndjson.* 9, inputs: .*\n$/);
    expect(await evaluationIds(database("faulty"))).toEqual([]);
  });

  it("keeps the sources before it", async () => {
    const files = [put(folder, "before.ndjson", calls), put(folder, "faulty.ndjson", faulty)];
    const { status, stdout } = await evalcubeHere(["ingest", "--db", database("before"), ...files]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ source: files[0], stored: 8 });
    expect(await evaluationIds(database("before"))).toEqual(["bad", "good"]);
  });

  it("stores the valid records with --skip-invalid and notes the others", async () => {
    const args = ["ingest", "--db", database("skip"), "--skip-invalid", "-"];
    const { status, stdout, stderr } = await evalcubeHere(args, faulty);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 8, rejected: [{ position: 9, path: ["inputs"] }] });
    expect(stderr).toMatch(/^note: standard input, record 9, inputs: .*\n$/);
    expect(await evaluationIds(database("skip"))).toEqual(["bad", "good"]);
  });

  it.each([
    ["a missing file", join(folder, "absent.ndjson"), /absent\.ndjson: cannot be read: .*no such file/],
    [
      "a folder without files",
      mkdtempSync(join(folder, "empty-")),
      /empty-.*: no file in this folder can be loaded/,
    ],
    ["a pattern that nothing matches", join(folder, "*.arrow"), /\*\.arrow: no file matches/],
  ])("refuses %s before it makes a database", async (_, path, message) => {
    const { status, stdout, stderr } = await evalcubeHere(["ingest", "--db", database("none"), path]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(message);
    expect(existsSync(database("none"))).toBe(false);
  });

  it("tells that a file of Zstandard is damaged", async () => {
    const packed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00]);
    const args = ["ingest", "--db", database("zst"), put(folder, "calls.ndjson.zst", packed)];
    const { status, stderr } = await evalcubeHere(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/calls\.ndjson\.zst, record 1: cannot be read: /);
  });

  it("refuses a file of an unknown format", async () => {
    const args = ["ingest", "--db", database("format"), put(folder, "notes.txt", "hello")];
    const { status, stdout, stderr } = await evalcubeHere(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("notes.txt");
  });

  it("refuses a database of another program in one line", async () => {
    const args = ["ingest", "--db", put(folder, "other.duckdb", "not a database\n"), "-"];
    const { status, stderr } = await evalcubeHere(args, calls);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^evalcube: .*other\.duckdb.*\n$/);
  });
});
