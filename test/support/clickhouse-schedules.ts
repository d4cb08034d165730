import fc from "fast-check";
import type { ClickHouseDatabase } from "../../src/clickhouse/open/open-database.ts";
import type { Loading } from "../../src/engine/loading.ts";
import { clickHouseFacts, settledFacts } from "./clickhouse-facts.ts";
import { openLoading } from "./clickhouse-loading.ts";
import { scratchDatabase } from "./clickhouse-server.ts";
import { call, PROJECT, root, trial } from "./records.ts";

/** What some writers load, each one source after the other, all at the same time. */
interface Schedule {
  readonly writers: number;
  /** By writer; each record has the number of its source as the attribute `source`. */
  readonly sources: readonly (readonly object[])[][];
}

/** Few trials, so that writers meet: records of the same calls, parents and children apart, ends, deletions, moves, spellings of a row. */
const record = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ t: fc.nat(3), e: seldom(fc.nat(1)), score: fc.nat(9), spelled: fc.boolean() })
      .map(trialRecord),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ t: fc.nat(3), c: fc.nat(2), under: seldom(fc.nat(3)), score: fc.nat(9) })
      .map(childRecord),
  },
  { weight: 2, arbitrary: fc.record({ t: fc.nat(3), c: fc.nat(2), score: fc.nat(9) }).map(childEnd) },
  { weight: 1, arbitrary: fc.nat(1).map((e) => root(`e${e}`)) },
  { weight: 1, arbitrary: fc.nat(3).map((t) => end(`t${t}`)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("t0", "t1-c0", "e1")
      .map((id) => ({ id, project_id: PROJECT, deleted_at: "2026-01-02T00:00:00Z" })),
  },
);

/** Mostly null: as it is expected. */
function seldom<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { freq: 5 }).chain((some) => fc.constantFrom(null, some));
}

function trialRecord({
  t,
  e,
  score,
  spelled,
}: {
  t: number;
  e: number | null;
  score: number;
  spelled: boolean;
}) {
  const example = spelled ? { b: t % 2, a: 1 } : { a: 1, b: t % 2 };
  return trial(`t${t}`, example, { acc: score }, { parent_id: `e${e ?? t % 2}` });
}

function childRecord({ t, c, under, score }: { t: number; c: number; under: number | null; score: number }) {
  return call(`t${t}-c${c}`, {
    parent_id: `t${under ?? t}`,
    op_name: c === 0 ? "judge.score" : "predict",
    attributes: c === 0 ? { svc: { score: true } } : {},
    output: { late: score },
  });
}

function childEnd({ t, c, score }: { t: number; c: number; score: number }) {
  return { ...end(`t${t}-c${c}`), output: { late: score } };
}

function end(id: string) {
  return { id, project_id: PROJECT, ended_at: "2026-01-01T00:00:09Z" };
}

const source = fc.array(record, { minLength: 1, maxLength: 6 });
const schedule = fc
  .constantFrom(2, 4)
  .chain((writers) =>
    fc.array(fc.array(source, { minLength: 1, maxLength: 4 }), { minLength: writers, maxLength: writers }),
  );

/** Each record has a name of its own, since one that says nothing new is not stored, wherever it stands in the order of loads. */
export function randomSchedules(seed: number, count: number): readonly Schedule[] {
  return fc.sample(schedule, { seed, numRuns: count }).map((sources) => {
    let number = 0;
    let name = 0;
    const numbered = sources.map((own) =>
      own.map((records) => {
        const mark = `s${number++}`;
        return [
          { ...call(`mark-${mark}`, { project_id: "marks/marks" }) },
          ...records.map((one) => ({ ...one, display_name: `n${name++}` })),
        ];
      }),
    );
    return { writers: sources.length, sources: numbered };
  });
}

/**
 * Plays a schedule with as many writers, and its sources again with one writer, in the order of their loads; gives what of both depends
 * on the records alone.
 */
export async function compareSchedule(url: string, one: Schedule) {
  const database = scratchDatabase(url);
  const writers = [];
  for (let i = 0; i < one.writers; i++) writers.push(await openLoading(url, database));
  const { sourcesInOrder } = await playSchedule(writers, one);
  const found = writers[0] === undefined ? null : await clickHouseFacts(writers[0].database.client);
  const alone = await openLoading(url, scratchDatabase(url));
  for (const records of sourcesInOrder) await alone.ingestCalls(records, { onInvalid: "skip" });
  const expected = await clickHouseFacts(alone.database.client);
  return { found: found === null ? null : settledFacts(found), expected: settledFacts(expected) };
}

async function playSchedule(
  writers: readonly (Loading & { readonly database: ClickHouseDatabase })[],
  { sources }: Schedule,
): Promise<{ readonly sourcesInOrder: readonly (readonly object[])[] }> {
  const stored: { readonly mark: string; readonly source: readonly object[] }[] = [];
  await Promise.all(
    writers.map(async (writer, i) => {
      for (const one of sources[i] ?? []) {
        await writer.ingestCalls(one, { onInvalid: "skip" });
        stored.push({ mark: (one[0] as { readonly id: string }).id, source: one });
      }
    }),
  );
  const client = writers[0]?.database.client;
  const found =
    (await client?.rows(
      `SELECT JSONExtractString(record, 'id'), load FROM fragments WHERE record LIKE '%"mark-%'
      AND load IN (SELECT arrayJoin(loads) FROM loads WHERE state = 'visible')`,
    )) ?? [];
  const loads = new Map(found.map(([mark, load]) => [String(mark), BigInt(String(load))]));
  const order = stored.toSorted((a, b) => ((loads.get(a.mark) ?? 0n) < (loads.get(b.mark) ?? 0n) ? -1 : 1));
  return { sourcesInOrder: order.map((one) => one.source) };
}
