import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { EvalcubeError, StoreError } from "../../src/errors.ts";
import { createGroupCommit, type WriteOutcome } from "../../src/store/group-commit.ts";
import type { FileSession, FileStore } from "../../src/store/session.ts";

const SESSION: FileSession = {
  dialect: DUCKDB,
  about: () => Promise.resolve(),
  epoch: 0,
  turns: { take: () => Promise.resolve() },
  all: () => Promise.resolve([]),
  rows: () => Promise.resolve([]),
  vectors: () => Promise.reject(new Error("not used")),
  run: () => Promise.resolve(),
  inSecondSession: (work) => work(SESSION),
  load: () => undefined,
};

/** A store of one writer; `commits` has the items of each transaction that was committed. */
function writerOf(behaviour: {
  readonly write?: (items: readonly string[]) => Promise<readonly WriteOutcome<string>[]>;
  readonly prepare?: (item: string) => Promise<void>;
  readonly records?: (item: string) => number;
  readonly alone?: (item: string) => boolean;
}) {
  const commits: string[][] = [];
  let rolledBack = 0;
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;
  let mostQueued = 0;
  let current: readonly string[] = [];
  const closer = new AbortController();
  const write: FileStore["write"] = async (work, signal) => {
    signal?.throwIfAborted();
    const result = await work(SESSION);
    signal?.throwIfAborted();
    commits.push([...current]);
    return result;
  };
  const inTurn: FileStore["inTurn"] = (turn) => {
    mostQueued = Math.max(mostQueued, ++queued);
    const ran = last.then(() => turn(write)).finally(() => queued--);
    last = ran.catch(() => undefined);
    return ran;
  };
  const add = createGroupCommit<
    string,
    { item: string; records: number; bytes: number; alone: boolean },
    string,
    FileSession
  >(
    { inTurn, closing: closer.signal },
    {
      prepare: async (item) => {
        await behaviour.prepare?.(item);
        return {
          item,
          records: behaviour.records?.(item) ?? 1,
          bytes: 1,
          alone: behaviour.alone?.(item) ?? false,
        };
      },
      write: async (_session, prepared) => {
        current = prepared.map(({ item }) => item);
        return (await behaviour.write?.(current)) ?? current.map((value) => ({ value }));
      },
      rolledBack: () => rolledBack++,
    },
  );
  return { add, commits, closer, rolledBack: () => rolledBack, mostQueued: () => mostQueued };
}

const ITEMS = ["a", "b", "c", "d"];

/** Some turns of the event loop later. */
async function soon<T>(value: T): Promise<T> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return value;
}

async function outcomes(added: readonly Promise<string>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(added);
  return settled.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)));
}

