import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as arrow from "apache-arrow";
import { describe, expect, it } from "vitest";
import { memberTexts } from "../../src/model/member-texts.ts";
import { stream } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { DATA_SETS, SHARED_DATA as DATA, sharedDataMissing } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { answers, exportCalls } from "./answers.ts";
import { textTable } from "./table.ts";

/** So many calls of each set; `CALLS=all` takes them all. */
const CALLS = process.env["CALLS"] === "all" ? Infinity : 6_000;

function lines(set: string, file: string): string[] {
  const text = gunzipSync(readFileSync(new URL(`${set}/${file}.ndjson.gz`, DATA))).toString();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .slice(0, CALLS);
}

const table = (texts: readonly string[]) => textTable(texts.map((line) => memberTexts(line)));
const ndjson = (texts: readonly string[]) => stream(texts.map((line) => `${line}\n`));
describe.skipIf(sharedDataMissing !== null)(
  `calls -> Arrow -> ingest -> export -> ingest${because(sharedDataMissing)}`,
  () => {
    it.each(DATA_SETS)("gives the same bytes for %s", { timeout: 120_000 }, async (set) => {
      const calls = lines(set, "calls");
      const rows = lines(set, "rows");
      const project = (JSON.parse(calls[0] ?? "") as { project_id: string }).project_id;
      const direct = await scratchEngine();
      await direct.ingestCalls(ndjson(calls));
      await direct.ingestRows(ndjson(rows));
      const expected = await answers(direct, project);
      const columns = await scratchEngine();
      await columns.ingestCalls(arrow.tableToIPC(table(calls), "stream"));
      await columns.ingestRows(table(rows));
      expect(await answers(columns, project)).toEqual(expected);
      const again = await scratchEngine();
      await again.ingestCalls(await exportCalls(columns, project, "parquet"));
      await again.ingestRows(table(rows));
      expect(await answers(again, project)).toEqual(expected);
    });
  },
);
