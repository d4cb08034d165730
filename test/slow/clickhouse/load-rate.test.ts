import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../src/clickhouse/open/open-database.ts";
import { openAnyCore, openCore } from "../../../src/engine/engine.ts";
import type { Loading } from "../../../src/engine/loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { call, ndjson, root, stream, trial } from "../../support/records.ts";
import { because } from "../../support/skipped.ts";

const TRIALS = Number(process.env["TRIALS"] ?? 10_000);
const WORDS = "some words of an answer that nobody reads but the disk, again and ".split(" ");

/** Trials with a call of a model and two of scorers, in the order in which they end. */
function* calls(): Generator<object> {
  yield root();
  for (let i = 0; i < TRIALS; i++) {
    const id = `trial-${i}`;
    const answer = Array.from({ length: 40 }, (_, k) => WORDS[(i * 7 + k * k) % WORDS.length]).join(" ");
    const ended_at = "2026-01-01T00:00:02Z";
    yield call(`predict-${i}`, { parent_id: id, op_name: "Model.predict", ended_at, output: { answer } });
    yield call(`exact-${i}`, { parent_id: id, op_name: "exact.score", ended_at, output: i % 3 === 0 });
    yield call(`judge-${i}`, {
      parent_id: id,
      op_name: "judge.score",
      ended_at,
      output: { mark: i % 11, why: answer },
    });
    const scores = { exact: i % 3 === 0, judge: { mark: i % 11, why: answer } };
    yield trial(id, { question: i }, scores, { ended_at });
  }
}

/** Records a second. */
async function rate(engine: Loading, records: readonly object[]): Promise<number> {
  const begin = performance.now();
  await engine.ingestCalls(stream(records.map((one) => `${JSON.stringify(one)}\n`)));
  return records.length / ((performance.now() - begin) / 1000);
}

describe.skipIf(noClickHouse !== null)(`a large load on ClickHouse${because(noClickHouse)}`, () => {
  it("is at least half as fast as on DuckDB, and takes at most half of its source on disk", async () => {
    const records = [...calls()];
    const folder = mkdtempSync(path.join(tmpdir(), "evalcube-rate-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const onFile = await openCore({ path: path.join(folder, "a.db") });
    const ofFile = await rate(onFile, records);
    await onFile.close();

    const url = await sharedClickHouse();
    const database = scratchDatabase(url);
    const onServer = await openAnyCore({ clickhouse: { url, database } });
    const ofServer = await rate(onServer, records);
    await onServer.close();
    const { client } = await openDatabase({ url, database }, {}, true);
    const [found] = await client.rows(
      "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = {database: String}",
      { database },
    );
    await client.close();
    const disk = Number(found?.[0]) / Buffer.byteLength(ndjson(records));
    const figures = { ofFile, ofServer, disk };
    expect({ ...figures, isFast: ofServer >= ofFile / 2, isSmall: disk <= 0.5 }).toEqual({
      ...figures,
      isFast: true,
      isSmall: true,
    });
  });
});
