import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, listKeys, readKeysFile, revokeKey } from "../../src/http/keys/keys-file.ts";
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
    expect(ring(ann.key)).toEqual({ keyId: ann.id, user: "ann", projects: ["acme/*", "open/qa"] });
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
