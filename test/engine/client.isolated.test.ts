import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type * as Native from "../../src/duckdb/native/bindings.ts";
import { CLIENT_VERSION } from "../../src/duckdb/native/bindings.ts";

type Bindings = typeof Native.bindings;

const { changed } = vi.hoisted(() => ({ changed: new Map<PropertyKey, unknown>() }));

/** The client's functions, of which some are others for the time of a test. */
vi.mock("../../src/duckdb/native/bindings.ts", async (actual) => {
  const native = await actual<typeof Native>();
  const get = (target: Bindings, name: PropertyKey): unknown =>
    changed.has(name) ? changed.get(name) : Reflect.get(target, name);
  return { ...native, bindings: new Proxy<Bindings>(Object.create(native.bindings), { get }) };
});

/** Opens a store as the first of a process does. */
async function opened(): Promise<void> {
  vi.resetModules();
  const { openStore } = await import("../../src/duckdb/store.ts");
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  await store.close();
}

it.each([
  [
    "texts lie elsewhere",
    { get_data_from_pointer: (_: ArrayBuffer, __: number, n: number) => new Uint8Array(n) },
  ],
  ["values lie elsewhere", { vector_get_data: (_: unknown, n: number) => new Uint8Array(n) }],
  ["nulls are told otherwise", { vector_get_validity: () => null }],
  ["a function is gone", { list_vector_get_child: undefined }],
])("a client is refused where %s", async (_fault, functions) => {
  onTestFinished(() => changed.clear());
  for (const [name, value] of Object.entries(functions)) changed.set(name, value);
  await expect(opened()).rejects.toMatchObject({
    code: "unsupported_client",
    message: expect.stringContaining(`install version ${CLIENT_VERSION}`) as unknown,
  });
  changed.clear();
  await expect(opened()).resolves.toBeUndefined();
});

it("the version that is asked for is the one that is installed", () => {
  const file = path.join(import.meta.dirname, "../../package.json");
  const { dependencies } = JSON.parse(readFileSync(file, "utf8")) as { dependencies: Record<string, string> };
  expect(dependencies["@duckdb/node-api"]).toBe(CLIENT_VERSION);
});
