import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { scratchPath } from "../support/scratch.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const KEPT = path.join(ROOT, "test/fixtures/releases");
const FILES = readdirSync(KEPT).filter((name) => name.endsWith(".duckdb.gz"));

/** Rows and summary of both evaluations of the examples. */
async function answers(engine: Engine) {
  const evaluations = await engine.listEvaluations("acme/qa");
  const ids = evaluations.map(({ id }) => id);
  const request = { evaluation_call_ids: ids, include_summary: true, include_uncertainty: true };
  return { ids, answer: JSON.parse(await engine.queryEvalResultsJson("acme/qa", request)) as unknown };
}

async function loadedNow() {
  const engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(path.join(ROOT, "docs/examples/calls.ndjson"));
  const found = await answers(engine);
  await engine.close();
  return found;
}

describe.each(FILES)("the file of a release, %s", (name) => {
  it.each([true, false])("answers as a fresh load does (readOnly: %s)", async (readOnly) => {
    const file = scratchPath();
    writeFileSync(file, gunzipSync(readFileSync(path.join(KEPT, name))));
    if (readOnly) await (await openEngine({ path: file, threads: 1 })).close();
    const engine = await openEngine({ path: file, threads: 1, readOnly });
    const found = await answers(engine);
    const { problems } = await engine.check();
    await engine.close();
    expect(found.ids).toHaveLength(2);
    expect(problems).toEqual([]);
    expect(found).toEqual(await loadedNow());
  });

  it("is at most 100 kB", () => {
    expect(statSync(path.join(KEPT, name)).size).toBeLessThanOrEqual(100_000);
  });
});

it("there is a file of each release that the changelog names", () => {
  const changelog = readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8");
  const versions = Array.from(changelog.matchAll(/^## (\d\S+)/gm), ([, version]) => version);
  expect(FILES.toSorted()).toEqual(versions.map((version) => `examples-${version}.duckdb.gz`).toSorted());
});
