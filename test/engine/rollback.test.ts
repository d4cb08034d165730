import { expect, it } from "vitest";
import { createEpochs, createTransactions } from "../../src/duckdb/transactions.ts";
import { createTurns } from "../../src/model/turns.ts";

type Context = Parameters<typeof createTransactions>[0];

/** Transactions on one connection, whose rollback says this; what became of the connection is noted. */
function transactionsWith(rollback: () => Promise<unknown>) {
  const ends: string[] = [];
  const connection = {
    run: (statement: string) => (statement === "ROLLBACK" ? rollback() : Promise.resolve()),
    interrupt: () => {},
  };
  const lease = {
    connection,
    beginReading: () => Promise.resolve(),
    commit: () => Promise.resolve(),
    close: () => void ends.push("closed"),
  };
  const context = {
    path: "x.duckdb",
    pool: {
      take: () => Promise.resolve(lease),
      giveBack: () => void ends.push("given back"),
      close: () => {},
    },
    loaded: { set: () => {}, forget: () => {} },
    epochs: createEpochs(),
    turns: createTurns(),
    room: { around: (work: () => unknown) => work(), ifNeeded: (work: () => unknown) => work() },
  } as unknown as Context;
  return { ends, transactions: createTransactions(context), context };
}

const failing = () => Promise.reject(new Error("it failed"));
const tooLittle = () =>
  Promise.reject(new Error("Out of Memory Error: failed to allocate data of size 2.0 KiB"));

it("a connection that could not roll back is closed, since it would refuse the next transaction", async () => {
  const { ends, transactions } = transactionsWith(tooLittle);
  await expect(transactions.read(failing, undefined)).rejects.toThrow("it failed");
  expect(ends).toEqual(["closed"]);

  const other = transactionsWith(() => Promise.resolve());
  await expect(other.transactions.write(failing, undefined)).rejects.toThrow("it failed");
  expect(other.ends).toEqual(["given back"]);
});

it("memory that does not suffice for one more connection is said to be too little", async () => {
  const { context } = transactionsWith(tooLittle);
  const transactions = createTransactions({ ...context, pool: { ...context.pool, take: tooLittle } });
  await expect(transactions.read(() => Promise.resolve(1), undefined)).rejects.toMatchObject({
    code: "out_of_memory",
  });
});
