import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();

/** An evaluation with one trial; its records name no project. */
function run(id: string, age: number): object[] {
  const common = { started_at: daysAgo(age), ended_at: daysAgo(age) };
  const root = {
    ...common,
    id,
    op_name: "Evaluation.evaluate",
    display_name: "nightly",
    wb_user_id: `of ${id}`,
  };
  const trial = { ...common, id: `${id}-0`, parent_id: id, op_name: "Evaluation.predict_and_score" };
  return [root, { ...trial, inputs: { example: { n: 1 } }, output: { output: "x", scores: { ok: true } } }];
}

describe.skipIf(noClickHouse !== null)(
  `what the service asks of a server of ClickHouse${because(noClickHouse)}`,
  () => {
    it("is answered as by a file: loads in batches, users, and deletions of old runs", async () => {
      const url = await sharedClickHouse();
      const answers = [];
      for (const options of [{ threads: 1 }, { clickhouse: { url, database: scratchDatabase(url) } }]) {
        await using engine = await openEngine(options);
        const text = ["a", "b", "c", "d"]
          .flatMap((id, at) => run(id, 90 - at))
          .map((one) => `${JSON.stringify(one)}\n`);
        async function* ndjson() {
          yield Buffer.from(text.join(""));
        }
        const sender = { projectId: PROJECT, user: "ann", mayDelete: false };
        const loading = { sender, batchBytes: 500 };
        const loaded = await engine.ingestFile({ ndjson: ndjson(), name: "calls" }, loading);
        for (const [id, feedback_type] of [
          ["a-0", "thumb"],
          ["b", "evalcube.baseline.1"],
        ] as const)
          await engine.feedback.create(
            {
              project_id: PROJECT,
              svc_ref: `svc:///${PROJECT}/call/${id}`,
              feedback_type,
              payload: { up: true },
            },
            { userId: "ann" },
          );
        const later = { ...loading, sender: { ...sender, user: "bob" } };
        const again = await engine.ingestFile({ ndjson: ndjson(), name: "calls" }, later);
        const users = (await engine.listEvaluations(PROJECT)).map(({ id, user }) => [id, user]);
        const deleted = await engine.deleteEvaluations(PROJECT, { older_than: "30d", keep_latest: 1 });
        const left = (await engine.listEvaluations(PROJECT)).map(({ id }) => id);
        const refused = await engine
          .ingestFile(
            { ndjson: ndjson(), name: "calls" },
            { ...loading, sender: { ...sender, projectId: "acme/none" }, kind: "rows" },
          )
          .catch(String);
        const { hidden, kept } = deleted;
        const gone = deleted.evaluations.map(({ id, user }) => [id, user]);
        answers.push({ loaded, again, users, left, refused, hidden, kept, gone });
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[0]).toMatchObject({
        loaded: { kind: "calls", received: 8, stored: 8 },
        again: { stored: 0, unchanged: 8 },
        gone: [["c", "ann"]],
        kept: [
          { id: "a", reason: "feedback" },
          { id: "b", reason: "baseline" },
          { id: "d", reason: "latest" },
        ],
        left: ["a", "b", "d"],
      });
    });
  },
);
