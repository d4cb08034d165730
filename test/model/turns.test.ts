import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { sql } from "../../src/store/sql.ts";
import { createSpread, createTurns, nextTurn, sortInSlices } from "../../src/model/turns.ts";

/** Turns whose clock is moved by hand, and what was taken so far. */
function timedTurns() {
  let milliseconds = 0;
  const taken: string[] = [];
  const turns = createTurns(() => milliseconds);
  return {
    taken,
    spend: (time: number) => (milliseconds += time),
    take: async (name: string) => {
      await turns.take();
      taken.push(name);
    },
  };
}

describe("turns of the event loop", () => {
  it("are one for each that waits, not one for all", async () => {
    let turns = 0;
    let counting = true;
    const count = () => {
      turns++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const begins = await Promise.all([1, 2, 3].map(() => nextTurn().then(() => turns)));
    counting = false;
    expect(new Set(begins).size).toBe(3);
  });

  it("are shared by what is short", async () => {
    const { taken, take } = timedTurns();
    let turned = false;
    setImmediate(() => (turned = true));
    await Promise.all([take("a"), take("b"), take("a"), take("b")]);
    expect(taken).toEqual(["a", "b", "a", "b"]);
    expect(turned).toBe(false);
  });

  it("go to one after the other, in the order of asking, when they last long", async () => {
    const { taken, take, spend } = timedTurns();
    await take("first");
    spend(3);
    const later = ["a", "b", "c"].map((name) => take(name).then(() => spend(3)));
    await Promise.resolve();
    expect(taken).toEqual(["first"]);
    const seen: number[] = [];
    while (taken.length < 4) {
      await nextTurn();
      seen.push(taken.length);
    }
    await Promise.all(later);
    expect(taken).toEqual(["first", "a", "b", "c"]);
    expect(seen.every((count, i) => count - (seen[i - 1] ?? 1) <= 1)).toBe(true);
  });

  it("are filled with pieces of work, and what does not fit in one has later ones", async () => {
    let milliseconds = 0;
    const done: number[] = [];
    const spread = createSpread(() => milliseconds);
    const piece = (i: number) => () => {
      milliseconds += 1;
      done.push(i);
      if (i === 4) throw new Error("the fifth");
      return i;
    };
    const all = Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map((i) => spread(piece(i))));
    const seen = [done.length];
    while (done.length < 7) {
      await nextTurn();
      seen.push(done.length);
    }
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(new Set(seen)).toEqual(new Set([2, 4, 6, 7]));
    expect((await all).map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)))).toEqual([
      0,
      1,
      2,
      3,
      "Error: the fifth",
      5,
      6,
    ]);
  });

  it("begin anew after a pause", async () => {
    const { taken, take, spend } = timedTurns();
    await take("a");
    spend(1000);
    await nextTurn();
    await nextTurn();
    const next = take("b");
    await Promise.resolve();
    await Promise.resolve();
    expect(taken).toEqual(["a", "b"]);
    await next;
  });
});

describe("records that are read", () => {
  const texts = ["", "a", "twelve bytes", "thirteen byte", "\uFEFFmarked", "ünï👩‍🚀", "x".repeat(5000), null];

  it("have every text as it was stored, also over several chunks, among other columns", async () => {
    const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
    onTestFinished(() => store.close());
    const length = 5000;
    const expected = Array.from({ length }, (_, i) => [
      i,
      texts[i % texts.length],
      `${i} and some more letters`,
    ]);
    const read = await store.write(async (session) => {
      session.load("records", [
        { name: "i", type: "INTEGER", values: expected.map(([i]) => i as number) },
        { name: "a", type: "VARCHAR", values: expected.map(([, a]) => a as string | null) },
        { name: "b", type: "VARCHAR", values: expected.map(([, , b]) => b as string) },
      ]);
      return session.rows(sql`SELECT i, a, b FROM loaded('records') ORDER BY i`);
    });
    expect(read).toEqual(expected);
  });

  it("leave turns to others while there are many", async () => {
    const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
    onTestFinished(() => store.close());
    const take = vi.spyOn(store.turns, "take");
    const rows = await store.read((session) => session.rows(sql`SELECT range, 'text' FROM range(10000)`));
    expect(rows.length).toBe(10_000);
    expect(take.mock.calls.length).toBeGreaterThan(100);
  });
});

const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;

it.each([0, 1, 999, 1000, 1001, 4321])(
  "a list of %i is sorted in slices as it is at once",
  async (length) => {
    const items = Array.from({ length }, (_, place) => ({ key: (place * 7919) % 97, place }));
    expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
  },
);

it("others have their turn while a long list is sorted", async () => {
  const items = Array.from({ length: 200_000 }, (_, place) => (place * 7919) % 200_003);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  await sortInSlices(items, (a, b) => a - b);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(2);
});
