import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { complaint, evalcube, put, temporaryFolder } from "./command.ts";
import { evalcubeHere } from "./in-process.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const path = join(folder, "keys.json");

interface Entry {
  readonly id: string;
  readonly user: string;
  readonly projects: readonly string[];
  readonly expires_at?: string | null;
  readonly revoked_at?: string;
}

async function listed(): Promise<Entry[]> {
  return JSON.parse((await evalcubeHere(["keys", "list", "--keys", path])).stdout) as Entry[];
}

function create(...args: readonly string[]) {
  return evalcubeHere(["keys", "create", "--keys", path, ...args]);
}

describe("keys", () => {
  it("are created, printed once, listed and revoked", async () => {
    const args = ["keys", "create", "--keys", path, "--user", "ann"];
    const made = await evalcube([...args, "--project", "acme/*", "--project", "open/qa"], folder);
    expect(made.status).toBe(0);
    expect(made.stdout).toMatch(/^ec_[\w-]{43}\n$/);
    const key = made.stdout.trim();
    expect(made.stderr).not.toContain(key);
    expect(readFileSync(path, "utf8")).not.toContain(key);
    const [entry] = await listed();
    expect(entry).toMatchObject({ user: "ann", projects: ["acme/*", "open/qa"] });
    expect(entry).not.toHaveProperty("sha256");
    const id = entry?.id ?? "";
    expect(made.stderr).toContain(`key ${id} of ann`);

    const revoked = await evalcubeHere(["keys", "revoke", "--keys", path, id]);
    expect(revoked.status).toBe(0);
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id, revoked_at: expect.any(String) as unknown });
    expect((await listed())[0]?.revoked_at).toBeDefined();
    const table = await evalcubeHere(["keys", "list", "--keys", path, "--format", "table"]);
    expect(table.stdout).toMatch(new RegExp(`${id} +ann +write +acme/\\* open/qa +\\d{4}-`));
  });

  it("may only ask where they are made so, and follow each other with the same rights", async () => {
    const own = join(folder, "rotated.json");
    const args = ["keys", "create", "--keys", own, "--user", "bob", "--project", "acme/qa", "--can", "read"];
    expect((await evalcubeHere(args)).status).toBe(0);
    const keys = async () =>
      JSON.parse((await evalcubeHere(["keys", "list", "--keys", own])).stdout) as Entry[];
    const [old] = await keys();
    const rotated = await evalcubeHere(["keys", "rotate", old?.id ?? "", "--keys", own, "--for", "2h"]);
    expect(rotated.status).toBe(0);
    expect(rotated.stdout).toMatch(/^ec_[\w-]{43}\n$/);
    const [before, after] = await keys();
    expect(after).toMatchObject({ user: "bob", can: "read", projects: ["acme/qa"], expires_at: null });
    const left = Date.parse(String(before?.expires_at)) - Date.now();
    expect(left).toBeGreaterThan(7_190_000);
    expect(left).toBeLessThanOrEqual(7_200_000);
    expect(rotated.stderr).toContain(
      `follows ${before?.id}, which ends at ${before?.expires_at?.slice(0, 19)}Z`,
    );
    const table = (await evalcubeHere(["keys", "list", "--keys", own, "--format", "table"])).stdout;
    expect(table).toMatch(/^id +user +can +projects +created +last used +expires +revoked/);
  });

  it.each(["24", "1.5h", "-1h", "h", "24 h", "1m", "100000h"])("follow no other for %j", async (text) => {
    const { status, stderr } = await evalcubeHere(["keys", "rotate", "x", "--keys", path, "--for", text]);
    expect(status).toBe(2);
    expect(complaint(stderr).reason).toContain("h, d or w");
  });

  it.each([
    [["--project", "acme/*"], "--user"],
    [["--user", "ann"], "--project"],
    [["--user", "ann", "--project", "acme"], "ENTITY/PROJECT"],
    [["--user", "a:b", "--project", "*"], "without colon"],
    [["--user", "ann", "--project", "*", "--can", "all"], "read, write, admin"],
  ])("are refused with status 2: %j", async (args, about) => {
    const { status, stdout, stderr } = await create(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(complaint(stderr).reason).toContain(about);
  });

  it("that are not there, or a file that is none, end with status 1 and one line", async () => {
    await create("--user", "ann", "--project", "*");
    const bad = put(folder, "bad.json", "{");
    for (const args of [
      ["revoke", "--keys", path, "nobody"],
      ["list", "--keys", join(folder, "none.json")],
      ["list", "--keys", bad],
      ["create", "--keys", bad, "--user", "ann", "--project", "*"],
    ]) {
      const { status, stdout, stderr } = await evalcubeHere(["keys", ...args]);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^evalcube: [^\n]+\n$/);
    }
  });
});
