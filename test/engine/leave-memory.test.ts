import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/engine/duckdb/store.ts";
import type { Session, Store } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { scratchPath } from "../support/scratch.ts";

const LEAST_PAGES = 32 * 2 ** 20;
const MOST_HELD = 160 * 2 ** 20;

async function storeOfNumbers(): Promise<Store> {
  const store = await openStore({ path: scratchPath(), readOnly: false, threads: 2, memoryLimit: "400MiB" });
  onTestFinished(() => store.close());
  await store.write((session) =>
    session.run(sql`CREATE TABLE numbers AS SELECT hash(i) AS number FROM range(6_000_000) AS r(i)`),
  );
  return store;
}

async function readNumbers(session: Session): Promise<void> {
  await session.rows(sql`SELECT bit_xor(number) FROM numbers`);
}

async function cachedPages(session: Session): Promise<number> {
  const [row] = await session.rows(
    sql`SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory() WHERE tag = 'BASE_TABLE'`,
  );
  return Number(row?.[0]);
}

async function heldMemory(session: Session): Promise<number> {
  const [row] = await session.rows(sql`SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()`);
  return Number(row?.[0]);
}

async function limit(session: Session): Promise<unknown> {
  const [row] = await session.rows(sql`SELECT current_setting('memory_limit')`);
  return row?.[0];
}

it("a long write lets go of cached pages, and the limit stays what it was", async () => {
  const store = await storeOfNumbers();
  await store.read(readNumbers);
  expect(await store.read(cachedPages)).toBeGreaterThan(LEAST_PAGES);
  const before = await store.read(limit);
  await store.write((session) => session.leaveMemory());
  expect(await store.read(cachedPages)).toBeLessThan(LEAST_PAGES);
  expect(await store.read(limit)).toBe(before);
});

it("cached pages stay while others read", async () => {
  const store = await storeOfNumbers();
  await store.read(async (session) => {
    await readNumbers(session);
    await store.write((writing) => writing.leaveMemory());
    expect(await cachedPages(session)).toBeGreaterThan(LEAST_PAGES);
  });
});

it("what waits to be written leaves memory as well, and is stored whole", async () => {
  const store = await storeOfNumbers();
  const texts = sql`SELECT repeat(i::VARCHAR, 400) AS text FROM range(10_000, 110_000) AS r(i)`;
  await store.write(async (session) => {
    await session.run(sql`CREATE TABLE texts AS ${texts}`);
    expect(await heldMemory(session)).toBeGreaterThan(MOST_HELD);
    await session.leaveMemory();
    expect(await heldMemory(session)).toBeLessThan(MOST_HELD);
  });
  const sum = sql`SELECT bit_xor(hash(text)), count(*)`;
  const [stored] = await store.read((session) => session.rows(sql`${sum} FROM texts`));
  const [made] = await store.read((session) => session.rows(sql`${sum} FROM (${texts})`));
  expect(made?.[1]).toBe(100_000n);
  expect(stored).toEqual(made);
});
