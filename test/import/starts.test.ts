import { copyFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { importBytes, importFile, PROJECT } from "./imports.ts";
import { newFolders } from "./shared.ts";

const newFolder = newFolders();
const WRITTEN = new Date("2026-07-02T12:04:00Z");
const CSV = "id,score\n1,1\n2,0\n";
let folder = "";
let engine: Engine;

beforeEach(async () => {
  folder = newFolder();
  engine = await openEngine();
  return () => engine.close();
});

function write(name: string, content: string | Buffer, time = WRITTEN): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  utimesSync(file, time, time);
  return file;
}

async function runs() {
  const list = await engine.listEvaluations(PROJECT);
  return list.map(({ started_at, status }) => [started_at, status]);
}

describe("a run whose log has no time", () => {
  it("starts when its file was last written, and has ended", async () => {
    const { evaluations } = await importFile(engine, write("a.csv", CSV));
    expect(await runs()).toEqual([["2026-07-02T12:04:00.000000Z", "finished"]]);
    expect(evaluations).toMatchObject([{ started_at: "2026-07-02T12:04:00.000000Z" }]);
  });

  it("has the time of the packed file, not of what is unpacked", async () => {
    await importFile(engine, write("a.csv.gz", gzipSync(CSV)));
    expect(await runs()).toEqual([["2026-07-02T12:04:00.000000Z", "finished"]]);
  });

  it("starts with the import where it comes as bytes, or from a file of 1970", async () => {
    const before = new Date().toISOString();
    await importBytes(engine, CSV);
    await importFile(engine, write("old.csv", "id,score\n1,1\n", new Date(0)));
    for (const [start, status] of await runs()) {
      expect((start ?? "").slice(0, 23) >= before.slice(0, 23)).toBe(true);
      expect(status).toBe("finished");
    }
  });

  it("keeps its start when a copy that was written later is imported", async () => {
    const table = { taskName: "a" };
    const first = await importFile(engine, write("a.csv", CSV), { table });
    const copy = path.join(newFolder(), "a.csv");
    copyFileSync(path.join(folder, "a.csv"), copy);
    const again = await importFile(engine, copy, { table });
    expect(again).toMatchObject({ stored: 0, unchanged: first.received });
    const longer = write("a.csv", `${CSV}3,1\n`, new Date("2026-07-05T00:00:00Z"));
    expect(await importFile(engine, longer, { table })).toMatchObject({ stored: 3 });
    expect(await runs()).toEqual([["2026-07-02T12:04:00.000000Z", "finished"]]);
  });

  it("keeps its start where it is known by a name", async () => {
    const table = { evaluationName: "nightly" };
    const first = await importFile(engine, write("a.csv", CSV), { table });
    const touched = write("a.csv", CSV, new Date("2026-07-05T00:00:00Z"));
    expect(await importFile(engine, touched, { table })).toMatchObject({
      stored: 0,
      unchanged: first.received,
    });
  });

  it("starts with its first trial and ends with its last where trials have times", async () => {
    const text =
      "id,score,started_at\n1,1,2026-03-01T00:00:05Z\n2,0,2026-03-01T00:00:01Z\n3,0,2026-03-01T00:00:09Z\n";
    const { evaluations } = await importFile(engine, write("a.csv", text));
    expect(evaluations).toMatchObject([{ started_at: "2026-03-01T00:00:01.000000Z" }]);
    expect(await runs()).toEqual([["2026-03-01T00:00:01.000000Z", "finished"]]);
  });
});
