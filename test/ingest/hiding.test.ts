import { expect, it } from "vitest";
import { hideDescendants } from "../../src/ingest/merge/hiding.ts";
import type { KnownCall, StoredCalls } from "../../src/ingest/lookup/known-call.ts";
import { createTurnTaker, type TurnTaker } from "../../src/model/turns.ts";

const CALLS = 5000;

/** A call below the one before it; the first is hidden. */
function callAt(n: number): KnownCall {
  const parent = n === 0 ? null : { identity: `c${n - 1}` };
  return { identity: `c${n}`, parent, hidden: n === 0 } as unknown as KnownCall;
}

/** Counts how often calls are looked at. */
class Counted extends Map<string, KnownCall> {
  looks = 0;
  override get(identity: string) {
    this.looks++;
    return super.get(identity);
  }
  override forEach(work: (call: KnownCall, identity: string, map: Map<string, KnownCall>) => void) {
    this.looks += this.size;
    super.forEach(work);
  }
}

/** Hides what is below the first of so many calls, of which those from `stored` on are found in the database alone. */
async function hidden(order: readonly number[], stored: number, turns: TurnTaker = createTurnTaker()) {
  const known = new Counted(order.filter((n) => n < stored).map((n) => [`c${n}`, callAt(n)]));
  const changed = new Map([["c0", callAt(0)]]);
  const children = (parents: readonly KnownCall[]) => {
    const below = parents.map(({ identity }) => Number(identity.slice(1)) + 1);
    return Promise.resolve(below.filter((n) => n >= stored && n < CALLS).map(callAt));
  };
  const remember = (calls: readonly KnownCall[]) => {
    for (const call of calls) known.set(call.identity, call);
  };
  const seam = { turns, children } as unknown as StoredCalls;
  await hideDescendants(seam, known, new Map(), changed, remember);
  return { known, changed };
}

const NUMBERS = Array.from({ length: CALLS }, (_, n) => n);

it.each([
  ["from the first to the last", NUMBERS, CALLS],
  ["from the last to the first", NUMBERS.toReversed(), CALLS],
  ["half of them stored before", NUMBERS, CALLS / 2],
])(
  "a chain of calls is hidden with its first, %s, and each is looked at a few times",
  async (_, order, stored) => {
    const { known, changed } = await hidden(order, stored);
    expect([...known.values()].filter((call) => !call.hidden)).toEqual([]);
    expect([known.size, changed.size]).toEqual([CALLS, CALLS]);
    expect(known.looks).toBeLessThan(10 * CALLS);
  },
);

it("hiding ends where its write is ended", async () => {
  const reason = new Error("the write is ended");
  const turns = createTurnTaker(0, AbortSignal.abort(reason));
  await expect(hidden(NUMBERS, CALLS, turns)).rejects.toBe(reason);
});
