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
    expect(table.stdout).toMatch(new RegExp(`${id} +ann +acme/\\* open/qa +\\d{4}-`));
  });

  it.each([
    [["--project", "acme/*"], "--user"],
    [["--user", "ann"], "--project"],
    [["--user", "ann", "--project", "acme"], "ENTITY/PROJECT"],
    [["--user", "a:b", "--project", "*"], "without colon"],
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
