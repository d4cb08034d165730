import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { prepareFiles } from "../../bench/generate/files.ts";
import { sizes } from "../../bench/generate/parameters.ts";
import { proveSubject } from "../../bench/prove.ts";
import { evalcubeOnClickHouse } from "../../bench/subjects/evalcube/on-clickhouse.ts";
import { evalcube } from "../../bench/subjects/evalcube/subject.ts";
import { buildQueries } from "../../bench/workloads.ts";
import { noClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

async function scratchFiles() {
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-bench-test-"));
  const { EVALCUBE_BENCH_DIR: before } = process.env;
  process.env["EVALCUBE_BENCH_DIR"] = folder;
  onTestFinished(async () => {
    if (before === undefined) delete process.env["EVALCUBE_BENCH_DIR"];
    else process.env["EVALCUBE_BENCH_DIR"] = before;
    await rm(folder, { recursive: true });
  });
  return prepareFiles(sizes.small);
}

describe.skipIf(noClickHouse !== null)(`the benchmark${because(noClickHouse)}`, () => {
  it("proves this package on ClickHouse for every question, and opens again what it loaded", async () => {
    const files = await scratchFiles();
    const queries = buildQueries(sizes.small);
    expect(await proveSubject(evalcubeOnClickHouse(), files, queries)).toEqual(
      queries.map(({ letter }) => letter),
    );

    const store = path.join(files.folder, "store");
    const loaded = evalcubeOnClickHouse();
    await loaded.load(files, store);
    const answers = await Promise.all(queries.map(({ question }) => loaded.answer(question)));
    await loaded.close();
    const opened = evalcubeOnClickHouse();
    await opened.open(files, store);
    expect(await Promise.all(queries.map(({ question }) => opened.answer(question)))).toEqual(answers);
    await opened.close();
  });

  it("has the bytes of a file on pages of any depth, also on the last", async () => {
    const files = await scratchFiles();
    const [inFile, onServer] = [evalcube(), evalcubeOnClickHouse()];
    await inFile.load(files, path.join(files.folder, "file"));
    await onServer.load(files, path.join(files.folder, "server"));
    for (const { question } of buildQueries(sizes.small)) {
      const { page } = question;
      for (const offset of page === null ? [] : [0, 7, 280, 330])
        for (const limit of [3, 50]) {
          const asked = { ...question, page: page && { ...page, offset, limit } };
          expect(await onServer.text?.(asked)).toBe(await inFile.text?.(asked));
        }
    }
    await inFile.close();
    await onServer.close();
  });
});
