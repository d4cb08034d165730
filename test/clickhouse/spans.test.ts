import { beforeAll, describe, expect, it } from "vitest";
import { spanService } from "../http/span-service.ts";
import { ATTEMPTS, SCORES, spansExport } from "../import/otlp-exports.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(`spans on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("of a subagent that come before those of its agent give what they give in a file", async () => {
    const onServer = await spanService(["acme/qa"], { clickhouse: { url, database: scratchDatabase(url) } });
    const onFile = await spanService();
    for (const { post } of [onServer, onFile]) {
      for (const some of [ATTEMPTS.slice(4), ATTEMPTS.slice(0, 4)])
        expect((await post("/v1/traces", JSON.stringify(spansExport(some)))).text).toBe("{}");
      expect((await post("/v1/logs", JSON.stringify(SCORES[1]))).text).toBe("{}");
    }
    const told = await onServer.told();
    expect(told).toEqual(await onFile.told());
    expect(told.names).toEqual(["shop: m-1"]);
    for (const { engine } of [onServer, onFile]) await engine.close();
  });
});