describe("items that wait for the writer", () => {
  it("leave no turns behind while others keep coming", async () => {
    const { add, mostQueued } = writerOf({ write: (items) => soon(items.map((value) => ({ value }))) });
    let left = 400;
    const worker = async () => {
      while (left-- > 0) await add(`item ${left}`);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    expect(mostQueued()).toBeLessThanOrEqual(8);
  });

  it("share a transaction in the order in which they came; what comes later forms the next", async () => {
    const { add, commits } = writerOf({});
    const first = ITEMS.map((item) => add(item));
    await first[0];
    const later = ["e", "f"].map((item) => add(item));
    expect(await outcomes([...first, ...later])).toEqual([...ITEMS, "e", "f"]);
    expect(commits).toEqual([ITEMS, ["e", "f"]]);
  });

  it("are written in groups of at most 4,000 records", async () => {
    const { add, commits } = writerOf({ records: (item) => (item === "d" ? 9000 : 2000) });
    expect(await outcomes(ITEMS.map((item) => add(item)))).toEqual(ITEMS);
    expect(commits).toEqual([["a", "b"], ["c"], ["d"]]);
  });

  it("have a transaction of their own where they are large", async () => {
    const { add, commits } = writerOf({ alone: (item) => item === "b" });
    await outcomes(ITEMS.map((item) => add(item)));
    expect(commits).toEqual([["a"], ["b"], ["c", "d"]]);
  });

  it("wait for no item that may be slow to read, unless it is the first", async () => {
    const { add, commits } = writerOf({});
    await outcomes(ITEMS.map((item) => add(item, { opensGroup: item === "c" })));
    expect(commits).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });
});

describe("an item of a group", () => {
  it("that cannot be read is rejected alone", async () => {
    const { add, commits } = writerOf({
      prepare: (item) => (item === "b" ? Promise.reject(new Error("no b")) : Promise.resolve()),
    });
    expect(await outcomes(ITEMS.map((item) => add(item)))).toEqual(["a", "Error: no b", "c", "d"]);
    expect(commits).toEqual([["a", "c", "d"]]);
  });

  it("that is refused while it is written is rejected alone, and the others are written without it", async () => {
    const { add, commits, rolledBack } = writerOf({
      write: (items) =>
        Promise.resolve(items.map((value) => (value === "b" ? { refused: new Error("no b") } : { value }))),
    });
    expect(await outcomes(ITEMS.map((item) => add(item)))).toEqual(["a", "Error: no b", "c", "d"]);
    expect(commits).toEqual([["a", "c", "d"]]);
    expect(rolledBack()).toBe(1);
  });

  it.each([
    ["an error", new Error("no b")],
    ["a statement that DuckDB refuses", new StoreError("query_failed", "no b")],
  ])("that makes the transaction fail with %s is rejected alone", async (_what, error) => {
    const write = (items: readonly string[]) =>
      items.includes("b") ? Promise.reject(error) : Promise.resolve(items.map((value) => ({ value })));
    const { add, commits } = writerOf({ write });
    expect(await outcomes(ITEMS.map((item) => add(item)))).toEqual(["a", String(error), "c", "d"]);
    expect(commits).toEqual([["a"], ["c"], ["d"]]);
  });

  it("is rejected with all others where the disk is full, and the next group is tried again", async () => {
    let isFull = true;
    const full = new StoreError("storage_full", "the disk is full");
    const { add, commits } = writerOf({
      write: (items) => (isFull ? Promise.reject(full) : Promise.resolve(items.map((value) => ({ value })))),
    });
    const first = ITEMS.map((item) => add(item));
    for (const one of first) await expect(one).rejects.toBe(full);
    isFull = false;
    expect(await outcomes(ITEMS.map((item) => add(item)))).toEqual(ITEMS);
    expect(commits).toEqual([ITEMS]);
  });

  it("that is aborted while it waits is rejected at once and never written", async () => {
    const gate = new EventEmitter();
    const opened = once(gate, "open").then(() => undefined);
    const { add, commits } = writerOf({ prepare: (item) => (item === "a" ? opened : Promise.resolve()) });
    const controller = new AbortController();
    const first = add("a");
    const aborted = add("b", { signal: controller.signal });
    const last = add("c");
    controller.abort(new EvalcubeError("stopped", "no more of b"));
    await expect(aborted).rejects.toMatchObject({ code: "stopped" });
    gate.emit("open");
    expect(await outcomes([first, last])).toEqual(["a", "c"]);
    expect(commits).toEqual([["a", "c"]]);
  });

  it("that is aborted while it is written is rejected, and the others are written without it", async () => {
    const controller = new AbortController();
    const write = (items: readonly string[]) => {
      controller.abort(new Error("no b"));
      return Promise.resolve(items.map((value) => ({ value })));
    };
    const { add, commits } = writerOf({ write });
    const added = ITEMS.map((item) => add(item, item === "b" ? { signal: controller.signal } : {}));
    expect(await outcomes(added)).toEqual(["a", "Error: no b", "c", "d"]);
    expect(commits).toEqual([["a", "c", "d"]]);
  });

  it("that was aborted before, or comes after the store closed, is not even added", async () => {
    const { add, commits, closer } = writerOf({});
    await expect(add("a", { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    closer.abort(new StoreError("closed", "the engine is closed"));
    await expect(add("a")).rejects.toMatchObject({ code: "closed" });
    expect(commits).toEqual([]);
  });
});
