import { expect, describe, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const CALLS = [
  root("e", { started_at: "2026-01-01T00:00:00Z" }),
  ...["a", "b", "c"].map((id) => trial(id, { q: id }, { ok: true })),
  root("later", { started_at: "2026-01-02T00:00:00Z", display_name: "nightly" }),
];
const OTHER = { ...root("o", { started_at: "2026-01-03T00:00:00Z" }), project_id: "other/qa" };

describe.skipIf(noClickHouse !== null)(`what a server tells of a database${because(noClickHouse)}`, () => {
  it("is what a file tells, but for bytes", async () => {
    const url = await sharedClickHouse();
    const database = scratchDatabase(url);
    const engine = await openEngine({ clickhouse: { url, database } });
    onTestFinished(() => engine.close());
    const file = await scratchEngine();
    const before = Math.floor(Date.now() / 1000);
    for (const one of [engine, file]) await one.ingestCalls([...CALLS, OTHER]);
    const [info, expected] = await Promise.all([engine.info(), file.info()]);
    const without = ({ projects, largest, calls, trials, oldest, newest }: typeof info) => ({
      calls,
      trials,
      oldest,
      newest,
      projects: projects.map((one) => ({ ...one, bytes: 0 })),
      largest: largest.map((one) => ({ ...one, bytes: 0 })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    });
    expect(without(info)).toEqual(without(expected));
    expect(info).toMatchObject({
      database: `${url}/${database}`,
      log_bytes: 0,
      largest: [{ id: "e" }, {}, {}],
    });
    const sum = info.projects.reduce((all, { bytes }) => all + bytes, 0);
    expect(sum).toBeGreaterThan(info.bytes - 3);
    expect(sum).toBeLessThanOrEqual(info.bytes);
    expect(Date.parse(info.last_write_at ?? "") / 1000).toBeGreaterThanOrEqual(before - 1);
    const own = await engine.info({ projects: [PROJECT] });
    expect(own.projects).toEqual([info.projects[0]]);
    expect((await engine.check()).last_write_at).toBe(info.last_write_at);
    const address = `clickhouse+http://${new URL(url).host}/${database}`;
    const told = await evalcubeHere(["info", "--db", address, "--format", "json"]);
    expect(JSON.parse(told.stdout)).toMatchObject({ projects: info.projects });
    const checked = await evalcubeHere(["check", "--db", address]);
    expect(checked.stderr).toContain(`nothing wrong; last write ${info.last_write_at}`);
  });
});
