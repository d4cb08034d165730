import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { CLUSTER, startClickHouseCluster } from "../support/clickhouse-cluster.ts";
import { noClickHouse, type ClickHouseServer } from "../support/clickhouse-server.ts";
import { openNoting, type Sent } from "../support/noted-statements.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const ROWS = 24;
/** The sums of each are rounded on a shard where the two large numbers are not on the same one. */
const FAR = Array.from({ length: 6 }, (_, i) => `far${i}`);

function scores(row: number) {
  const far = FAR.map((name, i) => [name, row === i ? 1e300 : row === i + 7 ? -1e300 : 1]);
  return { ok: row % 3 === 0, few: row / 4, many: row / 7, tone: "calm", ...Object.fromEntries(far) };
}

/** Where sums are rounded: how a project sums depends on all of its numbers. */
const OTHER = { project_id: "acme/rounded" };

function trials(of: string, names: readonly string[], rows = ROWS, others = {}) {
  return Array.from({ length: rows }, (_, row) => {
    const chosen = Object.entries(scores(row)).filter(([name]) => names.includes(name));
    return trial(`${of}-${row}`, { q: row }, Object.fromEntries(chosen), { parent_id: of, ...others });
  });
}

const CALLS = [
  root("plain"),
  root("words"),
  root("digits", OTHER),
  ...trials("plain", ["ok", "few", "tone"]),
  ...trials("words", ["many", "ok"], 9),
  ...trials("digits", FAR, ROWS, OTHER),
  trial("later", { q: 3 }, { few: 100 }, { parent_id: "plain" }),
];
const above = (name: string, number: number) => ({
  filters: [{ query: { $expr: { $gt: [{ $getField: `scores.${name}` }, { $literal: number }] } } }],
});

describe.skipIf(noClickHouse !== null)(`summaries over shards${because(noClickHouse)}`, () => {
  const sent: Sent[] = [];
  let servers: readonly ClickHouseServer[] = [];
  let onShards: Awaited<ReturnType<typeof openNoting>>;
  let onFile: Awaited<ReturnType<typeof openCore>>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    servers = await startClickHouseCluster(2);
    const options = { url: servers[0]?.url ?? "", cluster: CLUSTER, database: "shard_sums" };
    onShards = await openNoting(options, sent);
    onFile = await openCore({ threads: 1 });
    for (const core of [onFile, onShards]) {
      await core.ingestCalls(CALLS);
      await core.deleteCalls(PROJECT, ["plain-5"]);
    }
    close = async () => {
      await onShards.close();
      await onFile.close();
      for (const one of servers) await one.kill();
    };
  });
  afterAll(() => close());

  it.each([
    ["sums of doubles", { evaluation_call_ids: ["plain"] }, true],
    ["sums of words", { evaluation_call_ids: ["words", "plain"] }, true],
    ["sums that are rounded", { evaluation_call_ids: ["digits"] }, false],
    ["conditions with values", { evaluation_call_ids: ["plain", "words"], ...above("few", 1.25) }, true],
    ["rows that all have", { evaluation_call_ids: ["plain", "words"], require_intersection: true }, true],
    ["texts in inputs", { evaluation_call_ids: ["plain"], search: "2" }, true],
    ["no trial", { evaluation_call_ids: ["plain"], ...above("few", 1000) }, true],
    ["no evaluation", { evaluation_call_ids: [EVALUATION] }, false],
  ] as const)("of %s are those of one database", async (_, request, isAddedUp) => {
    const asked = { ...request, include_rows: false, include_summary: true, include_uncertainty: true };
    const project = request.evaluation_call_ids[0] === "digits" ? OTHER.project_id : PROJECT;
    sent.length = 0;
    const [file, shards] = [
      await onFile.queryEvalResultsJson(project, asked),
      await onShards.queryEvalResultsJson(project, asked),
    ];
    expect(shards).toBe(file);
    expect(sent.some(({ statement }) => statement.includes("sum(s.count)"))).toBe(isAddedUp);
  });
});
