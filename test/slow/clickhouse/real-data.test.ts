import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { answersOfBoth, openBoth, questionsOf } from "../../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { DATA_SETS, SHARED_DATA, sharedDataMissing } from "../../support/shared-data.ts";
import { because } from "../../support/skipped.ts";

const missing = noClickHouse ?? sharedDataMissing;

describe.skipIf(missing !== null)(`real evaluations on both engines${because(missing)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it.each(DATA_SETS)("have the same answers: %s", async (set) => {
    const both = await openBoth(url, scratchDatabase(url));
    try {
      const file = (name: string) => new URL(`${set}/${name}`, SHARED_DATA).pathname;
      for (const core of [both.onFile, both.onServer]) {
        await core.ingestCalls(file("calls.ndjson.gz"));
        await core.ingestRows(file("rows.ndjson.gz"));
      }
      const { project_id } = JSON.parse(readFileSync(file("expected.json"), "utf8")) as {
        project_id: string;
      };
      const { ids, compare, agreement } = await questionsOf(both, project_id);
      const all = { evaluation_call_ids: ids };
      const requests = [
        {
          ...all,
          limit: 50,
          include_raw_data_rows: true,
          resolve_row_refs: true,
          include_trial_errors: true,
        },
        { ...all, include_rows: false, include_summary: true, include_uncertainty: true, pass_k: [1, 2, 4] },
        { ...all, limit: 20, require_intersection: true, include_usage: true, include_summary: true },
        { ...all, limit: 20, search: "the", sort_by: [{ field: "row_digest", direction: "desc" }] },
      ] as const;
      const answers = await answersOfBoth(both, project_id, { requests, compare, agreement });
      for (const { question, onFile, onServer } of answers) expect.soft(onServer, question).toBe(onFile);
      expect(answers.length).toBeGreaterThan(6);
    } finally {
      await both.close();
    }
  });
});
