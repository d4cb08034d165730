import { inspect } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { openBackend } from "../../src/engine/open-backend.ts";
import type { ClickHouseOptions, EngineOptions } from "../../src/index.ts";
import { noClickHouse, RESTRICTED, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const SECRET = "c0rrect-horse";

describe.skipIf(noClickHouse !== null)(`secrets of a server${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function refusal(server: Partial<ClickHouseOptions>, options: EngineOptions = {}) {
    const asked = { url, database: scratchDatabase(url), username: "ana", password: SECRET, ...server };
    return await openBackend({ clickhouse: asked, ...options }).then(
      () => expect.fail("was opened"),
      (error: unknown) => error,
    );
  }

  it.each<[string, string, Partial<ClickHouseOptions>, EngineOptions]>([
    ["bad_credentials", "a wrong password", {}, {}],
    ["bad_credentials", "a user's wrong password", { username: RESTRICTED.username }, {}],
    ["unreachable", "no server", { url: "http://127.0.0.1:1" }, {}],
    ["invalid_option", "a password in the URL", { url: `http://ana:${SECRET}@127.0.0.1:1` }, {}],
    ["invalid_option", "a URL that is none", { url: `http://ana:${SECRET}@:x` }, {}],
    ["invalid_option", "a name that is none", { database: "a b" }, {}],
    ["invalid_option", "a setting of ours", { settings: { async_insert: 1 } }, {}],
    ["invalid_option", "two ways to sign in", { accessToken: SECRET }, {}],
    ["invalid_option", "a path", {}, { path: "evals.duckdb" }],
    ["invalid_option", "threads", {}, { threads: 2 }],
    ["invalid_option", "a memory limit", {}, { memoryLimit: "1GiB" }],
    ["invalid_option", "a cluster that is none", { cluster: "a'b" }, {}],
  ])("are in nothing of the error %s for %s", async (code, _what, server, options) => {
    const error = await refusal(server, options);
    expect(error).toMatchObject({ code });
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(SECRET);
  });

  it("are in nothing of what a server says that takes no tokens, or speaks no TLS", async () => {
    const database = scratchDatabase(url);
    for (const server of [
      { url, database, accessToken: SECRET },
      { url: url.replace("http:", "https:"), database, username: "ana", password: SECRET },
    ]) {
      const error = await openBackend({ clickhouse: server }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: Infinity })).not.toContain(SECRET);
    }
  });
});
