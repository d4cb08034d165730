import { existsSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";

/*
 * Windows neither renames nor removes a file that is open. Here, what does so is refused where this process has the file
 * open: DuckDB's own handles count, too, as they are those of the process.
 */

/** What refuses, and the paths that were refused. Mocks are made before anything else, so they find it here. */
const guard = vi.hoisted(() => {
  const refused: string[] = [];
  const look: { isOpen: (file: string) => boolean } = { isOpen: () => false };
  /** The same function, which throws as Windows does where one of its first paths, or one below it, is open. */
  const refusing =
    <A extends readonly unknown[], R>(act: (...args: A) => R, paths: number) =>
    (...args: A): R => {
      const open = args.slice(0, paths).map(String).find(look.isOpen);
      if (open === undefined) return act(...args);
      refused.push(open);
      const message = `EBUSY: resource busy or locked, '${open}'`;
      throw Object.assign(new Error(message), { code: "EBUSY", syscall: "rename" });
    };
  return { refused, look, refusing };
});

const later = vi.hoisted(
  () =>
    <A extends readonly unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A) =>
      await act(...args),
);

vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof import("node:fs/promises")>();
  const changed = {
    rename: later(guard.refusing(actual.rename, 2)),
    rm: later(guard.refusing(actual.rm, 1)),
    unlink: later(guard.refusing(actual.unlink, 1)),
  };
  return { ...actual, ...changed, default: { ...actual, ...changed } };
});
vi.mock("node:fs", async (original) => {
  const actual = await original<typeof import("node:fs")>();
  const changed = {
    renameSync: guard.refusing(actual.renameSync, 2),
    rmSync: guard.refusing(actual.rmSync, 1),
    unlinkSync: guard.refusing(actual.unlinkSync, 1),
  };
  return { ...actual, ...changed, default: { ...actual, ...changed } };
});

const HANDLES = "/proc/self/fd";

guard.look.isOpen = (file) => {
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return false;
  }
  return readdirSync(HANDLES).some((handle) => {
    try {
      const target = readlinkSync(path.join(HANDLES, handle));
      return target === real || target.startsWith(`${real}${path.sep}`);
    } catch {
      return false;
    }
  });
};

const { openEngine } = await import("../../src/index.ts");
const { createKey, listKeys, revokeKey } = await import("../../src/http/keys/keys-file.ts");
const { migrate } = await import("../../src/engine/migrate.ts");
const { rename } = await import("node:fs/promises");
const { scratchFolder } = await import("../support/scratch.ts");
const { EVALUATION, PROJECT, root, trial } = await import("../support/records.ts");

describe.skipIf(!existsSync(HANDLES))("no file that is open is renamed or removed", () => {
  afterEach(() => {
    const refused = guard.refused.splice(0);
    if (refused.length > 0) throw new Error(`open, and renamed or removed: ${refused.join(", ")}`);
  });

  it("by what refuses it in these tests", async () => {
    const file = path.join(scratchFolder(), "open.duckdb");
    const engine = await openEngine({ path: file, threads: 1 });
    await expect(rename(file, `${file}.moved`)).rejects.toThrow("EBUSY");
    await engine.close();
    await rename(file, `${file}.moved`);
    expect(guard.refused.splice(0)).toEqual([file]);
  });

  it("by a database that is made, written, opened again, copied and exported", async () => {
    const folder = scratchFolder();
    const [file, copy] = [path.join(folder, "evals.duckdb"), path.join(folder, "copy.duckdb")];
    const engine = await openEngine({ path: file, threads: 2 });
    await engine.ingestCalls([root(), trial("t1", 1), trial("t2", 2)]);
    for (const ending of ["csv", "jsonl", "parquet", "arrow"] as const)
      await engine.exportResults(
        PROJECT,
        { evaluation_call_ids: [EVALUATION] },
        { format: ending, path: path.join(folder, `out.${ending}`) },
      );
    await engine.backup(copy);
    await engine.close();
    for (const readOnly of [false, true]) {
      const again = await openEngine({ path: file, threads: 1, readOnly });
      expect(await again.countEvaluations()).toHaveLength(1);
      await again.close();
    }
    await migrate({ path: copy, readOnly: true }, { path: path.join(folder, "migrated.duckdb") }, {});
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("by an import of logs that are packed", async () => {
    const folder = scratchFolder();
    const rows = Array.from({ length: 200 }, (_, n) => `question ${n},${"x".repeat(200)},${n % 2}`);
    const packed = path.join(folder, "answers.csv.gz");
    writeFileSync(packed, gzipSync(["question,answer,correct", ...rows, ""].join("\n")));
    const engine = await openEngine({ path: path.join(folder, "evals.duckdb"), threads: 1 });
    const [imported] = await engine.importEvaluations(packed, { project: PROJECT });
    expect(imported?.evaluations[0]?.trials).toBe(rows.length);
    await engine.close();
  });

  it("by the keys of a service", async () => {
    const keys = path.join(scratchFolder(), "keys.json");
    const { id } = await createKey(keys, { user: "ann", projects: ["acme/*"] });
    await createKey(keys, { user: "bob", projects: ["acme/*"] });
    await revokeKey(keys, id);
    await expect(revokeKey(keys, "unknown")).rejects.toThrow("has no key");
    expect(listKeys(keys)).toHaveLength(2);
  });
});
