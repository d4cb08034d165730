import { expect, it } from "vitest";
import { createMetCalls } from "../../src/clickhouse/lookup/met-calls.ts";
import type { KnownCall } from "../../src/ingest/lookup/known-call.ts";

it("keeps of a root its text alone, not the batch in whose memory that lies", () => {
  const batch = new Uint8Array(1_000_000).fill(65);
  const named = (id: string, parent: KnownCall | null): KnownCall => ({
    projectKey: 1,
    id,
    identity: `1:${id}`,
    hash: { low: 1, high: id.length },
    key: 1,
    parent,
    text: batch.subarray(10, 20),
    hidden: false,
    isStored: false,
    call: null,
    columns: { opName: null, startedAt: null, endedAt: null, exception: null },
    nameRank: 0,
  });
  const root = named("root", null);
  const trial = named("trial", root);
  const known = new Map([root, trial].map((one) => [one.identity, one]));
  const trials = new Map([[trial.identity, { trial, children: [] }]]);
  const met = createMetCalls(() => null);
  for (const changed of [new Map(), known]) {
    met.replaceRecent({ known, changed, trials });
    const text = met.roots.get(root.identity)?.text;
    expect(text).toEqual(batch.subarray(10, 20));
    expect(text instanceof Uint8Array && text.buffer.byteLength).toBe(10);
  }
});
