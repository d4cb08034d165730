import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createKey, listKeys, readKeysFile, revokeKey, rotateKey } from "../../src/http/keys/keys-file.ts";
import { createKeyRing, mayUse } from "../../src/http/keys/key-ring.ts";
import { startService } from "./running-service.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evalcube-keys-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("the keys file", () => {
  it("holds hashes only, is readable by its owner only, and recognises its keys", async () => {
    const path = join(folder, "keys.json");
    const ann = await createKey(path, { user: "ann", projects: ["acme/*", "open/qa"] });
    const bob = await createKey(path, { user: "bob", projects: ["*"] });
    const text = await readFile(path, "utf8");
    expect(text).not.toContain(ann.key);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const ring = createKeyRing(readKeysFile(path));
    expect(ring(ann.key)).toEqual({
      keyId: ann.id,
      user: "ann",
      can: "admin",
      projects: ["acme/*", "open/qa"],
    });
    expect(ring(bob.key)?.user).toBe("bob");
    expect(ring(`${ann.key}x`)).toBeUndefined();
  });

  it("keeps every key though many are made at once", async () => {
    const path = join(folder, "many.json");
    const users = Array.from({ length: 10 }, (_, at) => `user${at}`);
    const made = await Promise.all(users.map((user) => createKey(path, { user, projects: ["a/b"] })));
    const ring = createKeyRing(readKeysFile(path));
    expect(made.map(({ key }) => ring(key)?.user)).toEqual(users);
  });

  it("lists keys without hashes and revokes them for good", async () => {
    const path = join(folder, "revoked.json");
    const { key, id } = await createKey(path, { user: "ann", projects: ["acme/qa"] });
    const service = await startService({ keys: path });
    const status = async () =>
      (await service.fetch("/v1/models", { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status()).toBe(200);
    expect(await revokeKey(path, id)).toMatchObject({
      id,
      user: "ann",
      revoked_at: expect.any(String) as unknown,
    });
    expect(listKeys(path)).toEqual([expect.not.objectContaining({ sha256: expect.anything() as unknown })]);
    service.reloadKeys();
    expect(await status()).toBe(401);
    await writeFile(path, "{");
    expect(() => service.reloadKeys()).toThrow(/is not JSON/);
    expect(await status()).toBe(401);
    await service.stop();
    await expect(revokeKey(path, "none")).rejects.toThrow(/not JSON/);
  });

  it("has a key follow another, which ends by itself", async () => {
    const path = join(folder, "rotated.json");
    const old = await createKey(path, { user: "ann", projects: ["acme/*"], can: "read" });
    const made = await rotateKey(path, old.id, 3_600_000);
    const [before, after] = listKeys(path);
    expect(before).toMatchObject({ id: old.id, expires_at: made.expiresAt });
    expect(after).toMatchObject({
      id: made.id,
      user: "ann",
      can: "read",
      projects: ["acme/*"],
      expires_at: null,
    });
    const ring = createKeyRing(readKeysFile(path));
    expect([ring(old.key)?.keyId, ring(made.key)?.keyId]).toEqual([old.id, made.id]);
    vi.useFakeTimers({ now: Date.parse(made.expiresAt) });
    try {
      expect([ring(old.key), ring(made.key)?.keyId]).toEqual([undefined, made.id]);
      await expect(rotateKey(path, old.id, 1000)).rejects.toMatchObject({ code: "ended_key" });
    } finally {
      vi.useRealTimers();
    }
    const sooner = await rotateKey(path, old.id, 60_000);
    expect(Date.parse(sooner.expiresAt)).toBeLessThan(Date.parse(made.expiresAt));
    expect((await rotateKey(path, old.id, 7_200_000)).expiresAt).toBe(sooner.expiresAt);
    await revokeKey(path, old.id);
    await expect(rotateKey(path, old.id, 1000)).rejects.toMatchObject({ code: "ended_key" });
    await expect(rotateKey(path, "none", 1000)).rejects.toMatchObject({ code: "unknown_key" });
  });

  it("tells the day on which a key was last used, which the service keeps beside it", async () => {
    const path = join(folder, "used.json");
    const ann = await createKey(path, { user: "ann", projects: ["acme/*"] });
    const bob = await createKey(path, { user: "bob", projects: ["acme/*"] });
    const written = await readFile(path, "utf8");
    await writeFile(`${path}.used`, "{");
    const service = await startService({ keys: path });
    const use = (key: string) => service.fetch("/v1/models", { headers: { authorization: `Bearer ${key}` } });
    await use(`${ann.key}x`);
    expect(listKeys(path).map((one) => one.last_used_on)).toEqual([null, null]);
    await use(ann.key);
    const today = new Date().toISOString().slice(0, 10);
    expect(listKeys(path).map((one) => one.last_used_on)).toEqual([today, null]);
    await writeFile(`${path}.used`, JSON.stringify({ [ann.id]: "2020-01-01" }));
    await use(ann.key);
    await use(bob.key);
    expect(listKeys(path).map((one) => one.last_used_on)).toEqual(["2020-01-01", today]);
    await service.stop();
    expect(await readFile(path, "utf8")).toBe(written);
    await rm(`${path}.used`);
    const again = await startService({ keys: path });
    await again.fetch("/v1/models", { headers: { authorization: `Bearer ${ann.key}` } });
    await again.stop();
    expect((await stat(`${path}.used`)).mode & 0o777).toBe(0o600);
  });

  it("of an older service lets its keys do all, which the log tells once", async () => {
    const path = join(folder, "older.json");
    const { key, id } = await createKey(path, { user: "ann", projects: ["acme/*"] });
    await writeFile(path, (await readFile(path, "utf8")).replace(/ *"can": "admin",\n/, ""));
    expect(createKeyRing(readKeysFile(path))(key)?.can).toBe("admin");
    expect(listKeys(path)).toMatchObject([{ can: "admin" }]);
    const service = await startService({ keys: path });
    service.reloadKeys();
    await service.stop();
    const told = service.log.filter((line) => line.includes("`can`"));
    expect(told.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 40, keys: [id] }]);
  });

  it("is refused with one clear line when it is missing or malformed", async () => {
    const path = join(folder, "bad.json");
    expect(() => readKeysFile(path)).toThrow(/bad\.json cannot be read: no such file/);
    await writeFile(path, '{"version":1,"keys":[{"id":"x"}]}');
    expect(() => readKeysFile(path)).toThrow(/malformed at keys\[0\]\.user/);
    await expect(createKey(path, { user: "a", projects: ["a/b"] })).rejects.toThrow(/malformed/);
    const projectless = createKey(join(folder, "new.json"), { user: "a", projects: [] });
    await expect(projectless).rejects.toThrow("The key is malformed at projects");
  });

  it.each(["", "acme", "a/b/c", "*/b", "*/*", "a/b\n"])(
    "takes no key for the project %j",
    async (project) => {
      await expect(
        createKey(join(folder, "none.json"), { user: "ann", projects: [project] }),
      ).rejects.toThrow("must be ENTITY/PROJECT");
    },
  );
});

describe("a key's projects", () => {
  it.each([
    ["*", "a/b", true],
    ["a/*", "a/b", true],
    ["a/b", "a/b", true],
    ["a/*", "ab/b", false],
    ["a/b", "a/c", false],
    ["a/b", "a/b/c", false],
  ])("%s and %s: %s", (pattern, project, allowed) => {
    expect(mayUse({ keyId: "", user: "", projects: [pattern] }, project)).toBe(allowed);
  });
});
