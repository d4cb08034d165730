import { describe, expect, it } from "vitest";
import { packBatches, unpackBatch } from "../../src/duckdb/load-thread/read/pack-batch.ts";
import { ndjsonSource } from "../../src/ingest/formats/ndjson.ts";
import { kindOf } from "../../src/ingest/loader.ts";
import type { IngestOptions } from "../../src/ingest/load.ts";
import { noTally, readBatches, type Batch } from "../../src/ingest/read-load.ts";
import { readText } from "../../src/ingest/record/record-text.ts";
import type { StorableRecord } from "../../src/ingest/writer.ts";
import { DEFAULT_CONVENTIONS as conventions } from "../../src/model/conventions.ts";
import { createTurnTaker } from "../../src/model/turns.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

/** All batches of a source of these lines. */
async function read(lines: readonly string[], kind: "calls" | "rows", options: IngestOptions = {}) {
  async function* bytes() {
    yield await Promise.resolve(Buffer.from(lines.join("\n")));
  }
  const load = { source: ndjsonSource(bytes(), "lines", null), options };
  const reader = kindOf(kind, conventions).reader(options);
  const batches: Batch<StorableRecord>[] = [];
  for await (const batch of readBatches(load, reader, noTally(), createTurnTaker())) batches.push(batch);
  return batches;
}

/** What another thread makes of batches. */
async function sent(batches: readonly Batch<StorableRecord>[]) {
  async function* all() {
    yield* batches;
  }
  const received: Batch<StorableRecord>[] = [];
  for await (const { batch, moved } of packBatches(all()))
    received.push(await unpackBatch(structuredClone(batch, { transfer: [...moved] }), createTurnTaker()));
  return received;
}

/** Records with texts instead of bytes, which compare as what they say. */
function plain(batches: readonly Batch<StorableRecord>[]) {
  return batches.flatMap(({ records }) =>
    records.map(({ record, position }) => {
      if (!("text" in record)) return { position, record };
      const { call: made } = record;
      const output = made?.trial?.output ?? null;
      const trialOf = made?.trial
        ? { ...made.trial, output: output === null ? null : readText(output) }
        : null;
      return {
        position,
        record: {
          ...record,
          text: readText(record.text),
          call: made === null ? null : { ...made, trial: trialOf },
        },
      };
    }),
  );
}

const text = (record: unknown) => JSON.stringify(record);
const REFERENCE = `svc:///${PROJECT}/object/o:v/attr/rows/id/d1`;

const CALLS = [
  text(root()),
  text(trial("t1", { q: "Ωé" }, { acc: 1, judge: { score: 0.1, note: null }, list: [1, "x"] })),
  text(
    trial("t2", REFERENCE, { ok: true }, { output: { output: 1, scores: {}, model_latency: { mean: 0.5 } } }),
  ),
  text(trial("t3", null, {}, { output: null, exception: "broke" })),
  text(call("c1", { parent_id: "t1", op_name: "model.predict", inputs: { self: { a: 1 }, model: "m" } })),
  text(call("c2", { parent_id: "t1", attributes: { svc: { score: true } }, output: 0.5 })),
  text(
    call("c3", {
      started_at: 1_767_225_600,
      ended_at: 1_767_225_600_123,
      display_name: "name",
      odd: 1,
      odder: 2,
    }),
  ),
  text({ id: "t1", project_id: PROJECT, ended_at: "9999-12-31T23:59:59.999999Z" }),
  text({ id: "t1", project_id: PROJECT, deleted_at: "2026-02-01T00:00:00+05:30" }),
  text(call("c4", { summary: { usage: { m: { total_tokens: 3 }, n: { total_tokens: 4.5 } } } })),
  // Numbers that JSON of JavaScript would spell otherwise, and a lone surrogate.
  text(trial("t4", { n: 1 }, { big: 0, huge: 0, low: 0 }))
    .replace('"big":0', '"big":12345678901234567890')
    .replace('"huge":0', '"huge":1e400')
    .replace('"low":0', '"low":-0.0,"7":"\\ud800"'),
];

/** Scores whose numbers JSON of JavaScript cannot write. */
const LONG_SCORES = [
  text(trial("t5", { n: 2 }, { id: 0 })).replace('"id":0', '"id":12345678901234567890'),
  text(trial("t6", { n: 3 }, { judge: { list: [0] } })).replace('"list":[0]', '"list":[9007199254740993]'),
];

describe("a batch that goes to another thread", () => {
  it("has what was read of each call", async () => {
    for (const lines of [CALLS, ...LONG_SCORES.map((line) => [line])]) {
      const batches = await read(lines, "calls");
      expect(plain(await sent(batches))).toEqual(plain(batches));
      expect(plain(batches)).toHaveLength(lines.length);
    }
  });

  it("has what was read of each part of a call", async () => {
    const parts = [
      { id: "p", project_id: PROJECT, op_name: "op", started_at: "2026-01-01T00:00:00Z", display_name: "a" },
      { id: "p", project_id: PROJECT, ended_at: "2026-01-01T00:00:01Z", output: 1 },
      { id: "p", project_id: PROJECT, display_name: "b" },
      { id: "p", project_id: PROJECT, display_name: "" },
    ];
    const batches = await read(parts.map(text), "calls", { partial: true });
    const received = plain(await sent(batches));
    expect(received).toEqual(plain(batches));
    expect(received.map(({ record }) => "part" in record && record.part)).toEqual([
      "start",
      "end",
      "name",
      "name",
    ]);
  });

  it("has what was read of each dataset row", async () => {
    const rows = [
      { project_id: PROJECT, val: { q: "Ωé" } },
      { project_id: PROJECT, val: null, digest: "d", x: 1 },
    ];
    const batches = await read(rows.map(text), "rows");
    expect(plain(await sent(batches))).toEqual(plain(batches));
  });

  it("is as large as one that is read where it is merged, however small the pieces are", async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => text(call(`c${i}`, { parent_id: `p${i % 7}` })));
    const whole = await read(lines, "calls");
    const pieces = whole.flatMap(({ records }) =>
      records.map((record) => ({ records: [record], characters: 1, isLast: false })),
    );
    const received = await sent(pieces);
    expect(received.map(({ records, isLast }) => [records.length, isLast])).toEqual([
      [4000, false],
      [4000, false],
      [1000, true],
    ]);
    expect(plain(received)).toEqual(plain(whole));
  });
});
